#!/usr/bin/env python3
"""Checks an evidence export, written from docs/evidence-format.md alone. Standard library only.

    evidence_verifier.py BUNDLE [--proof SIDEFILE] [--key VKEY] [--raw-packet-digests]
    evidence_verifier.py --consistency FROM_NOTE TO_NOTE PROOF.json --key VKEY

One line of JSON on stdout; exit 0 if the bytes agree, 2 if not. What was left unchecked is listed on stderr: the adapter is not
run again. That bytes agree does not say that what an event states is so; a handoff is at most visible.
"""
import argparse, base64, hashlib, json, os, re, sys, unicodedata, zlib
from datetime import date
from decimal import Decimal

MIB = 1 << 20

class Refusal(Exception):
    pass                                                # what, event

def need(condition, what, event=None):
    if not condition:
        raise Refusal(what, event)

def sha256(data):
    return hashlib.sha256(data).digest()

def unbase64(text, what, event=None):
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise Refusal(what, event)
    need(base64.b64encode(raw).decode() == text, what, event)           # padded, no spare bits
    return raw

# JSON in, canonical JSON (RFC 8785) out

def parse_json(raw, what, event=None, too_deep=None, cut=None):
    """One JSON text; no repeated names, no lone surrogates, no number beyond a double, at most 64 deep."""
    def unique(pairs):
        need(len(dict(pairs)) == len(pairs) <= 10_000, what, event)
        return dict(pairs)
    def integer(text):                                  # "-0" and very long ones are doubles, like 1.0 and 1e0
        return float(text) if text == "-0" or len(text) > 20 else int(text)
    def constant(text):
        raise ValueError(text)                          # NaN, Infinity
    def walk(value, depth):
        if isinstance(value, float):
            need(abs(value) != float("inf"), what, event)
        elif isinstance(value, str):
            need(len(value) <= MIB, what, event)
            value.encode()                              # a ValueError if there is a lone surrogate
        elif isinstance(value, (dict, list)):
            need(depth < 64, too_deep or what, event)
            for inner in value if isinstance(value, list) else [*value, *value.values()]:
                walk(inner, depth + 1)
    try:
        text = raw.decode()
        value = json.loads(text, object_pairs_hook=unique, parse_int=integer, parse_constant=constant)
        walk(value, 0)
        return value
    except RecursionError:
        raise Refusal(too_deep or what, event)
    except json.JSONDecodeError as e:
        ended = e.pos >= len(text.rstrip()) or e.msg.startswith("Unterminated string")
        raise Refusal(cut if cut and ended else what, event)
    except ValueError as e:
        raise Refusal(cut if cut and getattr(e, "reason", "") == "unexpected end of data" else what, event)

def number(value):
    """A double as ECMAScript's Number::toString prints it; repr has the same shortest digits."""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    n, d = len(digits) + exponent, "".join(map(str, digits)).rstrip("0")            # 0.d * 10**n
    if len(d) <= n <= 21:
        text = d + "0" * (n - len(d))
    elif 0 < n <= 21:
        text = d[:n] + "." + d[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + d
    else:
        text = d[0] + ("." + d[1:] if d[1:] else "") + f"e{n - 1:+d}"
    return "-" * sign + text

def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)        # of a string it escapes just what RFC 8785 does

# Ed25519 (RFC 8032, 5.1), points in extended coordinates

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def add(a, b):
    s, t = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    u, v = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = (t - s) % P, (v - u) % P, (v + u) % P, (t + s) % P
    return e * f % P, g * h % P, f * g % P, e * h % P

def times(k, point):
    total = (0, 1, 1, 0)
    while k:
        total, point, k = add(total, point) if k & 1 else total, add(point, point), k >> 1
    return total

def decode_point(raw):
    """The point, or None."""
    odd, y = divmod(int.from_bytes(raw, "little"), 1 << 255)
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if (x * x - x2) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - x2) % P or (x == 0 and odd):
        return None
    x = x if x & 1 == odd else P - x
    return x, y, 1, x * y % P

BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def ed25519_fits(public, message, signature):
    if len(signature) != 64:
        return False
    a, r, s = decode_point(public), decode_point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = times(s, BASE), add(r, times(k, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))

# Keys, notes, checkpoints

def is_name(text, without="+", categories=("Cc", "Cs")):
    return text != "" and not any(c in without or c.isspace() or unicodedata.category(c) in categories for c in text)

def read_key(text):
    """(name, key hash, public key)"""
    parts = text.split("+", 2)                          # base64 may have "+" itself
    need(len(text.encode()) <= 1024 and len(parts) == 3 and is_name(parts[0]), "note/key")
    typed = unbase64(parts[2], "note/key")
    key_hash = sha256(parts[0].encode() + b"\n" + typed)[:4]
    need(len(typed) == 33 and typed[0] == 1 and parts[1].lower() == key_hash.hex(), "note/key")
    point = decode_point(typed[1:])
    need(point and times(8, point)[0] % P != 0, "note/key")     # of small order: anybody can sign for it
    return parts[0], key_hash, typed[1:]

