"""Which addresses are further pages of an article, and what of a pager goes."""

from __future__ import annotations

import pytest

from blogcrawler.dom import drop_pager, first_page, further_pages, links, parse, readable_text

POST = "http://blog.test/2014/05/a-post/"


@pytest.mark.parametrize(
    ("url", "reference", "number"),
    [
        (POST, "/2014/05/a-post/2/", 2),
        (POST, "2", 2),
        (POST, "/2014/05/a-post/page/3/", 3),
        (POST, "?page=2", 2),
        ("http://blog.test/post.html", "post.html?page=2#top", 2),
        ("http://blog.test/?p=12", "/?p=12&page=2", 2),
        (POST, "/2014/05/a-post/1/", None),
        (POST, "/2014/05/a-post/comment-page-2/", None),
        (POST, "?cpage=2", None),
        (POST, "?replytocom=2", None),
        (POST, "/page/2/", None),
        (POST, "/2014/05/other-post/2/", None),
        (POST, "http://other.test/2014/05/a-post/2/", None),
        (POST, "/2014/05/a-post/100/", None),
        ("http://blog.test/", "/2/", None),
        ("http://blog.test/", "/page/2/", None),
        (POST, "http://[", None),
    ],
)
def test_the_address_tells(url: str, reference: str, number: int | None) -> None:
    page = parse(f'<a href="{reference}">next</a>')
    assert len(further_pages(links(page, url), url)) == (number is not None)


def test_a_further_page_leads_to_the_first() -> None:
    page = parse('<a href="/">Home</a> <a href="/2014/05/a-post/">1</a> 2 <a href="/2014/05/a-post/3/">3</a>')
    assert first_page(links(page, f"{POST}2/"), f"{POST}2/") == POST
    assert further_pages(links(page, f"{POST}2/"), POST) == [f"{POST}3/"]
    assert first_page(links(page, POST), "http://blog.test/other/") is None


def test_the_pager_goes_and_the_text_stays() -> None:
    page = parse(
        f'<div><p>One of 2 texts.</p><div class="p"><p>Pages: 1 <a href="2/"><span>2</span></a> <a href="{POST}3/">3</a>'
        "</p></div><p>See <a href=2/>the next page of this long text</a> for more of it, and more.</p></div>"
    )
    article = page.find(".//div")
    drop_pager(article, page, POST, [POST, f"{POST}2/", f"{POST}3/"])
    assert readable_text(article).startswith("One of 2 texts.\n\nSee")
    assert "Pages" not in readable_text(article)
