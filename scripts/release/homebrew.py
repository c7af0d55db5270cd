"""The Homebrew formula: fetches the tarball from the repository's release and knows its SHA-256."""

import hashlib

import tarball
from project import NAME, PROGRAM

# Homebrew's words for an architecture.
ARCHITECTURES = {"x86_64": ":x86_64", "aarch64": ":arm64"}

FORMULA = """\
class BatonHub < Formula
  desc "{summary}"
  homepage "{repository}"
  url "{repository}/releases/download/v{version}/{file}"
  sha256 "{sha256}"
  license "{license}"

  depends_on arch: {architecture}
  depends_on :linux

  def install
    bin.install "bin/{program}"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/{program}"
    zsh_completion.install "share/zsh/site-functions/_{program}"
    fish_completion.install "share/fish/vendor_completions.d/{program}.fish"
  end

  service do
    run [opt_bin/"{program}", "hub", "start"]
    keep_alive true
  end

  test do
    assert_equal "{program} {version}", shell_output("#{{bin}}/{program} --version").strip
  end
end
"""


def capitalised(text):
    return text[0].upper() + text[1:]


def make(release):
    project = release.project
    packed = release.out / tarball.file_name(release)
    formula = FORMULA.format(
        summary=capitalised(project.synopsis()), repository=project.repository, version=project.version, file=packed.name,
        sha256=hashlib.sha256(packed.read_bytes()).hexdigest(), license=project.license,
        architecture=ARCHITECTURES[release.executable.rust], program=PROGRAM,
    )  # fmt: skip
    path = release.out / f"{NAME}.rb"
    path.write_text(formula)
    return path
