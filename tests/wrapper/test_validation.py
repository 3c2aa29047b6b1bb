"""Cross-validation: how rules do on entries that they were not learned from, and what becomes of confidence."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper import Wrapper, learn
from blogcrawler.wrapper.validation import Validation
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    classic,
    examples,
    extracted,
    layout,
    learned,
    modern,
)

FIELDS = ("title", "authors", "published", "tags", "content")


@pytest.mark.parametrize("template", [classic, modern])
def test_good_rules_pass_their_tests(template) -> None:
    wrapper = learned(template)
    assert wrapper.validation.pages == len(POSTS)
    assert {name: right for name, (_, right) in wrapper.validation.answers} == dict.fromkeys(FIELDS, 4)
    sources = extracted(wrapper, template, OLD[0]).sources
    assert all(sources[name].confidence >= 0.9 for name in FIELDS)


def test_a_rule_that_holds_on_the_pages_that_teach_only_is_doubted() -> None:
    """The author stands in the same place as the mood of the day: on half of the pages it is the one, or the other."""

    def template(one: Post) -> str:
        name = one.author if one.number % 2 == 0 else "Serene"
        return layout(f"<h1>{one.title}</h1><p class=x>{name}</p><div class=e>{one.body}</div>")

    wrapper = learned(template)
    assert dict(wrapper.validation.answers)["authors"][1] == 0
    for name in ("title", "content"):
        assert extracted(wrapper, template, OLD[0]).sources[name].confidence >= 0.9
    source = extracted(wrapper, template, OLD[0]).sources.get("authors")
    assert source is None or source.confidence < 0.5


@pytest.mark.parametrize(("count", "most"), [(1, 0.67), (2, 0.75), (3, 0.8)])
def test_few_pages_mean_doubt(count: int, most: float) -> None:
    wrapper = learned(classic, POSTS[:count])
    found = extracted(wrapper, classic, OLD[0])
    assert found.title == OLD[0].title
    assert 0.5 <= found.sources["title"].confidence <= most


def test_it_is_kept() -> None:
    wrapper = learned(classic)
    assert Wrapper.from_dict(wrapper.to_dict()).validation == wrapper.validation


@given(st.integers(0, 40), st.integers(1, 5), st.floats(0, 1))
def test_confidence(pages: int, tests: int, standing: float) -> None:
    confidences = [
        Validation(pages, (("title", (tests, right)),)).confidence("title", standing) for right in range(tests + 1)
    ]
    assert confidences == sorted(confidences)
    assert all(0 <= confidence <= 1 for confidence in confidences)
    assert Validation(pages).confidence("title", standing) <= Validation(pages + 1).confidence("title", standing)


def test_one_title_for_all_entries_is_not_believed() -> None:
    wrapper = learned(classic, title="The quiet blog")
    assert wrapper.distrusted == ("title",)
    assert [extracted(wrapper, classic, one).title for one in OLD] == [one.title for one in OLD]


def test_one_minute_for_all_entries_is_not_believed() -> None:
    now = dt.datetime(2020, 2, 2, 2, 2, tzinfo=dt.UTC).isoformat()
    wrapper = learned(modern, published=now)
    assert wrapper.distrusted == ("published",)
    for one in OLD:
        published = wrapper.extract(parse(modern(one)), None).published
        assert published is not None
        assert published[:10] == one.published.date().isoformat()


def test_one_of_two_authors_whom_the_feed_and_the_page_name_is_no_right_answer() -> None:
    second = "Zoe Okafor"
    head = '<meta name="author" content="{}">'

    def template(one: Post) -> str:
        side = f"<div><div><p>{second}</p></div></div>"
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=head.format(one.author), side=side)

    pages = [pair for one in POSTS for pair in examples(template, [one], authors=(one.author, second))]
    assert dict(learn(pages).validation.answers)["authors"][1] == 0
