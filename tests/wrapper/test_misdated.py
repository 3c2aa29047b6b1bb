"""A feed whose dates are wrong, and pages that know better."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from blogcrawler.wrapper import Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, Post, Template, classic, examples, extracted, layout, modern

if TYPE_CHECKING:
    from collections.abc import Callable


def byline(one: Post) -> str:
    return layout(
        f"<div class=a><h2>{one.title}</h2><p class=by>Written by {one.author} on {one.published:%d %B %Y}</p>"
        f"<div class=e>{one.body}</div></div>"
    )


def taught(template: Template, days: Callable[[Post], int]) -> Wrapper:
    """From a feed whose dates are so many days off."""
    pages = []
    for one in POSTS:
        pages += examples(template, [one], published=(one.published + dt.timedelta(days=days(one))).isoformat())
    return learn(pages)


@pytest.mark.parametrize("template", [byline, classic, modern])
@pytest.mark.parametrize(
    "days", [lambda one: 2 + 3 * (one.number % 5), lambda one: 1 + 3 * (one.number % 5), lambda one: 40]
)
def test_the_pages_dates_are_taken(template: Template, days: Callable[[Post], int]) -> None:
    wrapper = taught(template, days)
    assert wrapper.distrusted == ("published",)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert found.published is not None
        assert found.published[:10] == one.published.date().isoformat()
        assert found.sources["published"].confidence >= 0.5


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "<p>Since 2 May 2003</p>",
        "<p>Changed on {later:%d %B %Y}</p>",
        "<p>On stage on {other:%d %B %Y}</p>",
    ],
)
def test_dates_that_are_not_the_post_s_do_not_count_against_the_feed(shown: str) -> None:
    def template(one: Post) -> str:
        later = one.published + dt.timedelta(days=3 + one.number)
        other = dt.datetime(1990 + one.number * 7 % 20, 1 + one.number * 5 % 12, 3, tzinfo=dt.UTC)
        return layout(f"<h1>{one.title}</h1>{shown.format(later=later, other=other)}<div class=e>{one.body}</div>")

    assert taught(template, lambda _: 0).distrusted == ()


@pytest.mark.parametrize("template", [byline, classic, modern])
def test_a_day_more_or_less_is_another_zone(template: Template) -> None:
    assert taught(template, lambda one: one.number % 2).distrusted == ()
