#!/usr/bin/env python3
"""Builds docs/ as a static site with mdBook, into target/docs/site, and checks every link of it.

The book's pages are docs/ and the pages at the root that docs/SUMMARY.md lists. They are copied to target/docs/src, because mdBook
wants them under one folder; links are rewritten to where their pages are there, and links to files that are no page become plain text.

    scripts/docs.py MDBOOK
"""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "target/docs"
SRC, SITE = OUT / "src", OUT / "site"
# Where a page that is not under docs/ is in the book.
ELSEWHERE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "clients/python/README.md": "clients/python.md",
    "clients/typescript/README.md": "clients/typescript.md",
}
BOOK = """[book]
title = "Baton"
description = "A hub through which AI agents send each other tasks"
language = "en"
src = "src"

[build]
build-dir = "site"
create-missing = false
use-default-preprocessors = false

[output.html]
default-theme = "light"
preferred-dark-theme = "navy"
no-section-label = true

[output.html.search]
limit-results = 20
"""
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def place(path: str) -> str | None:
    """Where a file of the repository is in the book."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return ELSEWHERE.get(path)


def rewritten(text: str, page: str) -> str:
    """The text of a page with its links as they are in the book."""

    def link(match: re.Match[str]) -> str:
        mark, words, target = match.groups()
        if urlsplit(target).scheme or target.startswith("#"):
            return match.group(0)
        file, _, anchor = target.partition("#")
        of = os.path.normpath(os.path.join(os.path.dirname(page), file))
        there = place(of)
        if there is None:
            return words
        here = os.path.dirname(place(page) or "")
        return f"{mark}[{words}]({os.path.relpath(there, here or '.')}{'#' + anchor if anchor else ''})"

    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if n % 2 else LINK.sub(link, part) for n, part in enumerate(parts))


def stage() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SRC)
    (OUT / "book.toml").write_text(BOOK)
    pages = [str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")]
    for page in pages + [name for name in ELSEWHERE if name != "README.md"]:
        target = SRC / (place(page) or "")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rewritten((ROOT / page).read_text(), page))


class Page(HTMLParser):
    """The links and ids of a page of the site."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)


def dead_links() -> list[str]:
    pages = {path: Page(path) for path in SITE.rglob("*.html") if path.name not in ("404.html", "toc.html", "print.html")}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if target.is_dir():
                target /= "index.html"
            known = pages.get(target)
            if not target.exists() or (url.fragment and known and unquote(url.fragment) not in known.ids):
                dead.append(f"{path.relative_to(SITE)}: {link}")
    if len(pages) < 30:
        dead.append(f"only {len(pages)} pages were built")
    return dead


def main() -> None:
    stage()
    subprocess.run([sys.argv[1], "build", OUT], check=True)
    dead = dead_links()
    if dead:
        sys.exit("dead links:\n" + "\n".join(dead))
    print(f"open {SITE / 'index.html'}")


main()
