"""What exports for readers cost: prints time, memory and sizes for an archive of 10,000 posts.

python -m tests.benchmarks.exports site [POSTS]
"""

from __future__ import annotations

import itertools
import random
import resource
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from blogcrawler.backend import Archive
from blogcrawler.browser.choices import browsers
from blogcrawler.export import FORMATS, Selection
from blogcrawler.items import Comment
from tests.export.archives import ANN, NOW, a_record, address

if TYPE_CHECKING:
    from collections.abc import Iterator

POSTS, WORDS, VOCABULARY = 10_000, 400, 40_000
FIRST = datetime(2004, 1, 1, 12)  # noqa: DTZ001


def texts() -> Iterator[str]:
    """Words as often as they are in natural texts: the second is half as frequent as the first, and so on."""
    chance = random.Random(1)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(chance.choices(letters, range(26, 0, -1), k=chance.randint(2, 11))) for _ in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    while True:
        yield " ".join(chance.choices(words, cum_weights=weights, k=WORDS))


def fill(archive: Archive, posts: int) -> None:
    """Posts of some paragraphs, with a comment on each."""
    said = texts()
    with archive.transaction():
        for number in range(posts):
            text = next(said)
            paragraphs = "".join(f"<p>{text[start : start + 600]}</p>" for start in range(0, len(text), 600))
            published = (FIRST + timedelta(hours=18 * number)).isoformat()
            comment = Comment(f"c{number}", None, "comment", "Cy", None, published, None, None, next(said)[:300])
            post = a_record(
                f"{number}", title=text[:40], content_text=text, content_html=paragraphs, comments=[comment],
                published=published, tags=text.split()[:3], media=[],
            )  # fmt: skip
            archive.save_record(post, now=NOW)


def searched(site: Path, question: str) -> tuple[float, int]:
    """Seconds that a search takes in a browser, and the bytes that it loads."""
    loaded: list[str] = []
    program = next(filter(None, browsers("")), None)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        page = browser.new_page()
        page.on("request", lambda request: loaded.append(request.url.partition("?")[0]))
        begin = time.monotonic()
        page.goto(f"{(site / 'search.html').as_uri()}?q={question}")
        page.locator("#results li").first.wait_for()
        seconds = time.monotonic() - begin
    return seconds, sum((site / url.removeprefix(f"{site.as_uri()}/")).stat().st_size for url in loaded)


def main(name: str, posts: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "export")
        with Archive.open(address(Path(folder))) as archive:
            fill(archive, posts)
            FORMATS[name].export(Selection.of(archive, since=NOW + timedelta(days=1)), str(Path(folder, "nothing")))
            begin, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            FORMATS[name].export(Selection.of(archive, [ANN]), str(target))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{posts} posts: {time.process_time() - begin:.0f} s of processor, {(peak - before) / 1024:.0f} MB more")
        files = [file for file in [target, *target.rglob("*")] if file.is_file()]
        print(f"{len(files)} files, {sum(file.stat().st_size for file in files) / 1e6:.1f} MB")
        if (target / "search").is_dir():
            index = [file.stat().st_size for file in (target / "search").iterdir()]
            print(f"search: {len(index)} files, {sum(index) / 1e6:.1f} MB, the largest {max(index) / 1e3:.0f} kB")
            for rank in (1, 3, 100):
                word = next(texts()).split()[rank]
                seconds, size = searched(target, word)
                print(f"a search for {word!r} takes {seconds:.1f} s and loads {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else POSTS)
