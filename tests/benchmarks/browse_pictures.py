"""Pictures of the pages of `blogcrawler browse` for the documentation, of the demonstration blog.

Usage: python -m tests.benchmarks.browse_pictures FOLDER
Writes FOLDER/browse-*.png; needs a Chromium. The blog is crawled anew, and one of its posts is changed, so that there is
something to compare.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import sync_playwright

from blogcrawler.backend import Archive
from blogcrawler.browser.choices import browsers
from tests.benchmarks.browse import serving

CHANGED = "five-winters"
"""A word of the address of the post that is changed."""
EDITS = {"and a pot of glue that should have been closed": "and two pots of glue", "The paragraph on": "What we say of"}
SIZE = (900, 640)


def crawl(folder: Path) -> None:
    """Archive the demonstration blog."""
    command = [sys.executable, "-m", "blogcrawler", "demo", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def change(folder: Path) -> int:
    """Have a post say something else; its number."""
    with Archive.open(f"sqlite:///{folder / 'archive' / 'archive.db'}", make=False) as archive:
        home = archive.blogs()[0].home
        record = next(record for record in archive.records(home) if CHANGED in record.url)
        record.title = "Six winters in"
        assert record.content_text is not None
        for old, new in EDITS.items():
            record.content_text = record.content_text.replace(old, new)
        record.comments = record.comments[:-1]
        archive.save_record(record, now=datetime.now(UTC))
        number = archive.post_id(home, record.url)
        assert number is not None
        return number


def take(folder: Path, target: Path, number: int) -> None:
    """Take the pictures."""
    pages = {
        "blog": ("blogs/1", "light"),
        "post": (f"posts/{number}", "light"),
        "origin": (f"posts/{number}#origin", "light"),
        "search": ("search?q=paste", "dark"),
        "diff": (f"posts/{number}/diff", "light"),
        "page": (f"posts/{number}/page", "light"),
        "rules": ("blogs/1/rules#posts", "light"),
        "choice": (f"posts/{number}/correct/title", "light"),
    }
    program = next(filter(None, browsers("")), None)
    with serving(folder / "archive") as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        for name, (path, scheme) in pages.items():
            page = browser.new_page(
                viewport={"width": SIZE[0], "height": SIZE[1]},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page.goto(site.url + path)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=target / f"browse-{name}.png")
        browser.close()


def main() -> None:
    """Crawl, change, take."""
    target = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "demo"
        crawl(folder)
        take(folder, target, change(folder))


if __name__ == "__main__":
    main()
