"""The example of the documentation runs, on the blog that comes with the package."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from blogcrawler.demo import build, truth
from blogcrawler.feeds import parse_feed

DOCS = Path(__file__).parents[1] / "docs"


def test_the_library_example_reads_a_post_that_the_feed_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", (DOCS / "library.md").read_text("utf-8"), re.DOTALL)
    assert code is not None
    site = build()
    entries = parse_feed(site["/feed.xml"][1], "http://localhost/feed.xml").entries
    pairs = [(site[urlsplit(entry.url).path][1], entry) for entry in entries]
    oldest = truth()[-1]
    exec(code[1], {"pairs": pairs, "another_page": site[oldest["path"]][1]})
    printed = capsys.readouterr().out
    assert oldest["title"] in printed
    assert oldest["author"] in printed
    assert oldest["published"][:10] in printed
