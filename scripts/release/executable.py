"""What the program needs of the system it runs on, read from the ELF file itself."""

import dataclasses
import re
import struct

# The machine's number in ELF, and its names in Rust's targets, in wheels, in Debian, in npm and in container images.
MACHINES = {
    62: ("x86_64", "x86_64", "amd64", "x64", "amd64"),
    183: ("aarch64", "aarch64", "arm64", "arm64", "arm64"),
}
PT_INTERP = 3


@dataclasses.dataclass(frozen=True)
class Executable:
    rust: str
    wheel: str
    debian: str
    npm: str
    oci: str
    # The oldest glibc 2.x that has every symbol the program asks for; None if it is static.
    glibc: int | None

    @classmethod
    def read(cls, path):
        data = path.read_bytes()
        if data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"release: {path} is not a 64-bit little-endian ELF program; packages are made for Linux only")
        (machine,) = struct.unpack_from("<H", data, 18)
        if machine not in MACHINES:
            raise SystemExit(
                f"release: {path} is for ELF machine {machine}; packages are made for {', '.join(names[0] for names in MACHINES.values())}"
            )
        glibc = None
        if PT_INTERP in segments(data):
            needed = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", data)]
            if not needed:
                raise SystemExit(f"release: {path} is linked dynamically, but not to glibc; build it for a musl target to have it static")
            glibc = max(needed)
        return cls(*MACHINES[machine], glibc)


def segments(data):
    """The types of the program headers."""
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return {struct.unpack_from("<I", data, offset + number * size)[0] for number in range(count)}