def open_note(note, keys):
    """(network, size, root) of a checkpoint that each of the keys signed"""
    need(len(note.encode()) <= 65536, "side_file/too_long")
    need(not any(c < " " and c != "\n" for c in note), "note/form")
    shape = re.fullmatch("(([^\n]*)\n(0|[1-9][0-9]{0,19})\n([^\n]+)\n(?:[^\n]+\n)*)\n((?:\u2014 [^ \n]+ [^ \n]+\n)*)", note)
    need(shape and int(shape[3]) < 1 << 64, "note/form")
    text, origin, size, root, lines = shape.groups()
    root = unbase64(root, "note/form")
    need(len(root) == 32, "note/form")
    signatures = [(line.split(" ")[1], unbase64(line.split(" ")[2], "note/form")) for line in lines.split("\n")[:-1]]
    need(all(is_name(name, categories=()) and len(raw) > 4 for name, raw in signatures), "note/form")
    need(len(signatures) <= 100, "note/form")
    need(signatures, "note/signature")
    for name, key_hash, public in keys:
        own = [raw[4:] for signer, raw in signatures if signer == name and raw[:4] == key_hash]
        need(own, "note/key")
        need(all(ed25519_fits(public, text.encode(), signature) for signature in own), "note/signature")
    need(origin.startswith("baton/") and is_name(origin[6:], "+:"), "note/origin")
    return origin[6:], int(size), root

# The tree (RFC 6962) and its proofs (RFC 9162)

def node(left, right):
    return sha256(b"\1" + left + right)

def included(leaf_hash, index, size, proof, root):
    fn, sn, r = index, size - 1, leaf_hash
    for p in proof:
        if sn <= 0:
            return False
        if fn & 1 or fn == sn:
            r = node(p, r)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = node(r, p)
        fn, sn = fn >> 1, sn >> 1
    return index < size and sn == 0 and r == root

