#!/usr/bin/env python3
"""An independent reader of evidence bundles: standard library only, written from section C of the contract
(docs: the A2A adapter and the evidence it emits), sharing nothing with the Rust. Small files only: it reads all.

usage: bundle_checker.py FILE...     for each prints `ok: N events, run root sha256:…` or `class: reason`; exits
with 0, or with 2 if any was refused.
"""

import hashlib
import json
import re
import sys
import zlib
from decimal import Decimal

PACKED, UNPACKED, LINE, EVENTS, DEPTH, NAMES, CHARACTERS = 100 << 20, 1 << 30, 1 << 20, 100_000, 64, 10_000, 1_048_576
TEXTS = ("specversion type source id time datacontenttype assayrunid assayproducer assayproducerversion "
         "assaygit assaycontenthash").split()
MANIFEST = {"schema_version": int, "bundle_id": str, "producer": dict, "run_id": str, "event_count": int,
            "run_root": str, "algorithms": dict, "files": dict}
TIME = re.compile(r"([+\-]\d{4,6}|\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+\-\u2212]\d\d:\d\d)")


class Refused(Exception):
    """The class of the rule that is broken, and how."""


def check(holds, kind, reason):
    if not holds:
        raise Refused(f"{kind}: {reason}")


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


# Canonical JSON, RFC 8785.

def number(value):
    value = float(value)
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent  # where the decimal point stands in the digits
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if text[1:] else "") + f"e{point - 1:+d}"
    return "-" * sign + text


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


# Strict JSON.

def members(pairs):
    check(len(pairs) <= NAMES, "contract", "too many names in an object")
    check(len(dict(pairs)) == len(pairs), "contract", "a name stands twice in an object")
    return dict(pairs)


def no_number(text):
    raise Refused(f"contract: {text} is no JSON number")


def strict(value):
    if isinstance(value, str):
        check(len(value) <= CHARACTERS, "contract", "a string too long")
        value.encode()  # a lone surrogate has no UTF-8
    elif isinstance(value, (int, float)):
        check(abs(float(value)) != float("inf"), "contract", "a number out of range")
    for inner in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
        strict(inner)


def parse(data, where):
    try:
        text, depth = data.decode(), 0
        for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
            depth += 1 if bracket in "[{" else -1
            check(depth <= DEPTH, "limits", f"{where} nests too deep")
        value = json.loads(text, object_pairs_hook=members, parse_constant=no_number)
        strict(value)
        check(isinstance(value, dict), "contract", f"{where} is no object")
        return value
    except (ValueError, OverflowError) as error:
        raise Refused(f"contract: {where} is not strict JSON in UTF-8: {error}") from error


# The container.

def unpack(data):
    check(len(data) <= PACKED, "limits", "too large")
    at = 12 + int.from_bytes(data[10:12], "little") if data[3:4] and data[3] & 4 else 10
    for flag in (8, 16):  # a name, a comment
        if data[3:4] and data[3] & flag:
            end = data.find(b"\0", at)
            check(at <= end <= at + 65535, "integrity", "gzip: a name or comment too long")
            at = end + 1
    gzip = zlib.decompressobj(wbits=31)
    try:
        tar = gzip.decompress(data, UNPACKED + 1)
    except zlib.error as error:
        raise Refused(f"integrity: gzip: {error}") from error
    check(len(tar) <= UNPACKED, "limits", "too large unpacked")
    check(gzip.eof, "integrity", "the gzip member is cut short")
    check(not gzip.unused_data, "integrity", "data after the gzip member")
    return tar


