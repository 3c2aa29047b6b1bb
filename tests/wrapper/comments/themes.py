"""How software and themes of several decades write comments: the body of each, and what holds them all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from tests.wrapper.comments.made import Said

MONTHS = {
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}


class Theme(NamedTuple):
    """The comments of a post as a theme writes them."""

    write: Callable[[Sequence[Said]], str]
    language: str = "en"
    #: are answers told?
    threaded: bool = False


def _name(one: Said) -> str:
    """Some have a page of their own."""
    name = escape(one.author)
    return f"<a href='http://{one.number}.test/' rel='nofollow'>{name}</a>" if one.number % 3 == 0 else name


def _month(day: dt.datetime, language: str) -> str:
    return MONTHS[language].split()[day.month - 1]


def _us(day: dt.datetime) -> str:
    return f"{day:%B} {day:%d}, {day.year} {day:%I:%M %p}"


def blogger_classic(said: Sequence[Said]) -> str:
    return (
        "<h4>Comments:</h4><dl id='comments-block'>"
        + "".join(
            f"<dt class='comment-data' id='c{one.number}'><a name='c{one.number}'></a> {_name(one)} said...</dt>"
            f"<dd class='comment-body'><p>{one.text}</p></dd><dd class='comment-footer'><span class='comment-timestamp'>"
            f"<a href='#c{one.number}' title='comment permalink'>{_us(one.published)}</a></span></dd>"
            for one in said
        )
        + "</dl>"
    )


def blogger_old(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='blogComment'><a name='{one.number}'></a>{one.text}<br><div class='byline'>"
        f"<a href='#{one.number}'>#</a> posted by <span>{_name(one)}</span> : "
        f"{one.published:%I:%M %p}, {one.published:%B %d, %Y}</div></div>"
        for one in said
    )


def movable_type(said: Sequence[Said]) -> str:
    return "<h2>Comments</h2>" + "".join(
        f"<div id='c{one.number}'><p>{one.text}</p></div>"
        f"<p class='posted'>Posted by: {_name(one)} at {_us(one.published)}</p>"
        for one in said
    )


def typepad(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='comment' id='comment-6a{one.number}'><div class='comment-content'><p>{one.text}</p></div>"
        f"<p class='comment-footer'>Posted by: {_name(one)} | <a href='#comment-6a{one.number}'>"
        f"{_us(one.published)}</a></p></div>"
        for one in said
    )


def nested_tables(said: Sequence[Said]) -> str:
    return "".join(
        f"<a name='t{one.number}'></a><table class='talk' width='100%'><tr><td><img src='/dot.gif' height='1' "
        f"width='{25 * one.level}'></td><td><table><tr><td><img src='/face.png' alt=''></td><td>"
        f"<b>{escape(one.author)}</b><br><span>{one.published:%Y-%m-%d %I:%M %p}</span> "
        f"(<a href='?thread={one.number}#t{one.number}'>link</a>)</td></tr><tr><td colspan='2'><div>{one.text}</div>"
        f"(<a href='?reply={one.number}'>Reply to this</a>)</td></tr></table></td></tr></table>"
        for one in said
    )


def drupal(said: Sequence[Said]) -> str:
    parts, level = ["<div id='comments'>"], 0
    for one in said:
        parts.append("<div class='indented'>" * (one.level - level) + "</div>" * (level - one.level))
        level = one.level
        subject = " ".join(one.text.split()[:3])
        parts.append(
            f"<a id='comment-{one.number}'></a><div class='comment'><h3><a href='#comment-{one.number}'>{subject}</a>"
            f"</h3><div class='submitted'>Submitted by {_name(one)} on {one.published:%a, %Y-%m-%d %H:%M}.</div>"
            f"<div class='content'><p>{one.text}</p></div><ul class='links'><li><a href='/reply'>reply</a></li></ul></div>"
        )
    return "".join([*parts, "</div>" * (level + 1)])


def lists_behind_items(said: Sequence[Said]) -> str:
    """Answers are in a list of their own, which is no part of what they answer."""
    parts, level = ["<ul>"], 0
    for one in said:
        parts.append("<ul>" * (one.level - level) + "</ul>" * (level - one.level))
        level = one.level
        parts.append(
            f"<li><a name='c{one.number}'></a><b>{_name(one)}</b> <i>{_us(one.published)}</i><div>{one.text}</div></li>"
        )
    return "".join([*parts, "</ul>" * (level + 1)])


def textpattern(said: Sequence[Said]) -> str:
    return (
        "<ol class='comments_wrapper'>"
        + "".join(
            f"<li id='c{one.number}'><p>{one.text}</p><p><small>— {_name(one)} · {one.published.day} "
            f"{one.published:%B %Y}, {one.published:%H:%M} · <a href='#c{one.number}'>#</a></small></p></li>"
            for one in said
        )
        + "</ol>"
    )


def dotclear(said: Sequence[Said]) -> str:
    return (
        "<div id='comments'><h3>Commentaires</h3><dl>"
        + "".join(
            f"<dt id='c{one.number}'><a href='#c{one.number}' class='comment-number'>{number}.</a> Le samedi "
            f"{one.published.day} {_month(one.published, 'fr')} {one.published.year}, {one.published:%H:%M} par "
            f"{_name(one)}</dt><dd><p>{one.text}</p></dd>"
            for number, one in enumerate(said, 1)
        )
        + "</dl></div>"
    )


def serendipity(said: Sequence[Said]) -> str:
    return "".join(
        f"<a id='c{one.number}'></a><div class='serendipity_comment' style='padding-left: {20 * one.level}px'>"
        f"<div class='serendipity_commentBody'>{one.text}</div><div class='serendipity_comment_source'>"
        f"<a href='#c{one.number}'>#{number}</a> - <strong>{_name(one)}</strong> sagte am {one.published:%d.%m.%Y %H:%M}: "
        f"(<a href='#form'>Antwort</a>)</div></div>"
        for number, one in enumerate(said, 1)
    )


def staticman(said: Sequence[Said]) -> str:
    return "".join(
        f"<article class='static-comment' id='comment-{one.number}'><img src='/a.png' alt='{escape(one.author)}'>"
        f"<h3>{_name(one)}</h3><div class='when'><a href='#comment-{one.number}'><time datetime='"
        f"{one.published:%Y-%m-%dT%H:%M:%S}'>{one.published:%b %d}</time></a></div><div><p>{one.text}</p></div></article>"
        for one in said
    )


def kubrick(said: Sequence[Said]) -> str:
    return (
        "<ol class='commentlist'>"
        + "".join(
            f"<li class='{'alt' if number % 2 else ''}' id='comment-{one.number}'><cite>{_name(one)}</cite> Says:<br>"
            f"<small class='commentmetadata'><a href='#comment-{one.number}' title=''>{_us(one.published)}</a></small>"
            f"<p>{one.text}</p></li>"
            for number, one in enumerate(said)
        )
        + "</ol>"
    )


def date_in_title(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='c' id='c{one.number}'><b>{_name(one)}</b> <a class='when' title='{one.published:%Y-%m-%d %H:%M}' "
        f"href='#c{one.number}'>link</a><p>{one.text}</p></div>"
        for one in said
    )


def reversed_order(said: Sequence[Said]) -> str:
    return kubrick(list(reversed(said)))


def one_paragraph(said: Sequence[Said]) -> str:
    """Author, day and text in one element, parted by line breaks."""
    return (
        "<ul class='talk'>"
        + "".join(f"<li><p><b>{_name(one)}</b> on {_us(one.published)}<br>{one.text}</p></li>" for one in said)
        + "</ul>"
    )


def within_date(said: Sequence[Said]) -> str:
    """The element of the day is closed behind the text."""
    return (
        "<ol class='talk'>"
        + "".join(
            f"<li id='comment-{one.number}'><span class='who'>{_name(one)}</span><br><span class='when'> "
            f"{_us(one.published)} <div class='says'><p>{one.text}</p></div></span></li>"
            for one in said
        )
        + "</ol>"
    )


def time_apart(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='c' id='comment-{one.number}'><div class='pic'></div><div class='in'><h4 class='fn'>{_name(one)}"
        f"</h4><div class='meta'>{one.published:%B %d, %Y} <span>at {one.published:%I:%M %p}</span></div>"
        f"<p>{one.text}</p><div class='reply'></div></div></div>"
        for one in said
    )


def bare_items(said: Sequence[Said]) -> str:
    """No element for the text."""
    return (
        "<ul class='talk'>"
        + "".join(f"<li><strong>{_name(one)}</strong> <em>({_us(one.published)})</em>: {one.text}</li>" for one in said)
        + "</ul>"
    )


def french(said: Sequence[Said]) -> str:
    return (
        "<ol class='commentlist'>"
        + "".join(
            f"<li class='comment' id='comment-{one.number}'><cite>{_name(one)}</cite> <span>a dit :</span>"
            f"<p class='le'>le {one.published.day} {_month(one.published, 'fr')} {one.published.year} à "
            f"{one.published:%H:%M}</p><p>{one.text}</p></li>"
            for one in said
        )
        + "</ol>"
    )


def russian(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='otzyv' id='o{one.number}'><p class='kto'>{_name(one)} пишет: {one.published.day} "
        f"{_month(one.published, 'ru')} {one.published.year} в {one.published:%H:%M}</p><div>{one.text}</div></div>"
        for one in said
    )


def japanese(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='kome'><div>{one.text}</div><p>投稿者: {_name(one)} | {one.published:%Y年%m月%d日 %H:%M}</p></div>"
        for one in said
    )


def hosts_differ(said: Sequence[Said]) -> str:
    """The blog's own answers have another class."""
    return (
        "<div id='talk-list'>"
        + "".join(
            f"<div class='{'host' if one.number % 4 == 0 else 'guest'}' id='c{one.number}'><div class='head'>"
            f"<b>{_name(one)}</b> <i>{_us(one.published)}</i></div><div class='says'><p>{one.text}</p></div></div>"
            for one in said
        )
        + "</div>"
    )


