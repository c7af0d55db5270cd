#!/usr/bin/env python3
"""Writes the parts of the library that are made from something else:

- `models.py` from `clients/openapi.json`, a TypedDict for each schema of the hub's description;
- `error_codes.py` from the table in `docs/errors.md`, a class for each code;
- `_sync/` from `_async/`, by taking the words of asynchronous code out.

`generate.py` writes them, `generate.py --check` says which are out of date, and `generate.py --description BINARY`
first asks a hub for its description and writes `clients/openapi.json`. The standard library is enough.
"""

from __future__ import annotations

import argparse
import json
import keyword
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
DESCRIPTION = HERE.parent / "openapi.json"
ERRORS = REPOSITORY / "docs" / "errors.md"
PACKAGE = HERE / "src" / "baton_hub"
WIDTH = 110

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


# --- models ---------------------------------------------------------------------------------------------------------


def type_of(schema: dict[str, Any]) -> str:
    """The Python type of a schema, as an annotation."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"]) + "]"
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return union(type_of(one) for one in schema[several])
    kind = schema.get("type")
    if isinstance(kind, list):
        return union(type_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {type_of(values)}]" if isinstance(values, dict) and values else "dict[str, Any]"
    return SCALARS.get(kind, "Any") if isinstance(kind, str) else "Any"


def union(types: Any) -> str:
    seen = list(dict.fromkeys(types))
    return "Any" if "Any" in seen else " | ".join(seen)


def is_record(schema: dict[str, Any]) -> bool:
    return "properties" in schema or "allOf" in schema


def docstring(text: str, indent: str = "    ") -> list[str]:
    """A docstring of at most WIDTH columns."""
    words = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    if not words:
        return []
    if not words.endswith("."):
        words += "."
    lines = wrap(f'"""{words}', indent)
    lines[-1] += '"""'
    return lines if len(lines[-1]) <= WIDTH else [*lines[:-1], lines[-1][:-3], f'{indent}"""']


def wrap(text: str, indent: str) -> list[str]:
    lines, line = [], indent
    for word in text.split(" "):
        if len(line) + len(word) > WIDTH - 3 and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip()]


def fields(properties: dict[str, Any], about: bool = True) -> list[str]:
    lines: list[str] = []
    for name in sorted(properties):
        schema = properties[name]
        annotation = type_of(schema)
        lines.append(f"    {name}: {annotation}")
        if about and schema.get("description"):
            lines += docstring(schema["description"])
    return lines


def record(name: str, bases: list[str], properties: dict[str, Any], is_total: bool, about: str) -> list[str]:
    """One TypedDict. One with a key that is a keyword of Python has no class form."""
    total = [] if is_total else ["total=False"]
    if any(keyword.iskeyword(key) for key in properties):
        assert not bases, name
        inner = ", ".join(f"{json.dumps(key)}: {type_of(properties[key])}" for key in sorted(properties))
        options = "" if is_total else ", total=False"
        return [f'{name} = TypedDict("{name}", {{{inner}}}{options})', ""]
    head = ", ".join([*(bases or ["TypedDict"]), *total])
    body = docstring(about) + ([""] if about and properties else []) + fields(properties)
    return [f"class {name}({head}):", *(body or ["    pass"]), "", ""]


def records(name: str, schema: dict[str, Any]) -> list[str]:
    """The TypedDict of a schema, and before it one of its required keys: `NotRequired` came with Python 3.11."""
    bases: list[str] = []
    parts = schema.get("allOf", [schema])
    properties: dict[str, Any] = {}
    required: set[str] = set()
    for part in parts:
        if "$ref" in part:
            bases.append(part["$ref"].rsplit("/", 1)[1])
        properties |= part.get("properties", {})
        required |= set(part.get("required", []))
    about = schema.get("description", "")
    must = {key: value for key, value in properties.items() if key in required}
    may = {key: value for key, value in properties.items() if key not in required}
    if not may:
        return record(name, bases, must, True, about)
    if not must:
        return record(name, bases, may, False, about)
    return [
        *record(f"{name}Required", bases, must, True, f"What every `{name}` has."),
        *record(name, [f"{name}Required"], may, False, about),
    ]


def references(schema: Any) -> set[str]:
    if isinstance(schema, dict):
        found = {schema["$ref"].rsplit("/", 1)[1]} if "$ref" in schema else set()
        return found.union(*(references(value) for value in schema.values()))
    if isinstance(schema, list):
        return set().union(*(references(value) for value in schema))
    return set()


def in_order(schemas: dict[str, Any]) -> list[str]:
    """Names after all that they need; `models.py` is read from top to bottom, also by what evaluates annotations."""
    done: list[str] = []
    open_names: set[str] = set()

    def visit(name: str) -> None:
        if name in done or name in open_names:
            return
        open_names.add(name)
        for needed in sorted(references(schemas[name])):
            visit(needed)
        done.append(name)

    for name in sorted(schemas):
        visit(name)
    return done


def models(description: dict[str, Any]) -> str:
    schemas = description["components"]["schemas"]
    lines = [
        '"""What the hub reads and answers, as `GET /openapi.json` describes it. Made by generate.py; do not edit.',
        "",
        "A hub that is newer may answer with more keys and with values of `Literal` types that are not listed here. They are",
        'passed on as they came."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Any, Literal, TypeAlias, TypedDict",
        "",
    ]
    for name in in_order(schemas):
        schema = schemas[name]
        if is_record(schema):
            lines += ["", *records(name, schema)]
        else:
            lines += [f"{name}: TypeAlias = {type_of(schema)}", *docstring(schema.get("description", ""), "")]
    lines += ["", f"__all__ = [{', '.join(json.dumps(name) for name in sorted(schemas))}]", ""]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))