def files(tar):
    """Each plain member's name and bytes; nothing but zeros may follow the last."""
    at = 0
    while len(tar) - at >= 512 and any(tar[at:at + 512]):
        head = tar[at:at + 512]
        blank = head[:148] + b" " * 8 + head[156:]
        check(int(head[148:156].strip(b" \0") or b"0", 8) == sum(blank), "integrity", "a header's checksum")
        check(head[156] in b"0\0" and not any(head[157:257]) and not any(head[345:]), "integrity", "no plain file")
        check(re.fullmatch(rb"[0-7]{11}[\0 ]", head[124:136]), "integrity", "a size field")
        name, size = head[:100].split(b"\0")[0].decode(errors="replace"), int(head[124:135], 8)
        check(not name.startswith("/") and ".." not in name.split("/"), "security", "a name that leads out")
        check(at + 512 + size <= len(tar), "integrity", "a file is cut short")
        yield name, tar[at + 512:at + 512 + size]
        at += 512 + -(-size // 512) * 512
    check(not any(tar[at:]), "integrity", "data after the archive")
    check(len(tar) - at >= 1024 and len(tar) % 512 == 0, "integrity", "the archive has no end")


# The bundle.

def check_event(event, seq, run_id, source):
    for name in TEXTS:
        check(isinstance(event.get(name), str), "contract", f"{name} is missing or no string")
    check(isinstance(event.get("subject", None), (str, type(None))), "contract", "subject is no string")
    check("data" in event, "contract", "data is missing")
    for name in ("assaypii", "assaysecrets"):
        check(isinstance(event.get(name), bool), "contract", f"{name} is missing or no flag")
    check(event["specversion"] == "1.0", "contract", "specversion")
    time = TIME.fullmatch(event["time"])
    check(time and is_moment(*map(int, time.group(1, 2, 3, 4, 5, 6))), "contract", "time")
    check(":" in event["source"][1:] and event["source"][0] != ":", "contract", "source is no URI")
    check(event["source"] == source, "contract", "another source")
    check(type(event.get("assayseq")) is int and event["assayseq"] == seq, "contract", "assayseq is out of step")
    check(event["assayrunid"] == run_id and ":" not in run_id, "contract", "assayrunid")
    check(event["id"] == f"{run_id}:{seq}", "contract", "id")
    bound = {name: event[name] for name in ("specversion", "type", "datacontenttype", "data")}
    if event.get("subject") is not None:
        bound["subject"] = event["subject"]
    check(event["assaycontenthash"] == sha256(canonical(bound).encode()), "integrity", "content hash")


def is_moment(year, month, day, hour, minute, second):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1] and hour < 24 and minute < 60 and second <= 60


def typed(value, names):
    for name, kind in names.items():
        check(type(value.get(name)) is kind, "contract", f"{name} is missing or of the wrong type")


def check_bundle(data):
    found = list(files(unpack(data)))
    check([name for name, _ in found] == ["manifest.json", "events.ndjson"], "contract", "not the two files in order")
    (_, manifest), (_, events) = found
    manifest = parse(manifest, "the manifest")
    typed(manifest, MANIFEST)
    typed(manifest["producer"], {"name": str, "version": str})
    typed(manifest["algorithms"], {"canon": str, "hash": str, "root": str})
    typed(manifest["files"], {"events.ndjson": dict})
    entry = manifest["files"]["events.ndjson"]
    typed(entry, {"path": str, "sha256": str, "bytes": int})
    check(manifest["schema_version"] == 1, "contract", "schema_version")
    check(entry["bytes"] == len(events), "integrity", "the size of the events")
    lines = events.removesuffix(b"\n").split(b"\n") if events else []
    check(len(lines) <= EVENTS, "limits", "too many events")
    roots, source = "", None
    for seq, line in enumerate(lines):
        check(len(line) <= LINE, "limits", "a line too long")
        event = parse(line.removesuffix(b"\r"), f"line {seq + 1}")
        source = event.get("source") if seq == 0 else source
        check_event(event, seq, manifest["run_id"], source)
        roots += event["assaycontenthash"] + "\n"
    check(entry["sha256"].removeprefix("sha256:") == sha256(events)[7:], "integrity", "the hash of the events")
    check(lines and len(lines) == manifest["event_count"], "contract", "the count of the events")
    check(manifest["run_root"] == sha256(roots.encode()), "integrity", "run root")
    check(manifest["bundle_id"] == manifest["run_root"], "contract", "bundle id")
    return f"ok: {len(lines)} events, run root {manifest['run_root']}"


def main(paths):
    refused = False
    for path in paths:
        try:
            with open(path, "rb") as file:
                print(check_bundle(file.read()))
        except Refused as reason:
            refused = True
            print(reason)
    return 2 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