def numbered(said: Sequence[Said]) -> str:
    """A number before each name, a link to quote behind the day."""
    return "".join(
        f"<div class='post_c'><span class='nr'>{number}</span> <span class='n'>{_name(one)}</span>, "
        f"{one.published:%d/%m/%Y} &#8226; <a href='/quote/{one.number}'>Quote</a><div class='x'>{one.text}</div></div>"
        for number, one in enumerate(said, 1)
    )


def headings(said: Sequence[Said]) -> str:
    """A run of siblings without an element of its own: heading, day, paragraphs, rule."""
    return "<h2>Talk</h2>" + "".join(
        f"<h4>{_name(one)}</h4><small>{_us(one.published)}</small><p>{one.text}</p><hr>" for one in said
    )


def deep_modern(said: Sequence[Said]) -> str:
    """As page builders write: nameless wrappers, and classes that tell nothing."""
    return (
        "<section><div><div>"
        + "".join(
            f"<div class='css-1x{one.number}'><div><div><img alt='Photo of {escape(one.author)}' src='/i.png'></div><div>"
            f"<div><span>{_name(one)}</span><span> · </span><time datetime='{one.published:%Y-%m-%dT%H:%M:%S}'>a while "
            f"ago</time></div><div><p>{one.text}</p></div><div><button>Like</button><button>Answer</button></div></div>"
            "</div></div>"
            for one in said
        )
        + "</div></div></section>"
    )


