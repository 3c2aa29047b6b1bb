"""The further pages of a post's comments."""

from __future__ import annotations

import pytest

from blogcrawler.dom import comment_pages, parse

POST = "http://blog.test/2014/a-post/"


def linked(*targets: str, url: str = POST, rest: str = "") -> list[str]:
    links = "".join(f"<a href='{target}'>x</a>" for target in targets)
    return comment_pages(parse(f"<body>{links}{rest}</body>"), url)


@pytest.mark.parametrize(
    ("targets", "pages"),
    [
        ([f"{POST}comment-page-1/#comments"], ["comment-page-1/"]),
        ([f"{POST}comment-page-2/#comments"], ["comment-page-2/"]),
        (["comment-page-1/#comments", "comment-page-3/#comments"],
         ["comment-page-1/", "comment-page-2/", "comment-page-3/"]),
        (["?cp=2"], ["?cp=2"]),
        (["?cp=2#comments", "?cp=3#comments"], ["?cp=2", "?cp=3"]),
        (["?page=2#comments"], ["?page=2"]),
    ],
)  # fmt: skip
def test_links_that_extend_the_post_s_address_by_a_number(targets: list[str], pages: list[str]) -> None:
    assert linked(*targets) == [POST + page for page in pages]


@pytest.mark.parametrize(
    "target",
    [
        f"{POST}2/", f"{POST}?page=2", f"{POST}?replytocom=12#respond", "/page/2/", "http://other.test/comment-page-2/",
        f"{POST}comment-page-x/", f"{POST}feed/", "javascript:void(0)", f"{POST}comment-page-99999999/",
        "/2014/another/comment-page-2/",
    ],
)  # fmt: skip
def test_other_links_lead_to_no_comments(target: str) -> None:
    assert linked(target) == []


def test_a_further_page_leads_to_the_others() -> None:
    found = linked("../comment-page-1/#comments", "../comment-page-3/#comments", url=f"{POST}comment-page-2/")
    assert found == [POST, f"{POST}comment-page-1/", f"{POST}comment-page-3/"]


def test_permalinks_of_comments_that_are_shown_lead_nowhere_else() -> None:
    assert linked(f"{POST}comment-page-1/#comment-7", rest="<p id='comment-7'>Text</p>") == []
