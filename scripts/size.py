#!/usr/bin/env python3
"""Size, time to start and memory of every build of baton that is there, as a table. `make size` calls it.

Start is from the start of the process until GET /ready answers 200, the median of RUNS runs in turns over all builds: on
a new folder (database, keys, the first admin with its password's hash) and on that folder again; beside it how much of that
the hub itself computed, which a busy machine does not stretch. Memory is what the idle hub
has resident two seconds later, all of it and its own part (without the pages of the binary).
"""
import http.client
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 11
BUILDS = {
    "release": "target/release/baton",
    "dist, glibc": "target/x86_64-unknown-linux-gnu/dist/baton",
    "dist, static (musl)": "target/x86_64-unknown-linux-musl/dist/baton",
}


class Start:
    """One start of a hub on a folder, and its orderly end."""

    def __init__(self, binary, folder):
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [binary, "hub", "start", "--port", "0", "--data-dir", folder, "--password", "a-password-to-measure"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("Baton hub listening on http://"):
            sys.exit(f"{binary} did not start: {line!r}")
        connection = http.client.HTTPConnection(line.rsplit("/", 1)[1].strip(), timeout=10)
        connection.request("GET", "/ready")
        if connection.getresponse().status != 200:
            sys.exit(f"{binary} is not ready")
        self.millis = (time.perf_counter() - began) * 1000
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        self.computed = sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    def memory(self):
        """Resident MiB: all, and anonymous."""
        time.sleep(2)
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=30)
        return self.millis, self.computed


def main():
    named = {path: path for path in sys.argv[1:]} or BUILDS
    builds = {name: path for name, path in named.items() if pathlib.Path(path).exists()}
    if not builds:
        sys.exit("no build is there; make build, or make dist")
    new, again, memory = ({name: [] for name in builds} for _ in range(3))
    for run in range(RUNS):
        for name, binary in builds.items():
            with tempfile.TemporaryDirectory() as folder:
                new[name].append(Start(binary, folder).stop())
                start = Start(binary, folder)
                if run == 0:
                    memory[name] = start.memory()
                again[name].append(start.stop())
    def median(starts):
        millis, computed = (statistics.median(column) for column in zip(*starts))
        return f"{millis:.0f} ms ({computed:.0f} ms)"

    print("| build | size | start, new folder (computed) | start, again (computed) | resident, idle | of it its own |")
    print("|---|---|---|---|---|---|")
    for name, binary in builds.items():
        size = pathlib.Path(binary).stat().st_size / 2**20
        print(f"| {name} | {size:.1f} MiB | {median(new[name])} | {median(again[name])} "
              f"| {memory[name][0]:.1f} MiB | {memory[name][1]:.1f} MiB |")


main()