def two_cells(said: Sequence[Said]) -> str:
    """A row for who and when, another for the text."""
    return (
        "<table class='book'>"
        + "".join(
            f"<tr class='h'><td>{_name(one)}</td><td>{_us(one.published)}</td></tr>"
            f"<tr class='t'><td colspan='2'>{one.text}</td></tr>"
            for one in said
        )
        + "</table>"
    )


def boxes(said: Sequence[Said]) -> str:
    """Answers stand in boxes within what they answer; only the boxes have a class."""
    parts = ["<div>"]
    for index, one in enumerate(said):
        following = said[index + 1].level if index + 1 < len(said) else 0
        parts.append(
            f"<div id='c{one.number}'><small><a href='#c{one.number}'>{_us(one.published)}</a></small> <b>{_name(one)}</b>"
            f"<p>{one.text}</p><div><a href='#form'>Reply</a></div>"
        )
        parts.append("<div class='kids'>" if following > one.level else "</div>" * (1 + 2 * (one.level - following)))
    return "".join([*parts, "</div>"])


def hosts_in_definitions(said: Sequence[Said]) -> str:
    """The host's names have another class, and texts are as short as names."""
    return (
        "<dl class='talk'>"
        + "".join(
            f"<dt class='{'host' if one.number % 4 == 0 else 'guest'}'><b>{_name(one)}</b> <i>wrote</i> {_us(one.published)}"
            f"</dt><dd><br>{one.text}<br><div><a href='#form'>Reply</a></div></dd>"
            for one in said
        )
        + "</dl>"
    )


