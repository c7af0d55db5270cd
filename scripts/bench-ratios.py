#!/usr/bin/env python3
"""Reads what criterion measured last and prints each figure as a ratio to what it is held against."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "target" / "criterion"


def median(group: str, name: str) -> float:
    path = ROOT / group / name / "new" / "estimates.json"
    return json.loads(path.read_text())["median"]["point_estimate"]


def row(what: str, ratio: float, goal: str, held: bool) -> bool:
    print(f"{what:<52} {ratio:>9.2f}   {goal:<12} {'held' if held else 'NOT HELD'}")
    return held


def main() -> int:
    value = "limit_ serde_json parse into Value"
    jcs, sha = "peer_ serde_jcs and SHA-256", "limit_ SHA-256 of the same bytes"
    convert = median("convert", "baton") / median("convert", value)
    faster = median("content hash", jcs) / median("content hash", "baton")
    slower = median("content hash", "baton") / median("content hash", sha)
    per_second = 100_000 / (median("verify 100000 events", "baton") / 1e9)
    print(f"{'':<52} {'figure':>9}   {'goal':<12}")
    rows = [
        row("convert, times a serde_json parse into Value", convert, "<= 1.0", convert <= 1.0),
        row("content hash, times faster than serde_jcs + SHA-256", faster, ">= 8.0", faster >= 8.0),
        row("content hash, times SHA-256 of the same bytes", slower, "<= 3.0", slower <= 3.0),
        row("verify, thousand events a second", per_second / 1000, ">= 100", per_second >= 100_000),
    ]
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
