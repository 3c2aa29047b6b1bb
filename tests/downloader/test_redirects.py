"""Redirects that go on for ever, and those that end."""

from __future__ import annotations

import pytest
from scrapy import Request

from blogcrawler.downloader import RedirectMiddleware, RedirectRefused

E = "http://example.org"


def follow(chain: list[str]) -> None:
    *before, url = chain
    meta = {"check_redirect": lambda _: None, "redirect_times": len(before), "redirect_urls": before}
    RedirectMiddleware().process_request(Request(url, meta=meta))


@pytest.mark.parametrize(
    "chain",
    [
        [f"{E}/a", f"{E}/b", f"{E}/a"],
        [f"{E}/a", f"{E}/a"],
        [f"{E}/r/1", f"{E}/r/2", f"{E}/r/3"],
        [f"{E}/out?step=9", f"{E}/out?step=10", f"{E}/out?step=11"],
        [f"{E}/go/aa", f"{E}/go/bb", f"{E}/go/cc", f"{E}/go/dd"],
    ],
)
def test_without_end(chain: list[str]) -> None:
    with pytest.raises(RedirectRefused, match="without end"):
        follow(chain)


@pytest.mark.parametrize(
    "chain",
    [
        [f"{E}/p/1", f"{E}/2020/01/a/"],
        [f"{E}/?p=1", f"{E}/?p=2", f"{E}/a/"],
        [f"{E}/a", "https://example.org/a", "https://www.example.org/a", "https://www.example.org/a/"],
        [f"{E}/go/aa", f"{E}/go/bb", f"{E}/go/cc"],
    ],
)
def test_that_end(chain: list[str]) -> None:
    follow(chain)
