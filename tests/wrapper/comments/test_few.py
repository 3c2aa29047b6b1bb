"""Comments learned from few pages: what these do not tell is not guessed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Comment
from blogcrawler.wrapper.comments import CommentExample, CommentRules, learn_comments
from tests.wrapper.comments.made import FIRST, Said, example, nested, page, rules, thread, url, wrapper
from tests.wrapper.comments.themes import THEMES

Write = Callable[[Sequence[Said]], str]


def read(found: CommentRules, write: Write, count: int = 6) -> list[Comment]:
    """What is read of another post's comments."""
    return found.extract(parse(page(60, write(thread(60, count)))), url(60))


def names_and_texts(count: int = 6) -> list[tuple[str, str]]:
    return [(one.author, one.text) for one in thread(60, count)]


def posts_day(post: int, form: str, zone_h: int = 0) -> str:
    """The line below an article with its day, perhaps its time in the blog's own zone; one post has another day."""
    day = FIRST + dt.timedelta(days=10 * post, hours=zone_h)
    more = "<div class='end'><p>It was better then.</p><p>June 9, 2016 at 10:01</p></div>" if post == 3 else ""
    return f"<div class='end'><p>Filed under <b>things of {post}</b></p><p>{day:{form}}</p></div>{more}"


@pytest.mark.parametrize("zone_h", [0, 2])
@pytest.mark.parametrize("form", ["%B %d, %Y at %H:%M", "%B %d, %Y"])
def test_the_line_that_tells_the_time_of_the_post_is_no_comment(form: str, zone_h: int) -> None:
    made = [example(post, posts_day(post, form, zone_h)) for post in range(1, 5)]
    utc = [CommentExample(one.tree, one.url, f"{one.published}+00:00") for one in made]
    assert learn_comments(made if zone_h == 0 else utc, wrapper()) is None


def test_comments_that_are_whole_hours_younger_than_their_posts_are_found() -> None:
    """Of many comments below each post some are: their time could be the post's own in another zone."""
    made = [example(post, nested(thread(post, 4))) for post in range(1, 7)]
    earlier = [
        dt.datetime.fromisoformat(one.published or "") - dt.timedelta(hours=post) for post, one in enumerate(made)
    ]
    utc = [CommentExample(one.tree, one.url, f"{day}+00:00") for one, day in zip(made, earlier, strict=True)]
    found = learn_comments(utc, wrapper())
    assert found is not None
    assert [(one.author, one.content_text) for one in read(found, nested)] == names_and_texts()


def test_an_article_that_stands_as_its_comments_do_is_none() -> None:
    def shown(post: int, count: int) -> str:
        said = "".join(
            f"<div><p>{one.text}</p><span>Posted by: {one.author} at {one.published:%B %d, %Y %H:%M}</span></div>"
            "<div class='head'>More</div>"
            for one in thread(post, count)
        )
        line = f"<span>Posted by me at {FIRST + dt.timedelta(days=10 * post):%B %d, %Y %H:%M}</span>"
        markup = page(post, said).replace("<div id='talk'>", "<div class='head'>Talk</div>")
        return markup.replace("</p></div><div class='head'>Talk", f"</p>{line}</div><div class='head'>Talk", 1).replace(
            "</div><form", "<form"
        )  # fmt: skip

    made = [
        CommentExample(parse(shown(post, count)), url(post), f"{FIRST + dt.timedelta(days=10 * post):%Y-%m-%d}")
        for post, count in enumerate((1, 0, 1, 1), 1)
    ]
    found = learn_comments(made, wrapper())
    texts = [one.content_text for one in found.extract(parse(shown(60, 3)), url(60))] if found else []
    assert texts in ([], [one.text for one in thread(60, 3)])


def signed(said: Sequence[Said]) -> str:
    """The name is between words, in a link or not."""
    return "".join(
        f"<div class='c'><p>{one.text}</p><span class='by'>Posted by: "
        + (f"<a href='http://{one.number}.test/'>{one.author}</a>" if one.number % 3 == 0 else one.author)
        + f" at {one.published:%B %d, %Y %H:%M}</span></div>"
        for one in said
    )


@pytest.mark.parametrize("write", [THEMES["kubrick"].write, signed])
def test_people_without_a_page_after_people_with_one_alone(write: Write) -> None:
    made = [example(post, write([one for one in thread(post, 9) if one.number % 3 == 0])) for post in range(1, 6)]
    found = learn_comments(made, wrapper())
    assert found is not None
    assert [(one.author, one.content_text) for one in read(found, write)] == names_and_texts()


