"""What a feed puts around its titles, which is no part of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.wrapper import Wrapper, learn
from blogcrawler.wrapper.refinements.affixes import Affixes
from tests.wrapper.pages import OLD, POSTS, Post, classic, examples, layout


def taught(form: str, shown: str = "{}", posts: tuple[Post, ...] = POSTS) -> Wrapper:
    """From a feed and pages that write titles in forms of their own."""

    def template(one: Post) -> str:
        return layout(f"<h1>{shown.format(one.title)}</h1><div class=e>{one.body}</div>", title=f"{one.title} « Log")

    return learn([pair for one in posts for pair in examples(template, [one], title=form.format(one.title))])


@pytest.mark.parametrize(
    "form",
    [
        "Log: {}",
        "{} - Log",
        "[Log] {}",
        "{} | The log",
        "Log: {} (blog)",
        "Log » {}",
        "{}【日記】",
        "Log {}",
        "{} by The log",
    ],
)
def test_the_blog_s_name_is_no_part_of_a_title(form: str) -> None:
    wrapper = taught(form)
    assert wrapper.affixes.strip(form.format("A walk")) == "A walk"
    page = wrapper.extract(
        examples(lambda one: layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>"), OLD)[0].tree
    )
    assert page.title == OLD[0].title
    assert page.sources["title"].confidence >= 0.9


def test_a_series_is_part_of_the_title() -> None:
    def title(one: Post) -> str:
        return f"Weekly links: {one.title}" if one.number % 3 == 0 else one.title

    wrapper = learn([pair for one in POSTS for pair in examples(classic, [one], title=title(one))])
    assert not wrapper.affixes


@pytest.mark.parametrize("form", ["Weekly links: {}", "{} (links)", "{}!"])
def test_what_the_pages_have_too_is_part_of_the_title(form: str) -> None:
    wrapper = taught(form, form)
    assert not wrapper.affixes


@pytest.mark.parametrize("form", ["{} (no. {number})", "{} - {author}", "{number}. {}"])
def test_what_differs_from_title_to_title_does_not_speak_against_the_page_s(form: str) -> None:
    pages = [
        pair
        for one in POSTS
        for pair in examples(classic, [one], title=form.format(one.title, number=one.number, author=one.author))
    ]
    wrapper = learn(pages)
    assert not wrapper.affixes
    found = wrapper.extract(examples(classic, OLD)[0].tree)
    assert found.title == OLD[0].title
    assert found.sources["title"].confidence >= 0.8


def test_few_titles_have_nothing_in_common_but_by_chance() -> None:
    assert not taught("Log: {}", posts=POSTS[:3]).affixes


def test_they_are_kept() -> None:
    wrapper = taught("[Log] {}")
    assert Wrapper.from_dict(wrapper.to_dict()).affixes == wrapper.affixes == Affixes("[Log] ")


@given(st.text(), st.text(), st.text())
def test_a_title_is_never_emptied(prefix: str, suffix: str, title: str) -> None:
    stripped = Affixes(prefix, suffix).strip(title)
    assert stripped is not None
    assert stripped in title
    assert bool(stripped) == bool(title)
