"""Pictures and films of an article stay, with what is written below them, whether or not the feed has them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogcrawler.dom import parse, sanitise
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, layout, prose

Show = Callable[[Post], str]


def caption(one: Post) -> str:
    return prose(f"caption {one.number}", 5)


def figure(one: Post) -> str:
    return f'<figure><img src="/p/{one.number}-640x480.jpg"><figcaption>{caption(one)}</figcaption></figure>'


def box(one: Post) -> str:
    return f'<div class="pic"><img src="/p/{one.number}.jpg"><p class="cap">{caption(one)}</p></div>'


def nameless_box(one: Post) -> str:
    return f'<div><a href="/p/{one.number}.jpg"><img src="/p/{one.number}-300x200.jpg"></a><p>{caption(one)}</p></div>'


def late(one: Post) -> str:
    return (
        f'<figure><img src="/blank.gif" data-src="/p/{one.number}.jpg"><figcaption>{caption(one)}</figcaption></figure>'
    )


def film(one: Post) -> str:
    return f'<figure><iframe src="https://films.test/{one.number}"></iframe><figcaption>{caption(one)}</figcaption></figure>'


def told(one: Post) -> str:
    return f'<img src="http://blog.test/p/{one.number}.jpg">'


def untold(one: Post) -> str:
    return ""


def after_first(one: Post, part: str) -> str:
    return one.body.replace("</p>", f"</p>{part}", 1)


def before(one: Post, part: str) -> str:
    return part + one.body


def after_all(one: Post, part: str) -> str:
    return one.body + part


def page(one: Post, inside: str) -> str:
    return layout(f'<h1>{one.title}</h1><div class="text">{inside}</div>')


def extracted(wrapper: Wrapper, one: Post, inside: str) -> str:
    return sanitise(wrapper.extract(parse(page(one, inside)), one.url).article, one.url)


def learned(show: Show, feed: Show, place: Callable[[Post, str], str]) -> Wrapper:
    return learn(
        Example(parse(page(one, place(one, show(one)))), one.entry(content_html=place(one, feed(one))), one.url)
        for one in POSTS
    )


@pytest.mark.parametrize("place", [after_first, before, after_all])
@pytest.mark.parametrize("show", [figure, box, nameless_box, late])
def test_a_picture_that_the_feed_has_stays_with_its_caption(show: Show, place: Callable[[Post, str], str]) -> None:
    wrapper = learned(show, told, place)
    for one in (*OLD, *POSTS):
        found = extracted(wrapper, one, place(one, show(one)))
        assert f"/p/{one.number}" in found
        assert caption(one) in found


@pytest.mark.parametrize(
    ("show", "place"),
    [*((show, after_first) for show in (figure, box, nameless_box, late, film)), (figure, before)],
)
def test_a_picture_amid_the_text_stays_where_the_feed_has_none(show: Show, place: Callable[[Post, str], str]) -> None:
    wrapper = learned(show, untold, place)
    for one in (*OLD, *POSTS):
        found = extracted(wrapper, one, place(one, show(one)))
        assert f"/{one.number}" in found
        assert caption(one) in found


def banner(one: Post) -> str:
    return f'<div class="ad"><img src="/ads/shoes.jpg"><p>Shoes for {one.number + 20} coins</p></div>'


def author(one: Post) -> str:
    return f'<div class="by"><img src="/faces/{one.author[:3]}.jpg"><p>{one.author} mends clocks and writes.</p></div>'


def teaser(one: Post) -> str:
    return f'<div class="next"><a href="/n/{one.number}"><img src="/thumbs/{one.number}.jpg"></a><p>{caption(one)}</p></div>'


@pytest.mark.parametrize("place", [after_first, before, after_all])
@pytest.mark.parametrize("show", [banner, author, teaser])
def test_pictures_of_the_template_go(show: Show, place: Callable[[Post, str], str]) -> None:
    wrapper = learned(show, untold, place)
    for one in OLD:
        found = extracted(wrapper, one, place(one, show(one)))
        assert "<img" not in found
        assert one.paragraphs[-1] in found


def test_a_button_beside_a_picture_goes_and_the_picture_stays() -> None:
    def with_button(one: Post) -> str:
        return f'<div class="pic"><img src="/p/{one.number}.jpg"><p class="pin">Pin this picture</p></div>'

    wrapper = learned(with_button, told, after_first)
    for one in OLD:
        found = extracted(wrapper, one, after_first(one, with_button(one)))
        assert f"/p/{one.number}.jpg" in found
        assert "Pin this" not in found