def test_many_people_whose_names_are_signs() -> None:
    def anonymous(said: Sequence[Said]) -> str:
        markup = nested(said)
        for one in said:
            if one.number % 2:
                markup = markup.replace(f"{one.number}'><div class='meta'><cite>{one.author}<", f"{one.number}'><div class='meta'><cite>...<")  # fmt: skip
        return markup

    found = rules(anonymous, (3, 0, 4, 2, 0, 5))
    assert found is not None
    said = thread(60, 6)
    assert [one.author for one in read(found, anonymous)] == ["..." if one.number % 2 else one.author for one in said]


def test_a_name_that_could_be_the_templates_is_waited_for() -> None:
    def alone(said: Sequence[Said]) -> str:
        return nested([Said(one.number, "Brad says", one.published, one.text) for one in said])

    assert rules(alone, (2, 0, 1, 0)) is None
    assert rules(alone, (1, 0, 1, 0, 2, 3, 0, 4)) is not None


@pytest.mark.parametrize("name", ["titled", "kubrick", "day in item", "line in cell"])
def test_themes_from_four_pages(name: str) -> None:
    write = THEMES[name].write
    found = rules(write, (1, 2, 0, 1))
    assert found is not None
    assert [(one.author, one.content_text) for one in read(found, write)] == names_and_texts()


def test_what_says_nothing_is_no_comment() -> None:
    write = THEMES["bare items"].write
    found = rules(write, (3, 0, 4, 2))
    assert found is not None
    said = thread(60, 3)
    markup = write(said).replace(f": {said[0].text}", "").replace(said[1].text, "<img src='/cat.png' alt=''>")
    nameless = markup.replace(said[0].author, "").replace(said[1].author, "")
    assert [one.content_text for one in found.extract(parse(page(60, nameless)), url(60))] == ["", said[2].text]


def test_titles_made_of_the_texts_and_counted_names_are_no_names() -> None:
    def titled(said: Sequence[Said]) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><h4><a href='#c{one.number}'>{one.text[:24]}</a></h4><p>#{place} - Ann, "
            f"<i>{one.published:%Y-%m-%d %H:%M}</i></p><div class='t'>{one.text}</div></div>"
            for place, one in enumerate(said, 1)
        )

    found = rules(titled, (1, 0, 0, 2, 0, 0, 1, 0, 0, 0))
    assert found is not None
    assert [one.author for one in read(found, titled)] == [None] * 6


def test_what_stands_in_brackets_behind_names_is_none_of_them() -> None:
    def marked(said: Sequence[Said]) -> str:
        return "".join(
            f"<div id='c{one.number}'><h5>Comment from: <span>{one.author}</span> [{'Member' if one.number % 2 == 0 else 'Visitor'}]</h5><div>{one.text}</div>"
            f"<i>{one.published:%d.%m.%y} @ {one.published:%H:%M}</i></div>"
            for one in said
        )

    found = rules(marked, (1, 0, 2, 3, 0, 2))
    assert found is not None
    assert [(one.author, one.content_text) for one in read(found, marked)] == names_and_texts()


@pytest.mark.parametrize(("said", "count"), [("5 responses to", 5), ("7 responses to", 0), ("Responses to", 0)])
def test_comments_of_one_post_alone_are_found_where_the_page_says_how_many(said: str, count: int) -> None:
    def headed(talk: Sequence[Said]) -> str:
        return f"<h3>{said} <i>A story</i></h3>{nested(talk)}"

    found = rules(headed, (0, 0, 5, 0, 0, 0, 0))
    assert len(read(found, headed, 5) if found else ()) == count


def test_some_comments_have_blocks_that_no_others_have() -> None:
    def divided(talk: Sequence[Said]) -> str:
        return "<hr>".join(f"<p><b>{one.author}</b> ({one.published:%d.%m.%Y %H:%M})</p>{one.text}" for one in talk)

    def quoting(talk: Sequence[Said]) -> str:
        mark = "<p>{0}</p><pre>{0}</pre><blockquote><p>{0}</p></blockquote>"
        return divided([replace(one, text=mark.format(one.text)) for one in talk])

    found = rules(lambda talk: divided([replace(one, text=f"<p>{one.text}</p>") for one in talk]), (2, 0, 3, 1))
    assert found is not None
    said = thread(60, 4)
    shown = found.extract(parse(page(60, quoting(said))), url(60))
    assert [(one.author, (one.content_text or "").split("\n\n")) for one in shown] == [
        (one.author, [one.text] * 3) for one in said
    ]
