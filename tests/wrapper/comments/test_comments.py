"""Comments from pages: their form, their fields, and what is none."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.items import Comment
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper.comments import CommentExample, CommentRules, learn_comments
from blogcrawler.wrapper.comments.features import features
from blogcrawler.wrapper.comments.group_model import GROUPS, LIKELY, calibrated, shipped_model
from tests.wrapper.comments.made import SHAPES, THREADED, Said, example, nested, page, rules, thread, url, wrapper

COUNTS = (3, 0, 7, 1, 4, 2, 5, 0)


@cache
def learned(shape: str) -> CommentRules:
    found = rules(SHAPES[shape], COUNTS)
    assert found is not None
    return found


@given(shape=st.sampled_from(sorted(SHAPES)), count=st.integers(0, 30), post=st.integers(50, 90))
@settings(max_examples=50, deadline=None)
def test_every_comment_of_any_number_with_author_and_day(shape: str, count: int, post: int) -> None:
    said = thread(post, count)
    found = learned(shape).extract(parse(page(post, SHAPES[shape](said) if said else "")), url(post))
    assert [(one.author, one.content_text) for one in found] == [(one.author, one.text) for one in said]
    days = [dt.datetime.fromisoformat(one.published).replace(tzinfo=None) for one in found if one.published]
    minutes = [one.published.replace(second=0) for one in said]
    assert [day.replace(second=0) for day in days] == minutes


@pytest.mark.parametrize("shape", THREADED)
def test_what_is_answered_is_told_by_nesting_indentation_or_an_attribute(shape: str) -> None:
    said = thread(60, 25)
    found = learned(shape).extract(parse(page(60, SHAPES[shape](said))), url(60))
    own = {one.number: comment.id for one, comment in zip(said, found, strict=True)}
    assert len(set(own.values())) == len(said)
    assert [comment.parent for comment in found] == [own.get(one.parent or 0) for one in said]


@pytest.mark.parametrize("form", ["<a href='#c{0}'>@{1}</a> {2}", "@<a href='{3}#c{0}'><b>{1}</b></a>: {2}"])
def test_a_text_that_begins_with_a_link_to_another_comment_answers_it(form: str) -> None:
    said = [replace(one, level=0) for one in thread(60, 25)]
    names = {one.number: one.author for one in said}

    def addressed(one: Said) -> Said:
        above = one.parent
        return one if above is None else replace(one, text=form.format(above, names[above], one.text, url(60)))

    markup = SHAPES["definitions"]([addressed(one) for one in said])
    found = learned("definitions").extract(parse(page(60, markup)), url(60))
    assert [comment.parent for comment in found] == [one.parent and f"c{one.parent}" for one in said]
    assert all(comment.content_text.startswith("@") for comment, one in zip(found, said, strict=True) if one.parent)


@pytest.mark.parametrize(
    "text", ["<a href='#c60001'>@Ann</a>", "See <a href='#c60001'>this</a> one.", "<a href='/#c60001'>@Ann</a> yes"]
)
def test_other_links_answer_nothing(text: str) -> None:
    said = [replace(one, parent=None, level=0) for one in thread(60, 3)]
    said[2] = replace(said[2], text=text)
    found = learned("definitions").extract(parse(page(60, SHAPES["definitions"](said))), url(60))
    assert [comment.parent for comment in found] == [None] * 3


def test_permalinks_lead_to_the_place_of_each_comment() -> None:
    said = thread(60, 4)
    found = learned("nested").extract(parse(page(60, nested(said))), url(60))
    assert [(one.id, one.url) for one in found] == [
        (f"comment-{one.number}", f"{url(60)}#comment-{one.number}") for one in said
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_rules_are_kept_and_compare(shape: str) -> None:
    found = learned(shape)
    kept = load(CommentRules, json.loads(json.dumps(dump(found))))
    assert kept == found
    assert 0 < found.confidence <= 1


def test_a_blog_without_comments_has_none() -> None:
    assert rules(nested, (0,) * 8) is None


def test_related_posts_with_days_are_no_comments() -> None:
    def related(post: int) -> str:
        links = "".join(
            f"<li><a href='/{10 * post + n}/'>A story of {n} and {post}</a> <i>May {n + 1}, 2016</i></li>"
            for n in range(3)
        )
        return f"<ul class='related'>{links}</ul>"

    assert learn_comments([example(post, related(post)) for post in range(1, 9)], wrapper()) is None


def test_older_days_are_no_comments() -> None:
    def history(post: int) -> str:
        return "".join(
            f"<div class='h'><b>Event {post} {n}</b> <i>May {n + 1}, 1998</i><p>Text</p></div>" for n in range(4)
        )

    assert learn_comments([example(post, history(post)) for post in range(1, 9)], wrapper()) is None


def test_a_pingback_without_a_day_stands_among_comments() -> None:
    ping = "<li class='ping'>Pingback: <a href='http://other.test/{n}/'>Another page {n}</a></li>"
    made = [
        example(post, nested(thread(post, 3)).replace("</ol>", ping.format(n=post) + "</ol>")) for post in range(1, 7)
    ]
    found = learn_comments(made, wrapper())
    assert found is not None
    alone = "<ol class='talk'>" + ping.format(n=77) + "</ol>"
    (pingback,) = found.extract(parse(page(77, alone)), url(77))
    assert (pingback.kind, pingback.author, pingback.author_url) == (
        "pingback", "Another page 77", "http://other.test/77/",
    )  # fmt: skip


def test_an_excerpt_of_another_page_is_a_pingback() -> None:
    said = thread(60, 2)
    markup = nested(said).replace(said[0].text, "[…] as they wrote of the harbour […]")
    first, second = learned("nested").extract(parse(page(60, markup)), url(60))
    assert (first.kind, second.kind) == ("pingback", "comment")


def test_relative_days_count_from_the_time_of_fetching() -> None:
    def counted(post: int, count: int) -> str:
        return "".join(
            f"<div class='c'><b>{one.author}</b> <span class='when'>{number + 2} days ago</span><p>{one.text}</p></div>"
            for number, one in enumerate(thread(post, count))
        )

    made = [example(post, counted(post, post % 4 + 1)) for post in range(1, 8)]
    found = learn_comments(made, wrapper())
    assert found is not None
    fetched = dt.datetime(2020, 5, 20, 12, tzinfo=dt.UTC)
    tree = parse(page(60, counted(60, 2)))
    assert [one.published for one in found.extract(tree, url(60), fetched)] == ["2020-05-18", "2020-05-17"]
    assert [one.published for one in found.extract(tree, url(60))] == [None, None]


def test_what_the_page_says_of_their_number() -> None:
    def headed(post: int, count: int) -> str:
        return f"<h3 class='count'>{count} comments</h3>{nested(thread(post, count))}"

    found = learn_comments([example(post, headed(post, post % 5 + 1)) for post in range(1, 9)], wrapper())
    assert found is not None
    assert found.read(parse(page(60, headed(60, 9))), url(60))[1] == 9
    assert found.read(parse(page(60, "")), url(60))[1] is None


def test_comment_feeds_raise_the_confidence_in_what_they_tell() -> None:
    made, told = [], []
    for post in range(1, 7):
        said = thread(post, 4)
        entries = tuple(Comment(author=one.author, content_text=one.text) for one in said[-3:])
        made.append(example(post, nested(said)))
        told.append(example(post, nested(said), entries))
    alone, taught = learn_comments(made, wrapper()), learn_comments(told, wrapper())
    other = [
        CommentExample(one.tree, one.url, one.published, (Comment(content_text="Wholly other words 12345."),))
        for one in made
    ]
    doubted = learn_comments(other, wrapper())
    assert alone is not None
    assert taught is not None
    assert doubted is not None
    assert taught.confidence >= alone.confidence > doubted.confidence


def test_markup_of_comments_is_sanitised() -> None:
    said = thread(60, 1)
    markup = nested(said).replace(said[0].text, "Hello <script>steal()</script><b onclick='x()'>you</b>")
    (found,) = learned("nested").extract(parse(page(60, markup)), url(60))
    assert found.content_text == "Hello you"
    assert found.content_html is not None
    assert "script" not in found.content_html
    assert "onclick" not in found.content_html


@pytest.mark.parametrize("shape", ["nested", "definitions"])
def test_time_grows_with_the_number_of_comments(shape: str) -> None:
    found = learned(shape)
    times = []
    for count in (500, 5000):
        tree = parse(page(60, SHAPES[shape](thread(60, count))))
        start = process_time()
        assert len(found.extract(tree, url(60))) == count
        times.append(process_time() - start)
    assert times[1] < 40 * times[0]


def test_trees_of_any_depth_are_read() -> None:
    found = learned("nested")
    said = thread(60, 3)
    deep = nested(said) + "<div>" * 100_000 + "x"
    assert len(found.extract(parse(page(60, deep)), url(60))) == 3
    assert learn_comments([example(60, deep), example(61, nested(thread(61, 2)))], wrapper()) is not None


@given(st.text(alphabet="<>/lidvap 2014-05 \"'=classcomment", max_size=300))
@settings(max_examples=60, deadline=None)
def test_nothing_raises_on_any_markup(markup: str) -> None:
    found = learned("nested").extract(parse(page(60, markup)), url(60))
    assert all(comment.content_html is not None for comment in found)


def test_a_subject_is_no_author() -> None:
    def titled(post: int, count: int) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><h4><a href='#c{one.number}'>{one.text[:24]}</a></h4>"
            f"<p class='by'>{one.author}, <i>{one.published:%Y-%m-%d %H:%M}</i></p><div class='t'>{one.text}</div></div>"
            for one in thread(post, count)
        )

    found = learn_comments([example(post, titled(post, post % 4 + 1)) for post in range(1, 8)], wrapper())
    assert found is not None
    said = thread(60, 5)
    read = found.extract(parse(page(60, titled(60, 5))), url(60))
    assert [(one.author, one.content_text) for one in read] == [(one.author, one.text) for one in said]


def test_posts_with_one_comment_at_most() -> None:
    found = rules(nested, (1, 0, 1, 0, 0, 1, 1, 0, 1))
    assert found is not None
    said = thread(60, 6)
    read = found.extract(parse(page(60, nested(said))), url(60))
    assert [(one.author, one.content_text) for one in read] == [(one.author, one.text) for one in said]


def test_what_every_page_has_once_is_no_comment() -> None:
    def noted(post: int) -> str:
        more = "<div><i>May 9, 2016</i> and one more remark of this page</div>" if post == 3 else ""
        return f"<div><i>May {post}, 2016</i> a remark of page {post} that is its own</div>{more}"

    assert learn_comments([example(post, noted(post)) for post in range(1, 20)], wrapper()) is None


def test_names_that_link_to_nothing_or_to_their_comment_have_no_page() -> None:
    def linked(said: Sequence[Said]) -> str:
        return "".join(
            f"<div class='c'><a href='{('#', f'#c{one.number}', f'/60/#c{one.number}', 'http://other.test/')[one.number % 4]}'>"
            f"{one.author}</a> <i id='c{one.number}'>{one.published:%Y-%m-%d %H:%M}</i><p>{one.text}</p></div>"
            for one in said
        )

    found = rules(linked, (3, 0, 2, 4, 1))
    assert found is not None
    pages = [one.author_url for one in found.extract(parse(page(60, linked(thread(60, 8)))), url(60))]
    assert pages == [None, None, "http://other.test/", None] * 2


def test_permalinks_that_add_parameters_to_the_posts_address_lead_to_the_post() -> None:
    def asked(said: Sequence[Said]) -> str:
        return "".join(
            f"<div class='c'><b>{one.author}</b> <i>{one.published:%Y-%m-%d %H:%M}</i> (<a href='{url(one.number // 1000)}"
            f"?thread={one.number}#t{one.number}'>link</a>)<p>{one.text}</p></div>"
            for one in said
        )

    found = rules(asked, (3, 0, 2, 4, 1))
    assert found is not None
    assert len(found.extract(parse(page(60, asked(thread(60, 8)))), url(60))) == 8


def test_the_model_of_groups_weighs_the_features_that_there_are() -> None:
    assert shipped_model(GROUPS).weights.keys() == features([], []).keys()


def test_groups_claim_what_was_right_on_other_blogs() -> None:
    probabilities, shares = zip(*shipped_model(GROUPS).right, strict=True)
    assert [calibrated(probability) for probability in probabilities] == sorted(shares, reverse=True)
    assert calibrated(LIKELY / 2) <= LIKELY
