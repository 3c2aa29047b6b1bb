"""Comments as many themes write them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Comment
from blogcrawler.wrapper.comments import CommentExample, CommentRules, learn_comments
from tests.wrapper.comments.made import FIRST, Said, flat, page, rules, thread, url, wrapper
from tests.wrapper.comments.themes import THEMES, Theme

COUNTS = (3, 0, 7, 1, 4, 2, 5, 0)


def shown(post: int, markup: str, language: str = "en") -> str:
    return page(post, markup).replace("<html>", f"<html lang='{language}'>")


def learned(theme: Theme, counts: Sequence[int] = COUNTS) -> CommentRules:
    made = []
    for post, count in enumerate(counts, 1):
        markup = theme.write(thread(post, count, threaded=theme.threaded)) if count else ""
        day = (FIRST + dt.timedelta(days=10 * post)).isoformat()
        made.append(CommentExample(parse(shown(post, markup, theme.language)), url(post), day))
    found = learn_comments(made, wrapper())
    assert found is not None
    return found


def told(said: Sequence[Said]) -> list[tuple[str, str, str]]:
    return [(one.author, f"{one.published:%Y-%m-%d}", one.text) for one in said]


@pytest.mark.parametrize("name", THEMES)
def test_author_day_and_text_of_every_comment(name: str) -> None:
    theme = THEMES[name]
    rules = learned(theme)
    for post, count in ((60, 9), (61, 1)):
        said = thread(post, count, threaded=theme.threaded)
        found = rules.extract(parse(shown(post, theme.write(said), theme.language)), url(post))
        read = [(one.author, (one.published or "")[:10], one.content_text) for one in found]
        assert sorted(map(str, read)) == sorted(map(str, told(said)))
        if theme.threaded:
            own = {one.number: comment.id for one, comment in zip(said, found, strict=True)}
            assert [one.parent for one in found] == [own.get(one.parent or 0) for one in said]


def other_said(post: int, count: int = 4) -> list[Said]:
    """Comments of other posts, later than the post, that no other page shows."""
    return thread(200 + post, count)


def recent_comments(post: int) -> str:
    """A side bar with what was said of other posts: a selection that is another one on each page."""
    return (
        "<div class='widget'><h3>Recent comments</h3><ul class='latest'>"
        + "".join(
            f"<li><b>{one.author}</b> <a href='/{300 + post * 7 + number}/#comment-{one.number}'>{one.published:%B %d, %Y}</a>"
            f"<p>{one.text[:80]}…</p></li>"
            for number, one in enumerate(other_said(post))
        )
        + "</ul></div>"
    )


def related_posts(post: int) -> str:
    """What is like the post, with days and excerpts."""
    return (
        "<div class='related'>"
        + "".join(
            f"<div class='rel'><h4><a href='/{400 + one.number}/'>{one.text[:30]}</a></h4><i>{one.published:%B %d, %Y}</i>"
            f"<p>{one.text}</p></div>"
            for one in other_said(post, 3)
        )
        + "</div>"
    )


def newest_posts(post: int) -> str:
    """A footer with posts, with the names of their authors."""
    return (
        "<div class='foot'>"
        + "".join(
            f"<p><a href='/{400 + one.number}/'>{one.text[:40]}</a> by {one.author}, {one.published:%B %d, %Y}</p>"
            for one in other_said(post, 3)
        )
        + "</div>"
    )


def changing_form(post: int) -> str:
    """A form that asks another question on each page, and tells the day."""
    return (
        f"<div id='respond'><p>Today is June {post % 28 + 1}, 2016. What is {post} and {post % 7}?</p><form><label>Name"
        "<input></label></form></div>"
    )


def tweets(post: int) -> str:
    """What the author says elsewhere."""
    return (
        "<ul class='tweets'>"
        + "".join(
            f"<li>{one.text} <a href='http://twitter.test/me/{one.number}'>{one.published:%B %d, %Y}</a></li>"
            for one in other_said(7, 3)
        )
        + "</ul>"
    )


def neighbours(post: int) -> str:
    """The next and the last post with their days."""
    return (
        "<div class='nav'>"
        + "".join(
            f"<div class='n'><span>{way}</span><a href='/{post + step}/'>A story of {post + step} and more</a>"
            f"<small>{FIRST + dt.timedelta(days=10 * (post + step)):%B %d, %Y}</small></div>"
            for way, step in (("Older", -1), ("Newer", 1))
        )
        + "</div>"
    )


TRAPS = [recent_comments, related_posts, newest_posts, changing_form, tweets, neighbours]


@pytest.mark.parametrize("name", ["kubrick", "movable type", "staticman"])
def test_what_else_has_days_is_no_comment(name: str) -> None:
    def beside(post: int) -> str:
        return "".join(trap(post) for trap in TRAPS)

    made = []
    for post, count in enumerate(COUNTS, 1):
        markup = THEMES[name].write(thread(post, count, threaded=False)) if count else ""
        day = (FIRST + dt.timedelta(days=10 * post)).isoformat()
        made.append(CommentExample(parse(shown(post, markup + beside(post))), url(post), day))
    rules = learn_comments(made, wrapper())
    assert rules is not None
    said = thread(60, 4, threaded=False)
    found = rules.extract(parse(shown(60, THEMES[name].write(said) + beside(60))), url(60))
    assert [one.content_text for one in found] == [one.text for one in said]
    assert rules.extract(parse(shown(61, beside(61))), url(61)) == []


@pytest.mark.parametrize("trap", TRAPS)
def test_nothing_is_learned_from_what_else_has_days(trap: Callable[[int], str]) -> None:
    made = [
        CommentExample(parse(shown(post, trap(post))), url(post), (FIRST + dt.timedelta(days=10 * post)).isoformat())
        for post in range(1, 9)
    ]
    assert learn_comments(made, wrapper()) is None


def read(pages: dict[int, str], markup: str, post: int = 60) -> list[Comment]:
    """What is read from a page after learning from others."""
    made = [
        CommentExample(parse(shown(number, said)), url(number), (FIRST + dt.timedelta(days=10 * number)).isoformat())
        for number, said in pages.items()
    ]
    rules = learn_comments(made, wrapper())
    assert rules is not None
    return rules.extract(parse(shown(post, markup)), url(post))


def classed(said: Sequence[Said], names: Sequence[str] = ()) -> str:
    """A list whose items have classes: `names` instead of "comment" for the first ones."""
    return (
        "<ol class='commentlist'>"
        + "".join(
            f"<li class='{name}' id='comment-{one.number}'><div class='body'><cite class='fn'>{one.author}</cite>"
            f"<div class='meta'><a href='#comment-{one.number}'>{one.published:%B %d, %Y}</a></div><p>{one.text}</p></div></li>"
            for one, name in zip(said, [*names, *["comment"] * len(said)], strict=False)
        )
        + "</ol>"
    )


def test_items_of_another_class_in_a_list_of_comments_are_comments() -> None:
    pages = {post: classed(thread(post, 3)) for post in range(1, 8)}
    said = thread(60, 4)
    found = read(pages, classed(said, ["pingback even", "byuser"]))
    assert [(one.author, one.content_text) for one in found] == [(one.author, one.text) for one in said]
    unnamed = {post: markup.replace(" class='body'", "").replace(" class='meta'", "") for post, markup in pages.items()}
    found = read(unnamed, classed(said, ["host"]).replace(" class='body'", "").replace(" class='meta'", ""))
    assert [(one.author, one.content_text) for one in found] == [(one.author, one.text) for one in said]


PINGBACK = "<li class='post pingback'><p>Pingback: <a href='http://other.test/7/'>Another page</a></p></li>"


def test_a_pingback_without_a_day_that_no_page_has_shown_before() -> None:
    pages = {post: classed(thread(post, 3)) for post in range(1, 8)}
    found = read(pages, classed(thread(60, 2)).replace("</ol>", PINGBACK + "</ol>"))
    assert [(one.kind, one.author) for one in found][2:] == [("pingback", "Another page")]
    assert len(found) == 3


def test_the_day_of_a_pingback_of_another_form_is_known() -> None:
    ping = PINGBACK.replace("<p>", "<i>May 6, 2016</i> <p>")
    pages = {
        post: classed(thread(post, 3)).replace("</ol>", ping.replace("page", f"page {post}") + "</ol>")
        for post in (1, 2)
    }
    pages |= {post: classed(thread(post, 3)) for post in range(3, 8)}
    found = read(pages, classed(thread(60, 2)).replace("</ol>", ping + "</ol>"))[-1]
    assert (found.kind, found.author, found.published, found.content_text) == (
        "pingback", "Another page", "2016-05-06", "Pingback: Another page",
    )  # fmt: skip
    titled = PINGBACK.replace("Another page", "Links of May 6, 2016")
    found = read(pages, classed(thread(60, 2)).replace("</ol>", titled + "</ol>"))[-1]
    assert (found.published, found.content_text) == (None, "Pingback: Links of May 6, 2016")


@pytest.mark.parametrize(
    "item",
    [
        "<li class='feed'>Subscribe: <a href='/60/feed/'>Comments feed</a></li>",
        "<li class='more'><a href='http://other.test/'>Sponsor</a></li>",
        "<li class='note'>Comments are closed.</li>",
    ],
)
def test_other_items_without_a_day_are_no_comments(item: str) -> None:
    pages = {post: classed(thread(post, 3)) for post in range(1, 8)}
    assert len(read(pages, classed(thread(60, 2)).replace("</ol>", item + "</ol>"))) == 2


def test_paragraphs_with_days_that_have_another_class_are_no_comments() -> None:
    def posted(post: int, count: int, *, is_odd: bool) -> str:
        own = f"<p class='posted'>Posted by: me at {FIRST + dt.timedelta(days=10 * post):%B %d, %Y}</p>"
        odd = "<p align='right'><a href='/2/'>Back on May 5, 2016</a> | <a href='/'>Main</a></p>" if is_odd else ""
        return odd + own + THEMES["movable type"].write(thread(post, count, threaded=False))

    pages = {post: posted(post, 5, is_odd=post == 3) for post in range(1, 9)}
    said = thread(60, 3, threaded=False)
    for is_odd in (False, True):
        found = read(pages, posted(60, 3, is_odd=is_odd))
        assert [(one.author, one.content_text) for one in found] == told_texts(said)


@pytest.mark.parametrize("time", ["", " at 12:30"])
@pytest.mark.parametrize("line", ["p", "div"])
@pytest.mark.parametrize("quiet", [0, 12])
def test_the_line_of_a_post_in_the_form_of_those_of_comments_is_none(line: str, time: str, quiet: int) -> None:
    """Below the article, with a list of trackbacks before that of comments; most pages may have neither."""

    def posted(post: int, said: Sequence[Said]) -> str:
        day = FIRST + dt.timedelta(days=10 * post)
        own = f"<{line} class=posted>Posted by me, {day:%B %d, %Y}{time}</{line}>"
        lines = [
            f"<div id=c{one.number}><p>{one.text}</p></div>"
            f"<{line} class=posted>Posted by {one.author}, {one.published:%B %d, %Y}{time and one.published.strftime(' at %H:%M')}</{line}>"
            for one in said
        ]
        ping = lines[:1] if len(said) > 3 else []
        heads = [
            "<h2>TrackBacks</h2><p class=tech>http://a.test/tb/1</p>",
            *ping,
            "<h2>Comments</h2>",
            *lines[len(ping) :],
        ]
        return f"{own}{''.join(heads)}<h2>Say something</h2><div><p>Sign in, please.</p></div>"

    pages = {post: posted(post, thread(post, post % 5, threaded=False)) for post in range(1, 11)}
    pages |= {post: posted(post, ()) for post in range(11, 11 + quiet)}
    said = thread(60, 2, threaded=False)
    found = read(pages, posted(60, said))
    assert [(one.author, one.content_text) for one in found] == told_texts(said)
    assert read(pages, posted(60, ())) == []


def test_times_are_no_names() -> None:
    def timed(post: int) -> str:
        markup = THEMES["time apart"].write(thread(post, 4))
        for number, one in enumerate(thread(post, 4)):
            if number % 2:
                title = f"{one.text} of what they wrote about it elsewhere | Another page {one.number}"
                link = f"<a href='http://other.test/{one.number}'>{title}</a>"
                markup = markup.replace(f"fn'>{one.author}<", f"fn'>{link}<")
        return markup

    found = read({post: timed(post) for post in range(1, 9)}, timed(60))
    assert all("M" not in (one.author or "")[-2:] for one in found)
    assert [one.author for one in found][::2] == [one.author for one in thread(60, 4)][::2]


def told_texts(said: Sequence[Said]) -> list[tuple[str, str]]:
    return [(one.author, one.text) for one in said]


LONG = "A very long title of a page that links to this post, " * 4 + "at last"


@pytest.mark.parametrize("author", ["...", "???? ??", "<a href='http://other.test/1/'>" + LONG + "</a>"])
def test_names_of_signs_and_titles_of_any_length(author: str) -> None:
    pages = {post: classed(thread(post, 3)) for post in range(1, 8)}
    said = thread(60, 2)
    found = read(pages, classed(said).replace(f">{said[0].author}</cite>", f">{author}</cite>", 1))
    assert found[0].author == (LONG if LONG in author else author)
    assert [one.content_text for one in found] == [one.text for one in said]


def test_pingbacks_with_a_day_and_long_titles_are_their_links() -> None:
    def pings(post: int) -> str:
        return (
            "<ol class='pings'>"
            + "".join(
                f"<li><a class='url' href='http://p{one.number}.test/'>{one.text * (3 if number == 1 else 1)}</a>"
                f"<br>Pingback: <time datetime='{one.published:%Y-%m-%d}'>{one.published:%B %d, %Y}</time></li>"
                for number, one in enumerate(thread(post, 3))
            )
            + "</ol>"
        )

    said = thread(60, 3)
    found = read({post: pings(post) for post in range(1, 9)}, pings(60))
    assert [one.kind for one in found] == ["pingback"] * 3
    assert [one.author for one in found] == [said[0].text, said[1].text * 3, said[2].text]


def test_people_without_a_name_have_none() -> None:
    def anonymous(post: int, count: int) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><p class='by'>"
            + ("" if one.number % 6 == 0 else f"<b>{one.author}</b>, ")
            + f"<i>{one.published:%B %d, %Y}</i></p><div class='t'><p>{one.text}</p></div><div><a href='#f'>Reply</a></div></div>"
            for one in thread(post, count)
        )

    said = thread(60, 8)
    found = read({post: anonymous(post, 4) for post in range(1, 9)}, anonymous(60, 8))
    assert [(one.author, one.content_text) for one in found] == [
        (None if one.number % 6 == 0 else one.author, one.text) for one in said
    ]


def test_a_margin_of_nothing_at_each_comment_tells_that_answers_have_more() -> None:
    found = rules(flat, (1, 0, 1, 1, 0, 1, 1, 0, 0, 1))
    assert found is not None
    said = thread(60, 9)
    read_ = found.extract(parse(page(60, flat(said))), url(60))
    own = {one.number: comment.id for one, comment in zip(said, read_, strict=True)}
    assert [one.parent for one in read_] == [own.get(one.parent or 0) for one in said]


def test_names_that_only_pictures_tell() -> None:
    def pictured(post: int) -> str:
        return "".join(
            f"<div class='c' id='c{one.number}'><img class='avatar' src='/{one.number}.png' alt='{one.author}'>"
            f"<i>{one.published:%B %d, %Y}</i><div class='t'><p>{one.text}</p></div></div>"
            for one in thread(post, 4)
        )

    found = read({post: pictured(post) for post in range(1, 9)}, pictured(60))
    assert [(one.author, one.content_text) for one in found] == told_texts(thread(60, 4))


def test_quotes_are_part_of_the_text_and_deleted_comments_are_comments() -> None:
    def marked(post: int) -> str:
        markup = THEMES["kubrick"].write(thread(post, 4, threaded=False))
        for number, one in enumerate(thread(post, 4, threaded=False)):
            new = (
                "<i>[deleted]</i>"
                if number == 1
                else f"</p><blockquote><p>As {one.number} said</p></blockquote><p>{one.text}"
            )
            markup = markup.replace(one.text, new)
        return markup

    said = thread(60, 4, threaded=False)
    found = read({post: marked(post) for post in range(1, 9)}, marked(60))
    assert [" ".join((one.content_text or "").split()) for one in found] == [
        "[deleted]" if number == 1 else f"As {one.number} said {one.text}" for number, one in enumerate(said)
    ]


def test_lists_of_pingbacks_apart_from_comments() -> None:
    def both(post: int) -> str:
        pings = (
            "<h3>Trackbacks</h3><ol class='pings'>"
            + "".join(
                f"<li><a href='http://p{one.number}.test/'>{one.text[:30]}</a> <small>{one.published:%B %d, %Y}</small></li>"
                for one in thread(100 + post, 2)
            )
            + "</ol>"
        )
        return classed(thread(post, 3)) + pings

    found = read({post: both(post) for post in range(1, 9)}, both(60))
    assert [one.kind for one in found] == ["comment"] * 3 + ["pingback"] * 2


def test_the_one_comment_of_a_blog_is_found_where_its_feed_tells_it() -> None:
    said = thread(3, 1)
    feed = (Comment(author=said[0].author, content_text=said[0].text),)
    made = [
        CommentExample(
            parse(shown(post, classed(said) if post == 3 else "")), url(post), None, feed if post == 3 else ()
        )
        for post in range(1, 9)
    ]
    rules = learn_comments(made, wrapper())
    assert rules is not None
    assert [one.content_text for one in rules.extract(made[2].tree, url(3))] == [said[0].text]


def test_the_rest_of_a_list_in_a_box_of_its_own_answers_nobody() -> None:
    def parted(said: Sequence[Said]) -> str:
        return flat([replace(one, level=0) for one in said[:3]]) + (
            f"<div class='more'>{flat([replace(one, level=0) for one in said[3:]])}</div>" if said[3:] else ""
        )

    found = read({post: parted(thread(post, count)) for post, count in enumerate(COUNTS, 1)}, parted(thread(60, 7)))
    assert len(found) == 7
    assert not any(one.parent for one in found)