def day_in_item(said: Sequence[Said]) -> str:
    """The day is a bare text in the comment's own element."""
    return (
        "<ul class='talk'>"
        + "".join(f"<li><b>{_name(one)}</b> on {_us(one.published)} <p>{one.text}</p></li>" for one in said)
        + "</ul>"
    )


def day_at_the_end(said: Sequence[Said]) -> str:
    return (
        "<div class='cc'>"
        + "".join(f"<p>{one.text}<br>{_name(one)}, {_us(one.published)}</p>" for one in said)
        + "</div>"
    )


def line_in_cell(said: Sequence[Said]) -> str:
    """Name and day are one bare line above the text."""
    rows = "".join(f"<tr><td>{_name(one)} on {_us(one.published)}<br>{one.text}</td></tr>" for one in said)
    return f"<table class='t'>{rows}</table>"


def titled(said: Sequence[Said]) -> str:
    """Comments have the title of their post."""
    return "".join(
        f"<div class='c' id='c{one.number}'><p><a href='#c{one.number}'>AW[2]: Post {one.number // 1000}</a></p>"
        f"<p>{one.text}</p><p class='by'>{_name(one)}, {one.published:%Y-%m-%d %H:%M}</p></div>"
        for one in said
    )


THEMES: dict[str, Theme] = {
    "boxes": Theme(boxes, threaded=True),
    "hosts in definitions": Theme(hosts_in_definitions),
    "blogger classic": Theme(blogger_classic),
    "blogger old": Theme(blogger_old),
    "movable type": Theme(movable_type),
    "typepad": Theme(typepad),
    "nested tables": Theme(nested_tables, threaded=True),
    "drupal": Theme(drupal, threaded=True),
    "lists behind items": Theme(lists_behind_items, threaded=True),
    "textpattern": Theme(textpattern),
    "dotclear": Theme(dotclear, "fr"),
    "serendipity": Theme(serendipity, "de", threaded=True),
    "staticman": Theme(staticman),
    "kubrick": Theme(kubrick),
    "date in title": Theme(date_in_title),
    "one paragraph": Theme(one_paragraph),
    "within date": Theme(within_date),
    "time apart": Theme(time_apart),
    "bare items": Theme(bare_items),
    "french": Theme(french, "fr"),
    "russian": Theme(russian, "ru"),
    "japanese": Theme(japanese, "ja"),
    "hosts differ": Theme(hosts_differ),
    "numbered": Theme(numbered, "fr"),
    "headings": Theme(headings),
    "deep modern": Theme(deep_modern),
    "two cells": Theme(two_cells),
    "reversed": Theme(reversed_order),
    "day in item": Theme(day_in_item),
    "day at the end": Theme(day_at_the_end),
    "line in cell": Theme(line_in_cell),
    "titled": Theme(titled),
}
