"""How many comments a post announces."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blogcrawler.comments.scripted import RenderedPages
from blogcrawler.items import Page, Record, RecordSource

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"


def page(html: str, url: str = POST) -> Page:
    return Page(url, f"<html><head>{html}</head><body>{html}</body></html>".encode())


@pytest.mark.parametrize(
    ("html", "told", "count"),
    [
        ("<h3>0 comments</h3>", None, 0),
        ("<h3>2 comments</h3>", None, 2),
        ("<h3>2 comments</h3>", 5, 5),
        ("<h3>0 comments</h3><div id=disqus_thread></div>", None, None),
        ("<h3>2 comments</h3><div id=disqus_thread></div>", None, 2),
    ],
)
def test_a_page_says_how_many_comments_there_are_unless_a_script_is_to_say_it(html, told, count):
    item = Record(SITE, POST, comment_count=told, source=RecordSource(page(html), None))
    look = RenderedPages(SimpleNamespace())
    assert look.announced(item, look.see(item)) == count


def test_a_number_that_all_pages_say_is_not_that_of_any_post():
    def post(html):
        return Record(SITE, POST, source=RecordSource(page(html), None))

    look, same, other = RenderedPages(SimpleNamespace()), "<aside>1204 comments</aside>", "<p>2 comments</p>"
    for _ in range(3):
        look.see(post(same))
    assert look.announced(post(same), look.see(post(same))) is None
    look.see(post(other))
    assert [look.announced(post(html), look.see(post(html))) for html in (same, other)] == [1204, 2]
    none = RenderedPages(SimpleNamespace())
    for _ in range(3):
        none.see(post("<p>0 comments</p>"))
    assert none.announced(post("<p>0 comments</p>"), none.see(post("<p>0 comments</p>"))) == 0
