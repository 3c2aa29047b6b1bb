"""Redirects that go in a circle, and those that end."""

from __future__ import annotations

import pytest
from scrapy import Request

from blogcrawler.downloader import RedirectRefused
from blogcrawler.downloader.redirects import RedirectMiddleware

E = "http://example.org"


def follow(chain: list[str], *, has_cookies: bool = False) -> None:
    *before, url = chain
    meta = {"check_redirect": lambda _: None, "redirect_times": len(before), "redirect_urls": before}
    RedirectMiddleware(has_cookies=has_cookies).process_request(Request(url, meta=meta))


@pytest.mark.parametrize("chain", [[f"{E}/a", f"{E}/b", f"{E}/a"], [f"{E}/a", f"{E}/a"]])
def test_in_a_circle(chain: list[str]) -> None:
    with pytest.raises(RedirectRefused, match="circle"):
        follow(chain)


def test_with_cookies_a_page_may_be_asked_for_once_more() -> None:
    follow([f"{E}/a", f"{E}/consent", f"{E}/a"], has_cookies=True)
    with pytest.raises(RedirectRefused, match="circle"):
        follow([f"{E}/a", f"{E}/consent", f"{E}/a", f"{E}/consent", f"{E}/a"], has_cookies=True)


@pytest.mark.parametrize(
    "chain",
    [
        [f"{E}/p/1", f"{E}/2020/01/a/"],
        [f"{E}/node/12", f"{E}/node/34", f"{E}/node/56"],
        [f"{E}/a", "https://example.org/a", "https://www.example.org/a", "https://www.example.org/a/"],
        [f"{E}/My_Post.html", f"{E}/My-Post.html", f"{E}/my-post.html", f"{E}/my-post"],
    ],
)
def test_that_end(chain: list[str]) -> None:
    follow(chain)