def consistent(m, root_m, n, root_n, proof):
    if m > n or (n == 0 and root_n != sha256(b"")):     # with 0 and 0 the page's rule leaves root_n open
        return False
    if m == 0 or m == n:
        return proof == [] and root_m == (sha256(b"") if m == 0 else root_n)
    if m & (m - 1) == 0:
        proof = [root_m] + proof
    if not proof:
        return False
    fn, sn = m - 1, n - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = proof[0]
    for p in proof[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = node(p, fr), node(p, sr)
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node(sr, p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == root_m and sr == root_n

# The bundle

def unpack(path):
    """{name: bytes} of manifest.json and events.ndjson"""
    need(os.path.getsize(path) <= 100 * MIB, "limits/packed_bytes")
    gzip, files, at, end = zlib.decompressobj(wbits=31), {}, 0, bytes(512)
    with open(path, "rb") as file:
        packed = file.read()
    start = 10 + (2 + int.from_bytes(packed[10:12], "little") if packed[3:4] and packed[3] & 4 else 0)
    for flag in (8, 16):                                # a name, a comment: each ends with NUL
        if packed[3:4] and packed[3] & flag:
            need(0 <= (stop := packed.find(b"\0", start)) <= start + 65535, "integrity/gzip")
            start = stop + 1
    try:
        tar = gzip.decompress(packed, 1024 * MIB + 1)
    except zlib.error:
        raise Refusal("integrity/gzip", None)
    need(len(tar) <= 1024 * MIB, "limits/unpacked_bytes")
    need(gzip.eof and not gzip.unused_data, "integrity/gzip")
    while (head := tar[at:at + 512]) != end:
        need(len(head) == 512 and head[156] in b"0\0", "integrity/tar")                 # whole, a plain file
        checksum = re.fullmatch(rb" *([0-7]+)[ \0]*", head[148:156])
        need(checksum and re.fullmatch(rb"[0-7]{11}[ \0]", head[124:136]), "integrity/tar")
        need(int(checksum[1], 8) == sum(head[:148]) + 8 * ord(" ") + sum(head[156:]), "integrity/tar")
        need(not any(head[157:257]) and not any(head[345:]), "integrity/tar")           # no link, no prefix
        size, name = int(head[124:135], 8), head[:100].split(b"\0")[0].decode("latin-1")
        need(not name.endswith("/"), "integrity/tar")
        need(size <= (10 if name == "manifest.json" else 500) * MIB, "limits/file_bytes")
        need(not name.startswith("/") and ".." not in re.split(r"[/\\]", name), "security/path")
        need(name in ("manifest.json", "events.ndjson"), "contract/unexpected_file")
        need(name not in files, "contract/repeated_file")
        need(name == "manifest.json" or files, "contract/file_order")
        at += 512 + size + -size % 512
        body = tar[at - size - -size % 512:at]
        need(len(body) == size + -size % 512, "integrity/tar")          # what fills the last block may be anything
        files[name] = body[:size]
    need(len(tar) >= at + 1024 and len(tar) % 512 == 0 and not tar[at:].strip(b"\0"), "integrity/tar")
    need(len(files) == 2, "contract/missing_file")
    return files

def has(value, shape):
    """Whether a value is of a shape: a type, a value that must stand there, or names and their shapes (others may be there)."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(name in value and has(value[name], shape[name]) for name in shape)
    return type(value) is shape if isinstance(shape, type) else type(value) is type(shape) and value == shape

MANIFEST = {"bundle_id": str, "producer": {"name": str, "version": str}, "run_id": str, "event_count": int, "run_root": str,
            "algorithms": {"canon": str, "hash": str, "root": str},
            "files": {"events.ndjson": {"path": str, "sha256": str, "bytes": int}}}
EVENT = {"type": str, "source": str, "id": str, "time": str, "datacontenttype": str, "assayrunid": str, "assayseq": int,
         "assayproducer": str, "assayproducerversion": str, "assaygit": str, "assaypii": bool, "assaysecrets": bool,
         "assaycontenthash": str}
TIME = (r"(\d{4}|[+-]\d{4,6})(-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?"
        r"([Zz]|[+\-\u2212]([01]\d|2[0-3]):[0-5]\d)")

def is_time(text):
    match = re.fullmatch(TIME, text, re.ASCII)
    try:                                                # the calendar repeats every 400 years
        return match is not None and bool(date.fromisoformat(f"{int(match[1]) % 400 + 2000:04}{match[2]}"))
    except ValueError:
        return False

def content_hash(event):
    names = ["data", "datacontenttype", "specversion", "type"] + ["subject"] * (event.get("subject") is not None)
    return "sha256:" + sha256(canonical({name: event[name] for name in names}).encode()).hex()

def check_bundle(path):
    """The bundle by itself: its events."""
    files = unpack(path)
    manifest = parse_json(files["manifest.json"], "contract/invalid_json", too_deep="limits/json_depth")
    need(has(manifest, {"schema_version": int}), "contract/invalid_json")
    need(manifest["schema_version"] == 1, "contract/schema_version")
    need(has(manifest, MANIFEST), "contract/invalid_json")
    need(manifest["bundle_id"] == manifest["run_root"], "contract/bundle_id")
    listed, run, lines = manifest["files"]["events.ndjson"], manifest["run_id"], files["events.ndjson"]
    need(":" not in run, "contract/invalid_event")
    need(listed["bytes"] == len(lines), "integrity/file_size")
    events, hashes = [], ""
    for i, line in enumerate(lines.removesuffix(b"\n").split(b"\n") if lines else []):
        need(i < 100_000, "limits/events", i)
        need(len(line) <= MIB, "limits/line_bytes", i)
        event = parse_json(line, "contract/invalid_json", i, too_deep="limits/json_depth")
        need(isinstance(event, dict), "contract/invalid_json", i)
        need(event.get("specversion") == "1.0" and event.get("assaycontenthash") is not None, "contract/schema_version", i)
        need(has(event, EVENT) and "data" in event and is_time(event["time"]), "contract/invalid_json", i)
        need(isinstance(event.get("subject"), (str, type(None))), "contract/invalid_json", i)
        need(event["assaycontenthash"] == content_hash(event), "integrity/event_hash", i)
        need(event["assayrunid"] == run, "contract/run_id", i)
        need(event["assayseq"] == i, "contract/sequence", i)
        source = event["source"] if i == 0 else source
        need(event["source"] == source and ":" in source[1:] and source[0] != ":", "contract/invalid_event", i)
        need(event["id"] == f"{run}:{i}", "contract/invalid_event", i)
        hashes += event["assaycontenthash"] + "\n"
        events.append(event)
    need(events, "contract/invalid_event")
    need(listed["sha256"].removeprefix("sha256:") == sha256(lines).hex(), "integrity/file_hash")
    need(manifest["event_count"] == len(events), "contract/sequence")
    need(manifest["run_root"] == "sha256:" + sha256(hashes.encode()).hex(), "integrity/run_root")
    return events

# The side file

def is_object(packet):
    """Whether a packet is a JSON object. The adapter reads it by rules of its own: of repeated names the last counts."""
    try:
        return isinstance(json.loads(packet), dict)
    except RecursionError:
        return True
    except ValueError:
        return False

def check_side_file(path, events, known_key):
    """The events' places in the log: (size, root, packets)"""
    need(os.path.getsize(path) <= 1 << 32, "side_file/too_long")
    with open(path, "rb") as file:
        side = parse_json(file.read(), "side_file/form", cut="side_file/truncated")
    need(has(side, {"checkpoint": str, "key": str, "events": list}), "side_file/form")
    need(list(side) == ["checkpoint", "key", "events"], "side_file/form")
    keys = [read_key(text) for text in (side["key"], known_key) if text is not None]
    network, size, root = open_note(side["checkpoint"], keys)
    before, packets = -1, []
    for i, entry in enumerate(side["events"]):
        need(has(entry, {"index": int, "proof": list, "packet": str}), "side_file/form", i)
        need(list(entry) == ["index", "proof", "packet"] and entry["index"] >= 0, "side_file/form", i)
        *proof, packet = (unbase64(text, "side_file/form", i) for text in (*entry["proof"], entry["packet"]))
        need(len(proof) <= 64 and len(packet) <= MIB, "side_file/too_long", i)
        need(all(len(p) == 32 for p in proof), "side_file/form", i)
        need(i < len(events), "proof/extra", i)
        event, index = events[i], entry["index"]
        need(index > before, "proof/index_order", i)
        leaf = canonical({**event, "assayrunid": network, "assayseq": index, "id": f"{network}:{index}"}).encode()
        need(included(sha256(b"\0" + leaf), index, size, proof, root), "proof/inclusion", i)
        need(is_object(packet), "rerun/packet", i)
        packets.append(packet)
        before = index
    need(len(packets) == len(events), "proof/missing", len(packets))
    return size, root, packets

# The command

def check_export(args):
    events, path = check_bundle(args.bundle), args.proof or args.bundle + ".proof.json"
    answer = {"ok": True, "events": len(events), "hub": None, "reported": None, "size": None, "root": None}
    if not args.proof and not os.path.exists(path):
        need(args.key is None and not args.raw_packet_digests, "side_file/absent")
        print("no side file: the bundle agrees with itself, nothing more; origins are bound by nothing", file=sys.stderr)
        return answer
    size, root, packets = check_side_file(path, events, args.key)
    origins = [event.get("batonorigin") for event in events]
    answer |= {name: origins.count(name) for name in ("hub", "reported")}
    answer |= {"size": size, "root": base64.b64encode(root).decode()}
    if args.raw_packet_digests:                         # of the side file's bytes: nothing in the log binds them
        answer["packets"] = ["sha256:" + sha256(packet).hex() for packet in packets]
    print("the adapter was not run again: whether a packet makes its event is left unchecked", file=sys.stderr)
    if args.key is None:
        print("no --key: the signature only shows consistency with the key that came along", file=sys.stderr)
    return answer

def check_consistency(args):
    need(args.key is not None, "note/key")
    raw = []
    for path in args.consistency:
        with open(path, "rb") as file:
            raw.append(file.read(MIB))
    try:
        old, new = (open_note(note.decode(), [read_key(args.key)]) for note in raw[:2])
    except UnicodeDecodeError:
        raise Refusal("note/form", None)
    need(old[0] == new[0], "note/origin")
    proof = parse_json(raw[2], "proof/form")
    need(has(proof, {"from": int, "to": int, "hashes": list}), "proof/form")
    hashes = [unbase64(text, "proof/form") for text in proof["hashes"]]
    need(all(len(h) == 32 for h in hashes), "proof/form")
    need((proof["from"], proof["to"]) == (old[1], new[1]) and consistent(*old[1:], *new[1:], hashes), "proof/consistency")
    return {"ok": True, "from": old[1], "to": new[1], "root": base64.b64encode(new[2]).decode()}

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", nargs="?")
    parser.add_argument("--proof", metavar="SIDEFILE")
    parser.add_argument("--key", metavar="VKEY")
    parser.add_argument("--raw-packet-digests", action="store_true", help="add the SHA-256 of each raw packet to the answer")
    parser.add_argument("--consistency", nargs=3, metavar=("FROM_NOTE", "TO_NOTE", "PROOF"))
    args = parser.parse_args()
    if (args.bundle is None) == (args.consistency is None):
        parser.error("either a BUNDLE or --consistency")
    try:
        answer = check_consistency(args) if args.consistency else check_export(args)
    except Refusal as refusal:
        answer = dict(zip(("ok", "what", "event"), (False, *refusal.args)))
    except OSError:
        answer = {"ok": False, "what": "file/unreadable", "event": None}
    print(json.dumps(answer, separators=(",", ":")))
    return 0 if answer["ok"] else 2

if __name__ == "__main__":
    sys.exit(main())
