"""Names that each post has of its own, and places that differ from page to page: AdaptivePost's merging of paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper.core.prefixes import learn_prefixes
from tests.wrapper.pages import OLD, Post, article, extracted, learned, words

NAMES = ["post-{}", "blog-post-{}", "p-{}", "entry_{}", "note:{}", "Post.{}", "beitrag-für-{}"]


def slug(one: Post) -> str:
    return "-".join(one.title.lower().split())


def notes(one: Post) -> str:
    """Up to two boxes without names before the post."""
    return "<div>Note of the day</div>" * (one.number % 3)


def page(main: str, one: Post) -> str:
    return f"""<html><head><title>{one.title} - The quiet blog</title></head><body>
<div id="blog-header">The quiet blog, about all sorts of things</div>{notes(one)}{main}
<div id="side"><h3>About</h3><p>This blog is about all sorts of things.</p></div></body></html>"""


def template(attribute: str, name: str) -> Callable[[Post], str]:
    """The article is in the element with the name, below its title and day."""
    return lambda one: page(
        f'<div {attribute}="{name.format(slug(one))}"><h1>{one.title}</h1>'
        f'<p class="day">{one.published:%d %B %Y}</p>{one.body}</div>',
        one,
    )


def nested(attribute: str, name: str) -> Callable[[Post], str]:
    """Title, day and article are elements without names below the one with the name; so are notes before it."""
    note = "<div><div>A note</div><div>12 May 2020</div><div>Buy this now, please do buy this</div></div>"
    return lambda one: page(
        f'{note * (one.number % 3)}<div {attribute}="{name.format(slug(one))}"><div>{one.title}</div>'
        f"<div>{one.published:%d %B %Y}</div><div>{one.body}</div></div>",
        one,
    )


def check(template: Callable[[Post], str]) -> None:
    wrapper = learned(template)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert (found.title, words(found)) == (one.title, article(one))
        assert found.published is not None
        assert found.published.startswith(f"{one.published:%Y-%m-%d}")
        assert found.sources["content"].confidence >= 0.9


@pytest.mark.parametrize("attribute", ["id", "class"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_ends_in_the_post_s_own_words(attribute: str, name: str) -> None:
    check(template(attribute, name))


@pytest.mark.parametrize("attribute", ["id", "class"])
@pytest.mark.parametrize("name", NAMES)
def test_such_a_name_of_what_is_around_the_fields(attribute: str, name: str) -> None:
    check(nested(attribute, name))


def test_a_place_that_other_boxes_move() -> None:
    """Nothing has a name, and one page in three has one box more before the post than another."""
    check(
        lambda one: page(
            f"<div><div>{one.title}</div><div>{one.published:%d %B %Y}</div><div>{one.body}</div></div>", one
        )
    )


def test_a_place_of_which_there_are_several_is_doubted() -> None:
    """A box like the post is behind it: where the order of both is another, the first one would be wrong."""

    def template(one: Post) -> str:
        box = "<div><div>A note</div><div>12 May 2020</div><div>Buy this now, please do buy this</div></div>"
        main = f"<div><div>{one.title}</div><div>{one.published:%d %B %Y}</div><div>{one.body}</div></div>"
        return page(main + box, one)

    wrapper = learned(template)
    assert all(extracted(wrapper, template, one).sources["content"].confidence < 0.9 for one in OLD)


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (["blog-post-a-walk", "blog-post-the-sea", "blog-post-the-rain"], {"blog-post-", "blog-post-the-"}),
        (["post-a-walk", "post-a-walk"], set()),
        (["post-a-walk", "note-a-walk"], set()),
        (["posters", "postcard"], set()),
        (["post-", "post-x"], set()),
        (["post-2023-a", "post-2023-b"], {"post-"}),
        (["2023-post-a", "2023-post-b"], set()),
        (["", ""], set()),
    ],
)
def test_prefixes_are_whole_words_that_several_pages_share(ids: list[str], found: set[str]) -> None:
    assert {prefix for _, prefix in learned_of(f'<p id="{one}">a' for one in ids)} == found


def test_one_page_teaches_no_prefix() -> None:
    assert not learned_of(['<p id="post-a">a<p id="post-b">b'])


def learned_of(pages: Iterable[str]) -> frozenset[tuple[str, str]]:
    return learn_prefixes(map(parse, pages))
