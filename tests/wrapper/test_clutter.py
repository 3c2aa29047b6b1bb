"""Articles without the clutter in their container, on blogs with feeds of all kinds; posts of all ages."""

from __future__ import annotations

from statistics import mean

import pytest

from blogcrawler.dom import parse
from tests.wrapper.junk import (
    BEYOND,
    CLUTTER,
    ONLY_FIRST,
    ONLY_LAST,
    Blog,
    author_box,
    body,
    comment_form,
    comments_of_old_posts,
    contents,
    heading,
    licence,
    mixed,
    newsletter,
    on_old,
    on_some,
    related_cards,
    related_links,
    share_bar,
    share_list,
    tags_plain,
)

SAMPLE = BEYOND[:8]
PLACES = ("first", "middle", "last")


def places_of(name: str) -> tuple[str, ...]:
    if name in ONLY_FIRST:
        return ("first",)
    return ("last",) if name in ONLY_LAST or name in {"series", "contents"} else PLACES


def place_of(name: str, number: int) -> str:
    places = places_of(name)
    return places[number % len(places)]


@pytest.mark.parametrize("name", CLUTTER)
def test_clutter_on_all_posts_of_a_feed_with_articles(name: str) -> None:
    blog = Blog(**{place_of(name, 0): (CLUTTER[name],)})  # type: ignore[arg-type]
    assert mean(blog.scores(BEYOND, SAMPLE)) >= 0.97


@pytest.mark.parametrize("name", [name for name in CLUTTER if name not in ONLY_FIRST])
def test_clutter_that_no_page_of_the_feed_shows(name: str) -> None:
    blog = Blog(**{place_of(name, 1): (on_old(CLUTTER[name]),)}, feed="summary", count=3)  # type: ignore[arg-type]
    assert mean(blog.scores(BEYOND, SAMPLE)) >= 0.97


@pytest.mark.parametrize("name", CLUTTER)
def test_clutter_on_some_posts_of_a_feed_with_titles_alone(name: str) -> None:
    blog = Blog(**{place_of(name, 2): (on_some(CLUTTER[name]),)}, feed="title")  # type: ignore[arg-type]
    assert mean(blog.scores(BEYOND, SAMPLE)) >= 0.97


@pytest.mark.parametrize("feed", ["full", "summary", "title"])
@pytest.mark.parametrize("count", [1, 3, 20])
def test_all_at_once(feed: str, count: int) -> None:
    blog = Blog(
        first=(heading, share_bar),
        middle=(newsletter,),
        last=(tags_plain, share_list, licence, author_box, on_old(related_links), comments_of_old_posts, comment_form),
        feed=feed,
        count=count,
    )
    assert mean(blog.scores(BEYOND, SAMPLE)) >= 0.97


@pytest.mark.parametrize("feed", ["full", "summary"])
def test_posts_with_almost_no_text(feed: str) -> None:
    blog = Blog(last=(share_bar, tags_plain, related_cards), text=mixed, feed=feed)
    assert mean(blog.scores(BEYOND, SAMPLE)) >= 0.97


@pytest.mark.parametrize("feed", ["full", "summary", "title"])
def test_what_the_author_wrote_stays(feed: str) -> None:
    """Footnotes, captions, quotations, lists, headings that recur: they are on old posts, too."""

    def ending(one: object) -> str:
        return f"{body(one)}<h2>Things used</h2><ul><li>Glue of number {one.number}</li><li>Paper</li></ul>"  # type: ignore[attr-defined, arg-type]

    blog = Blog(last=(share_bar,), text=ending, feed=feed)
    assert min(blog.scores(BEYOND, SAMPLE)) >= 0.97


def test_contents_that_the_feed_has_too_stay() -> None:
    blog = Blog(text=lambda one: contents(one) + body(one))
    assert min(blog.scores(BEYOND, SAMPLE)) == 1


def test_what_was_learned_of_old_posts_is_kept_with_the_rules() -> None:
    blog = Blog(last=(on_old(tags_plain), comments_of_old_posts))
    wrapper = blog.learn(SAMPLE)
    assert wrapper.article.exclusions != blog.learn().article.exclusions
    assert type(wrapper).from_dict(wrapper.to_dict()) == wrapper
    page = parse(blog.page(BEYOND[9]))
    assert "Filed" not in "".join(wrapper.extract(page).article.itertext())  # type: ignore[union-attr]
