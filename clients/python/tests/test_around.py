"""Settings, traces, what is generated, the package and its page: numbers 29 to 33 of clients/BEHAVIOUR.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from conftest import serving
from hub import REPOSITORY, Hub, binary

import generate
from baton_hub import Client, SettingsError, Task, Worker, settings

PROJECT = Path(__file__).resolve().parents[1]


def test_b29_arguments_come_before_the_environment_and_that_before_the_profile(tmp_path: Path) -> None:
    home = tmp_path / ".baton"
    home.mkdir()
    profile = home / "config.toml"
    profile.write_text(
        '[profile.default]\nhub = "http://10.0.0.1:9200"\ntoken = "utok_profile"\nnetwork = "net_1"\nusername = "ada"\n\n'
        '[profile.other]\nhub = "https://hub.example.org/"\ntoken = "utok_other"\nca = "/ca.pem"\n'
    )
    profile.chmod(0o600)
    env = {"HOME": str(tmp_path)}
    load = settings.load
    assert load(environment=env) == settings.Settings("http://10.0.0.1:9200", "utok_profile", "net_1")
    assert load(profile="other", environment=env).ca == "/ca.pem"
    assert load(environment={**env, "BATON_PROFILE": "other"}).token == "utok_other"
    named = load(environment={**env, "BATON_TOKEN": "ntok_env", "BATON_NETWORK": "blue"})
    assert (named.hub, named.token, named.network) == ("http://10.0.0.1:9200", "ntok_env", "blue")
    # Its network goes with its token, and its token to its hub only.
    assert load(environment={**env, "BATON_TOKEN": "ntok_env"}).network is None
    with pytest.raises(SettingsError, match="no token"):
        load(environment={**env, "BATON_HUB": "http://127.0.0.1:9200"})
    assert load(
        "http://h", "ntok_arg", "net_a", environment={**env, "BATON_HUB": "http://e", "BATON_TOKEN": "ntok_e"}
    ) == (settings.Settings("http://h", "ntok_arg", "net_a"))
    assert load(token="ntok_arg", environment={}).hub == "http://127.0.0.1:9200"
    for wrong in ("hub", "ftp://a", "http://u:p@a", "http://a/?q", "http://a:x"):
        with pytest.raises(SettingsError):
            load(wrong, "ntok_arg", environment={})
    with pytest.raises(SettingsError) as raised:
        load(token="secret\nthing", environment={})
    assert "secret" not in str(raised.value)
    assert "ntok_arg" not in repr(Client("http://127.0.0.1:1", "ntok_arg"))
    profile.chmod(0o640)
    with pytest.raises(SettingsError, match="others may read"):
        load(environment=env)


def test_a_network_is_found_by_its_name(hub: Hub, alias: str) -> None:
    hub.node_token(alias)
    with hub.user() as client:
        name = next(one["network_name"] for one in client.me()["networks"] if one["network_id"] == hub.network_id)
    with Client(hub.url, hub.user_token, name) as client:
        assert client.get(client.send(alias, "hello")["task_id"])["task"]["network_id"] == hub.network_id
    with (
        Client(hub.url, hub.user_token, "no such network") as client,
        pytest.raises(SettingsError, match="no such network"),
    ):
        client.send(alias, "hello")


def test_a_private_ca_is_believed_and_an_unknown_one_is_not(tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    try:
        subprocess.run([*command, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    key.chmod(0o600)
    hub = Hub(tmp_path, certificate, key)
    try:
        with Client(hub.url, hub.user_token, ca=str(certificate)) as client:
            assert client.me()["ok"]
        with Client(hub.url, hub.user_token) as client, pytest.raises(SettingsError, match="BATON_CA"):
            client.me()
        with pytest.raises(SettingsError, match="must be a PEM file"):
            Client(hub.url, hub.user_token, ca=str(key))
    finally:
        hub.kill()


def test_b30_a_trace_reaches_the_handler(hub: Hub, alias: str) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    tracer = trace.TracerProvider().get_tracer("test")
    seen: list[tuple[str, int]] = []

    def trace_id() -> int:
        from opentelemetry.trace import get_current_span

        return int(get_current_span().get_span_context().trace_id)

    def plain(task: Task) -> str:
        seen.append(("plain", trace_id()))
        return "done"

    async def asynchronous(task: object) -> str:
        seen.append(("asynchronous", trace_id()))
        return "done"

    for handler in (plain, asynchronous):
        with hub.user() as client, serving(Worker(alias, handler, client=hub.async_node(alias))):
            with tracer.start_as_current_span("send") as span:
                client.call(alias, "go")
            expected = span.get_span_context().trace_id
            assert seen[-1] == (handler.__name__, expected)
            client.call(alias, "without a trace")
            assert seen[-1][1] == 0


def test_b31_what_is_generated_is_current() -> None:
    assert generate.out_of_date() == [], "run clients/python/generate.py"
    description = generate.description_of(binary())
    kept = json.loads((REPOSITORY / "clients" / "openapi.json").read_text())
    assert description == kept, f"run clients/python/generate.py --description {binary()}"


def test_b32_the_package_installs_and_imports_in_a_clean_folder(tmp_path: Path) -> None:
    """Without the registry: the packages that are needed are those of the tests."""
    builder = tmp_path / "venv"
    venv.create(builder, with_pip=False, system_site_packages=False)
    python = builder / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*command, "--target", site, str(PROJECT)], check=True, cwd=tmp_path)
    (Path(site) / "of_the_tests.pth").write_text(f"{_site_of_httpx()}\n")
    program = "import baton_hub, pathlib; print(baton_hub.__file__); assert (pathlib.Path(baton_hub.__file__).parent / 'py.typed').exists()"
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    ran = subprocess.run(
        [python, "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert ran.stdout.startswith(site)


def _site_of_httpx() -> str:
    import httpx

    return str(Path(httpx.__file__).parents[1])


def blocks(page: Path) -> list[tuple[str, str]]:
    """A page's blocks of Python, each with the comment before it: `agent` (goes on beside the rest) or `run`."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"<!-- (agent|run) -->\n```python\n(.*?)```", text, re.DOTALL)
    assert len(found) == text.count("```python") > 0, f"each block of {page} says in a comment how it runs"
    return found


@pytest.mark.parametrize(
    "page", [PROJECT / "README.md", REPOSITORY / "docs" / "sdk-python.md"], ids=lambda page: page.name
)
def test_b33_the_examples_of_the_pages_run(own_hub: Hub, tmp_path: Path, page: Path) -> None:
    hub, found = own_hub, blocks(page)
    (tmp_path / "numbers.csv").write_text("a,b\n1,2\n")
    wanted = {"BATON_HUB": hub.url, "BATON_TOKEN": hub.user_token, "BATON_NETWORK": hub.network_id}
    environment = {**os.environ, **wanted, "PYTHONPATH": str(PROJECT / "src"), "HOME": str(tmp_path)}
    agents: list[subprocess.Popen[str]] = []
    try:
        for number, (role, code) in enumerate(found):
            program = tmp_path / f"example_{number}.py"
            program.write_text(code)
            command = [sys.executable, str(program)]
            if role == "agent":
                one = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
                agents.append(one)
                assert one.stderr is not None
                assert "waiting for tasks" in one.stderr.readline()
            else:
                ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
                assert ran.returncode == 0, f"{code}\n{ran.stderr}"
                for line in re.findall(r"#> (.*)", code):
                    assert line in ran.stdout, f"{line!r} is not printed by\n{code}\n{ran.stdout}"
    finally:
        for one in agents:
            one.terminate()
        for one in agents:
            one.communicate(timeout=30)
