"""A feed whose dates are wrong, and pages that know better."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import ADDRESS, OLD, POSTS, Post, Template, classic, examples, extracted, layout, modern

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


IMPORT = dt.datetime(2025, 6, 3, 7, 10, tzinfo=dt.UTC)
TIME = "<p class=m><time class=d datetime='{built:%Y-%m-%dT%H:%M:%S}Z'>{day:%d %B %Y}</time></p>"
LINKED = """<script type="application/ld+json">
{{"@type": "BlogPosting", "datePublished": "{built:%Y-%m-%dT%H:%M:%S}Z"}}</script>"""
SHOWN = {
    "time": ("", TIME),
    "time and change": ("", f"{TIME} <p>Updated: <time class=u datetime=2025-06-04T01:02:03Z>2025-06-04</time></p>"),
    "text": ("", "<p class=m>{day:%d %B %Y}, in Notes</p>"),
    "metadata of the import": (
        "<meta property='article:published_time' content='{built:%Y-%m-%dT%H:%M:%S}+00:00'>",
        "<p class=m>{day:%d.%m.%Y}</p>",
    ),
    "metadata": ("<meta property='article:published_time' content='{day:%Y-%m-%dT%H:%M:%S}+02:00'>", ""),
    "title of a span": ("", "<p>On <span class=d title='{built:%Y-%m-%d %H:%M:%S}'>{day:%B %d, %Y}</span></p>"),
    "JSON-LD of the import": (LINKED, TIME),
}


def built(one: Post, days: int = 1, fresh: int = 0, *, at_once: bool = False) -> dt.datetime:
    """When a program built the page of a post, on one of a few days, or when it was published if that was since."""
    if one.number < fresh:
        return one.published + dt.timedelta(days=6000)
    spread = 0 if at_once else 37 * (one.number * 7 % 12)
    return IMPORT + dt.timedelta(days=9 * (one.number % days), minutes=spread)


def of_import(form: str, **kinds: int | bool) -> Template:
    head, main = SHOWN[form]

    def template(one: Post) -> str:
        when = built(one, **kinds)  # type: ignore[arg-type]
        day = when if when > dt.datetime(2028, 1, 1, tzinfo=dt.UTC) else one.published
        top = head.format(built=when, day=day)
        return layout(f"<h1>{one.title}</h1>{main.format(built=when, day=day)}<div class=e>{one.body}</div>", head=top)

    return template


def taught_without_days(template: Template, posts: tuple[Post, ...], **kinds: int | bool) -> Wrapper:
    """From a feed that has the day of the import as that of all posts, which no address tells."""
    return learn(
        Example(
            parse(template(one)),
            one.entry(url=f"{ADDRESS}/{one.slug}", published=built(one, **kinds).isoformat()),  # type: ignore[arg-type]
        )
        for one in posts
    )


@pytest.mark.parametrize("form", SHOWN)
@pytest.mark.parametrize("kinds", [{}, {"days": 2}, {"fresh": 4}, {"at_once": True}])
def test_the_day_of_an_import_is_not_that_of_the_posts(form: str, kinds: dict[str, int]) -> None:
    template = of_import(form, **kinds)
    wrapper = taught_without_days(template, POSTS, **kinds)
    assert wrapper.distrusted == ("published",)
    found = [wrapper.extract(parse(template(one)), f"{ADDRESS}/{one.slug}").published for one in OLD]
    assert [day and day[:10] for day in found] == [one.published.date().isoformat() for one in OLD]


@pytest.mark.parametrize(
    "shown", ["", "<p class=m>{:%d %B %Y}</p>", "<time datetime='{:%Y-%m-%dT%H:%M:%S}Z'>today</time>"]
)
@pytest.mark.parametrize("days", [1, 2])
def test_a_young_blog_of_a_day_or_two_is_believed(shown: str, days: int) -> None:
    def template(one: Post) -> str:
        aside = "<p>Founded on 2 May 2003</p>"
        return layout(f"<h1>{one.title}</h1>{shown.format(built(one, days))}<div class=e>{one.body}</div>{aside}")

    assert taught_without_days(template, POSTS, days=days).distrusted == ()