# --- errors ---------------------------------------------------------------------------------------------------------


def codes() -> dict[str, list[tuple[int, str, str]]]:
    """Code → (status, meaning, remedy) for each row of the first table."""
    found: dict[str, list[tuple[int, str, str]]] = {}
    for line in ERRORS.read_text(encoding="utf-8").split("\n## ")[0].splitlines():
        match = re.match(r"\| `([^`]+)` \| (\d{3}) \| (.+?) \| (.+?) \|$", line)
        if match:
            code, status, meaning, remedy = match.groups()
            found.setdefault(code, []).append((int(status), meaning, remedy))
    if len(found) < 50:
        raise SystemExit(f"{ERRORS} has another form: {len(found)} codes were found")
    return found


def class_name(code: str) -> str:
    """`task is terminal (<status>)` → `TaskIsTerminal`."""
    plain = re.sub(r"<[^>]*>|\([^)]*\)", " ", code)
    return "".join(word[0].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", plain))


def error_codes() -> str:
    lines = [
        '"""One error class for each code of docs/errors.md. Made by generate.py; do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "import re",
        "",
        "from .errors import BatonError",
        "",
    ]
    table, patterns, names = [], [], []
    for code, rows in sorted(codes().items()):
        name = class_name(code)
        if name in names:
            raise SystemExit(f"two codes give the class {name}")
        names.append(name)
        meaning = " · ".join(dict.fromkeys(row[1] for row in rows))
        # A row with an example's figures is no remedy of another case; the hub's message has the right ones.
        remedies = tuple(dict.fromkeys(row[2] for row in rows if not re.search(r"\d,\d{3}", row[2])))
        lines += ["", f"class {name}(BatonError):", *docstring(meaning), ""]
        lines += [f"    default_code = {code!r}".replace("'", '"')]
        if remedies:
            texts = (f"        {json.dumps(remedy, ensure_ascii=False)}," for remedy in remedies)
            lines += ["    remedies = (", *texts, "    )"]
        lines += [""]
        if "<status>" in code:
            pattern = re.escape(code).replace(re.escape("<status>"), "[a-z_]+")
            patterns.append(f"    (re.compile(r{json.dumps(pattern)[0]}{pattern}{json.dumps(pattern)[-1]}), {name}),")
        else:
            table.append(f"    {json.dumps(code)}: {name},")
    lines += ["", "BY_CODE: dict[str, type[BatonError]] = {", *table, "}", ""]
    lines += [
        "# Codes that hold the status of a task.",
        "BY_PATTERN: list[tuple[re.Pattern[str], type[BatonError]]] = [",
    ]
    lines += [*patterns, "]", "", f"__all__ = [{', '.join(json.dumps(name) for name in sorted(names))}]", ""]
    return "\n".join(lines)


# --- the synchronous client -----------------------------------------------------------------------------------------

WORDS = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsyncGenerator\[([^\]]+), None\]", r"Generator[\1, None, None]"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\baclosing\b", "closing"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\basynchronous\b", "synchronous"),
    (r"\b_async\b", "_sync"),
]
# Written by hand for each of the two: what differs is all that is in it.
BY_HAND = {"host.py"}


def synchronous(source: str) -> str:
    for pattern, replacement in WORDS:
        source = re.sub(pattern, replacement, source)
    note = "Made by generate.py from `_async/`; do not edit.\n"
    return source.replace('"""\n', f"\n\n{note}" + '"""\n', 1) if source.startswith('"""') else source


# --- all of it ------------------------------------------------------------------------------------------------------


def everything() -> dict[Path, str]:
    description = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    made = {PACKAGE / "models.py": models(description), PACKAGE / "error_codes.py": error_codes()}
    for path in sorted((PACKAGE / "_async").glob("*.py")):
        if path.name not in BY_HAND:
            made[PACKAGE / "_sync" / path.name] = synchronous(path.read_text(encoding="utf-8"))
    return made


def out_of_date() -> list[Path]:
    """What is not as it would be written now."""
    made = everything()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    known = set(made) | {PACKAGE / "_sync" / name for name in BY_HAND}
    return stale + [path for path in sorted((PACKAGE / "_sync").glob("*.py")) if path not in known]


def description_of(binary: str) -> dict[str, Any]:
    """What this binary's hub answers at `GET /openapi.json`."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "BATON_ADMIN_PASSWORD": "not-used-anywhere-1"}
        command = [binary, "hub", "start", "--port", "0", "--data-dir", folder]
        hub = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
        try:
            assert hub.stdout is not None
            for line in hub.stdout:
                found = re.search(r"http://[0-9.:]+", line)
                if found:
                    with urllib.request.urlopen(f"{found.group()}/openapi.json", timeout=30) as answer:  # noqa: S310 - http, as matched
                        return json.load(answer)  # type: ignore[no-any-return]
            raise SystemExit(f"{binary} does not say where it listens")
        finally:
            hub.terminate()
            hub.wait(30)


def written(description: dict[str, Any]) -> str:
    """The description as `clients/openapi.json` has it."""
    return json.dumps(description, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="say what is out of date, and change nothing")
    parser.add_argument("--description", metavar="BINARY", help="ask this binary's hub for openapi.json first")
    arguments = parser.parse_args()
    if arguments.description:
        DESCRIPTION.write_text(written(description_of(arguments.description)), encoding="utf-8")
    if arguments.check:
        stale = out_of_date()
        for path in stale:
            print(f"{path.relative_to(REPOSITORY)} is out of date: run clients/python/generate.py", file=sys.stderr)
        return 1 if stale else 0
    made = everything()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
