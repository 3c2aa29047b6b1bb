"""The date: what reads as the feed's day, in the order, with the precision and from the place that can be trusted."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, Extraction, Wrapper, learn
from tests.wrapper.pages import (
    ADDRESS,
    OLD,
    POSTS,
    Post,
    Template,
    classic,
    examples,
    extracted,
    layout,
    learned,
    modern,
    prose,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def dated(shown: str, *, head: str = "", language: str | None = "en") -> Template:
    """A template that shows the date in a format of `strftime`."""

    def template(one: Post) -> str:
        date, top = one.published.strftime(shown), one.published.strftime(head)
        return layout(f"<h1>{one.title}</h1>{date}<div class=e>{one.body}</div>", head=top, language=language)

    return template


def published(template: Template, **changes: object) -> list[str | None]:
    wrapper = learned(template, **changes)
    return [extracted(wrapper, template, one).published for one in OLD]


DAYS = [one.published.date().isoformat() for one in OLD]


@pytest.mark.parametrize(
    "shown",
    [
        "<p class=d>%d %B %Y</p>",
        "<p class=d>%B %d, %Y</p>",
        "<p class=d>Posted on %A, %b %d, %Y in Notes</p>",
        "<p class=d>%d.%m.%Y</p>",
        "<p class=d>%Y-%m-%d</p>",
        "<p class=d>%Y/%m/%d</p>",
        "<p class=d>%Y年%m月%d日</p>",
        "<div><span class=month>%b</span> <span class=day>%d</span> <span class=year>%Y</span></div>",
    ],
)
def test_notations(shown: str) -> None:
    assert published(dated(shown)) == DAYS


@pytest.mark.parametrize("shown", ["%d/%m/%Y", "%m/%d/%Y", "%d/%m/%y", "%m/%d/%y"])
def test_day_and_month_are_settled_by_agreement(shown: str) -> None:
    assert published(dated(f"<p class=d>{shown}</p>")) == DAYS


@pytest.mark.parametrize(("shown", "order"), [("%d/%m/%Y", "DMY"), ("%m/%d/%Y", "MDY")])
def test_the_feed_settles_what_every_page_leaves_open(shown: str, order: str) -> None:
    posts = [
        replace(one, published=one.published.replace(day=2 + one.number % 9, month=12 - one.number % 2))
        for one in POSTS
    ]
    template = dated(f"<p class=d>{shown}</p>")
    wrapper = learned(template, posts)
    assert wrapper.dates.order == order
    open_day = replace(OLD[0], published=OLD[0].published.replace(day=3, month=4))
    assert extracted(wrapper, template, open_day).published == f"{open_day.published:%Y-%m-%d}"


def test_time_and_offset_as_the_page_tells_them() -> None:
    assert published(modern) == [one.published.isoformat() for one in OLD]


def test_an_attribute_for_machines_goes_before_the_text() -> None:
    template = dated('<p>On <time datetime="%Y-%m-%dT%H:%M:%S+02:00">%d %B %Y</time></p>')
    assert published(template) == [f"{one.published:%Y-%m-%dT%H:%M:%S}+02:00" for one in OLD]


def test_the_time_of_a_byline_goes_before_the_day_in_the_head() -> None:
    def template(one: Post) -> str:
        main = f"<p class=d>{one.published:%B %d, %Y %H:%M}</p><div class=e>{one.body}</div>"
        return layout(main, title=f"{one.published:%B %d, %Y}")

    assert published(template, title=None) == [f"{one.published:%Y-%m-%dT%H:%M:%S}" for one in OLD]


def test_an_offset_that_lies_is_dropped() -> None:
    # Local time that the theme calls UTC: the feed knows better.
    template = dated('<time datetime="%Y-%m-%dT%H:%M:%SZ">%d %B %Y</time>')
    assert published(template) == [f"{one.published:%Y-%m-%dT%H:%M:%S}" for one in OLD]


def test_no_time_and_no_offset_is_made_up() -> None:
    assert published(classic) == DAYS


SIDE = "<aside>" + "".join(f"<li>{one.published:%B %Y}</li>" for one in reversed(POSTS)) + "</aside>"


@pytest.mark.parametrize("side", ["", SIDE])
@pytest.mark.parametrize("shown", ["%B %Y", "Ann · %b %Y · 5 min read · 3 comments", "%Y年%m月", "%Y, %B"])
def test_a_month_alone_is_read_where_pages_show_no_day(shown: str, side: str) -> None:
    template = dated(f"{side}<p class=d>{shown}</p>")
    pages = [Example(parse(template(one)), one.entry(url=f"{ADDRESS}/{one.number}"), None) for one in POSTS]
    wrapper = Wrapper.from_dict(learn(pages).to_dict())
    found = [wrapper.extract(parse(template(one)), f"{ADDRESS}/{one.number}") for one in OLD]
    assert [one.published for one in found] == [f"{one.published:%Y-%m}" for one in OLD]
    assert found[0].sources["published"].source == "rule"


def test_months_of_other_things_are_not_the_posts() -> None:
    template = dated(SIDE + "<p class=d>On the shelf since March 2012</p>")
    pages = [Example(parse(template(one)), one.entry(url=f"{ADDRESS}/{one.number}"), None) for one in POSTS]
    assert [learn(pages).extract(parse(template(one)), f"{ADDRESS}/{one.number}").published for one in OLD[:2]] == [
        None,
        None,
    ]


def test_a_date_in_the_address_alone() -> None:
    wrapper = learned(dated(""))
    assert wrapper.dates.rules == ()
    for one in OLD:
        found = extracted(wrapper, dated(""), one)
        assert found.published == f"{one.published:%Y-%m-%d}"
        assert found.sources["published"].source == "url"


def test_numbers_in_addresses_that_are_no_dates_are_none() -> None:
    pages = [Example(parse(dated("")(one)), one.entry(url=f"{ADDRESS}/2001/01/01/{one.slug}/")) for one in POSTS]
    assert learn(pages).extract(parse(dated("")(OLD[0])), f"{ADDRESS}/2001/01/01/x/").published is None


def test_when_it_was_changed_is_not_when_it_was_published() -> None:
    def template(one: Post) -> str:
        changed = one.published if one in POSTS else one.published + dt.timedelta(days=100)
        head = (
            f'<meta property="article:modified_time" content="{changed.isoformat()}">'
            f'<meta property="article:published_time" content="{one.published.isoformat()}">'
        )
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=head)

    assert published(template) == [one.published.isoformat() for one in OLD]


def test_dates_of_comments_and_side_bars_are_not_the_post_s() -> None:
    def template(one: Post) -> str:
        day = f"{one.published:%d %B %Y}"
        side = "".join(f"<li>{other.published:%d %B %Y}</li>" for other in POSTS)
        comments = f"<ol><li>Bob on {day}: yes</li><li>Eve on {day}: no</li></ol>"
        return f"<ul>{side}</ul>" + layout(f'<div class=e>{one.body}</div><p class="d">{day}</p>{comments}')

    assert published(template) == DAYS


def test_the_day_before_is_the_same_day_in_another_zone() -> None:
    late = [replace(one, published=one.published.replace(hour=1)) for one in POSTS]
    template = dated("<p class=d>%d %B %Y</p>")
    pages = [
        Example(parse(template(one)), one.entry(published=one.published.astimezone(dt.UTC).isoformat()), one.url)
        for one in late
    ]
    assert extracted(learn(pages), template, OLD[0]).published == DAYS[0]


@pytest.mark.parametrize(
    ("language", "months"),
    [
        ("fr", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
        ("de", "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
        ("ru", "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"),
        ("es", "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
        (
            "el",
            "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
        ),
    ],
)
def test_other_languages(language: str, months: str) -> None:
    def template(one: Post) -> str:
        day = f"{one.published.day} {months.split()[one.published.month - 1]} {one.published.year}"
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>", language=language)

    assert published(template, language=language) == DAYS


@pytest.mark.parametrize("same", [1, 2])
def test_a_few_comments_of_the_day_do_not_tell_where_the_date_is(same: int) -> None:
    """No post shows its date but in its address; readers answered some on the same day."""

    def answered(one: Post) -> str:
        day = (one.published + dt.timedelta(days=0 if one.number < same else 20)).date().isoformat()
        comments = f'<ol class="readers"><li><time datetime="{day}">then</time> Eve: no</li></ol>'
        if same <= one.number < len(POSTS):
            comments = "<p>No readers yet</p>"
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>{comments}")

    assert published(answered) == DAYS


@pytest.mark.parametrize(("late", "is_believed"), [(1, True), (20, False)])
def test_a_page_may_be_a_day_later_than_the_address_that_agrees_with_the_feed(late: int, is_believed: bool) -> None:
    template, one = dated("<p class=d>%d %B %Y</p>"), OLD[0]
    shown = replace(one, published=one.published + dt.timedelta(days=late))
    expected = shown if is_believed else one
    found = learned(template).extract(parse(template(shown)), one.url)
    assert found.published == expected.published.date().isoformat()


@pytest.mark.parametrize("language", [None, "en"])
@pytest.mark.parametrize("first", [1, 11])
def test_the_months_of_the_feed_tell_their_language_where_nothing_else_does(language: str | None, first: int) -> None:
    """The name "listopada" is that of November in Polish, and of October in Croatian."""
    months = {1: "stycznia", 2: "lutego", 3: "marca", 11: "listopada", 12: "grudnia"}

    def template(one: Post) -> str:
        day = f"{one.published.day} {months[one.published.month]} {one.published.year}"
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>", language=language)

    start = dt.datetime(2013, first, 1, tzinfo=dt.UTC)
    posts = [replace(one, published=start + dt.timedelta(days=5 * number)) for number, one in enumerate(POSTS)]
    old = replace(OLD[0], published=dt.datetime(2012, 11, 9, tzinfo=dt.UTC))
    pages = [replace(page, url=PLAIN) for page in examples(template, posts, language=None)]
    assert learn(pages).extract(parse(template(old)), PLAIN).published == "2012-11-09"


LISTS = [
    (
        "<ol class=readers>{}</ol>",
        "<li class='{odd}'><p>{text}</p><p><small>Bob | <a href=#c>{day:%d %b %Y}</a></small>",
    ),
    ("<div id=said>{}</div>", "<div class='said {odd}'><b>Eve</b> <i>{day:%B %d, %Y}</i><div>{text}</div></div>"),
    ("<table>{}</table>", "<tr><td>Eve<br>{day:%Y-%m-%d}</td><td>{text}</td></tr>"),
    ("<section>{}</section>", "<article><time datetime='{day:%Y-%m-%d}'>then</time><p>{text}</p></article>"),
]


def commented(one: Post, around: str, comment: str, head: str = "") -> str:
    """A page that shows no date but those of comments, the first of the post's day, and on old posts of later days."""
    late = 0 if one in POSTS else 2
    said = [
        comment.format(text=prose(f"{one.number}-{place}", 12), day=day, odd="" if place % 2 else "alt")
        for place in range(1 + one.number % 4)
        if (day := one.published + dt.timedelta(days=late + 3 * place))
    ]
    main = f"<h1>{one.title}</h1><div class=e>{one.body}</div>{around.format(''.join(said))}"
    return layout(main, head=head, language="en")


@pytest.mark.parametrize(("around", "comment"), LISTS)
@pytest.mark.parametrize("head", ["", "<meta property='article:published_time' content='{:%Y-%m-%dT%H:%M:%S}+02:00'>"])
def test_the_date_of_the_first_comment_is_not_the_post_s(around: str, comment: str, head: str) -> None:
    def template(one: Post) -> str:
        return commented(one, around, comment, head.format(one.published))

    found = published(template)
    assert [day and day[:10] for day in found] == DAYS


def test_the_date_of_the_only_comment_is_not_the_post_s() -> None:
    def template(one: Post) -> str:
        day = one.published + dt.timedelta(days=0 if one in POSTS else 5)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=c>Eve on {day:%d %B %Y}: no</p>")

    assert published(template) == DAYS


def test_a_date_below_the_article_is_the_post_s_though_comments_are_dated_too() -> None:
    def template(one: Post) -> str:
        said = "".join(
            f"<div class=c><p>{prose(f'{one.number}-{place}', 12)}</p><p class=by>Eve, {day:%d %B %Y}</p></div>"
            for place in range(1 + one.number % 3)
            if (day := one.published + dt.timedelta(days=place))
        )
        foot = f"<p class=foot>Filed on {one.published:%d %B %Y} by {one.author}</p>"
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>{foot}<div class=said>{said}</div>")

    pages = [Example(parse(template(one)), one.entry(url=f"{ADDRESS}/{one.slug}")) for one in POSTS]
    wrapper = learn(pages)
    assert [wrapper.extract(parse(template(one)), f"{ADDRESS}/{one.slug}").published for one in OLD] == DAYS


def test_a_date_wrapped_in_comments_of_the_markup() -> None:
    assert published(dated("<p class=d><!-- date -->%d %B %Y<!-- /date --></p>")) == DAYS


def test_a_feed_without_dates_leaves_them_to_be_guessed() -> None:
    found: Extraction = extracted(learned(classic, published=None), classic, OLD[0])
    assert found.published == DAYS[0]
    assert found.sources["published"].source in {"url", "fallback"}


@pytest.mark.parametrize(
    "of_site",
    [
        "<p>Last updated: 5 January 2024</p>",
        '<p><time datetime="2024-01-05">in winter</time></p>',
        '<p><span itemprop="datePublished" content="2024-01-05"></span></p>',
    ],
)
@pytest.mark.parametrize("shown", ["", "<p>%d %B %Y</p>"])
def test_a_date_that_all_pages_show_alike_is_not_guessed(shown: str, of_site: str) -> None:
    def template(one: Post) -> str:
        day = one.published.strftime(shown)
        return layout(f"<div><h1>{one.title}</h1>{of_site}<div class=e>{one.body}</div>{day}</div>")

    told = learn(Example(page.tree, page.entry, PLAIN) for page in examples(template, published=None))
    wrapper = Wrapper.from_dict(told.to_dict())
    for one, day in zip(OLD, DAYS, strict=True):
        assert wrapper.extract(parse(template(one)), PLAIN.format(one.slug)).published == (day if shown else None)


def test_posts_of_one_day_keep_the_date_that_all_show_alike() -> None:
    def template(one: Post) -> str:
        return layout(f"<div><h1>{one.title}</h1><p>5 January 2024</p><div class=e>{one.body}</div></div>")

    pages = [pair for one in POSTS for pair in examples(template, [one], published=f"2024-01-05T{one.number:02}:00")]
    wrapper = learn(pages)
    assert not wrapper.dates.of_site


@pytest.mark.parametrize("day", ["yesterday", "2014-02-31", "", "0000-00-00T00:00:00Z", "99999-01-01"])
def test_dates_in_the_feed_that_are_none(day: str) -> None:
    assert learned(classic, published=day).dates.rules == ()


def test_a_page_without_its_date_has_none() -> None:
    wrapper = learned(classic)
    page = parse(classic(OLD[0]).replace("byline", "other").replace('class="date"', ""))
    assert wrapper.extract(page, f"{ADDRESS}/about/").published is None


def changed_on(one: Post) -> dt.datetime:
    return one.published + dt.timedelta(days=20 + one.number)


@pytest.mark.parametrize(
    "shown",
    [
        "Posted {posted}, updated {changed}",
        "Updated {changed}, posted {posted}",
        "{changed} (first published {posted})",
        "{changed} updated {posted} published",
        "{changed} | {posted}",
    ],
)
def test_the_right_one_of_two_dates(shown: str) -> None:
    def template(one: Post) -> str:
        day = shown.format(posted=f"{one.published:%d %B %Y}", changed=f"{changed_on(one):%d %B %Y}")
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>")

    assert published(template) == DAYS


def test_a_date_that_is_alone_where_others_have_two() -> None:
    def template(one: Post) -> str:
        changed = f"Updated {changed_on(one):%d %B %Y}, " if one.number % 3 else ""
        day = f"{changed}posted {one.published:%d %B %Y}"
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>")

    assert published(template) == DAYS


FETCHED = dt.datetime(2013, 6, 10, 15, tzinfo=dt.UTC)


def ago(one: Post, fetched: dt.datetime = FETCHED) -> str:
    days = (fetched.date() - one.published.date()).days
    return f"{days // 7} weeks ago" if days > 40 else f"{days} days ago" if days > 1 else "yesterday"


def learned_at(template: Template, posts: list[Post]) -> Wrapper:
    return learn(Example(parse(template(one)), one.entry(), one.url, FETCHED) for one in posts)


@pytest.mark.parametrize("mixed", [True, False], ids=["of both forms", "all relative"])
def test_new_posts_say_how_long_ago_and_old_ones_the_day(mixed: bool) -> None:
    posts = [one for one in POSTS if one.number >= 8 or mixed]

    def template(one: Post) -> str:
        day = ago(one) if one in POSTS[8:] else f"{one.published:%d/%m/%Y}"
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>", side="25/12/2012")

    wrapper = learned_at(template, posts)
    assert [wrapper.extract(parse(template(one))).published for one in OLD] == DAYS


def test_old_posts_are_learned_from_and_new_ones_say_how_long_ago() -> None:
    def template(one: Post) -> str:
        day = f"{one.published:%d %B %Y}" if one in POSTS else ago(one, now)
        return layout(f"<h1>{one.title}</h1><p class=d>{day}</p><div class=e>{one.body}</div>")

    now = OLD[0].published + dt.timedelta(days=3)
    wrapper = learned_at(template, list(POSTS))
    assert wrapper.extract(parse(template(OLD[0])), fetched=now).published == DAYS[0]
    assert wrapper.extract(parse(template(OLD[0]))).published is None
    assert wrapper.is_post(parse(template(OLD[0])), fetched=now)


def test_weeks_are_no_day() -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><p class=d>{ago(one)}</p><div class=e>{one.body}</div>")

    assert learned_at(template, list(POSTS[:5])).dates.rules == ()
    wrapper = learned_at(template, list(POSTS))
    found = [wrapper.extract(parse(template(one)), fetched=FETCHED).published for one in POSTS]
    assert found[:8] == [None] * 8
    assert found[11] == POSTS[11].published.date().isoformat()


def test_the_text_for_readers_where_the_one_for_machines_is_missing() -> None:
    def template(one: Post) -> str:
        data = f' datetime="{one.published.isoformat()}"' if one in POSTS else ""
        day = f"<time class=d{data}>{one.published:%d %B %Y}</time>"
        return layout(f"<h1>{one.title}</h1>{day}<div class=e>{one.body}</div>")

    assert published(template) == DAYS


@pytest.mark.parametrize(("days", "expected"), [("25/04/2014", "2014-04-05"), ("04/25/2014", "2014-05-04"), ("", None)])
def test_other_dates_of_the_pages_settle_day_and_month(days: str, expected: str | None) -> None:
    def template(one: Post, shown: str = "") -> str:
        side = f"<p>{days}</p>" if days else ""
        text = shown or ago(one)
        return layout(f"<h1>{one.title}</h1><p class=d>{text}</p><div class=e>{one.body}</div>", side=side)

    wrapper = learned_at(template, list(POSTS[8:]))
    assert wrapper.extract(parse(template(OLD[0], "05/04/2014"))).published == expected


def test_the_language_settles_day_and_month_at_last() -> None:
    def template(one: Post, shown: str = "") -> str:
        text = shown or ago(one)
        return layout(f"<h1>{one.title}</h1><p class=d>{text}</p><div class=e>{one.body}</div>", language="de")

    wrapper = learned_at(template, list(POSTS[8:]))
    assert wrapper.extract(parse(template(OLD[0], "05.04.2014"))).published == "2014-04-05"


def test_addresses_are_believed_as_far_as_they_agree_with_the_feed() -> None:
    def learned_of(wrong: int) -> Wrapper:
        moved = [one.url if one.number >= wrong else f"{ADDRESS}/2001/01/01/{one.slug}/" for one in POSTS]
        return learn(Example(parse(dated("")(one)), one.entry(), url) for one, url in zip(POSTS, moved, strict=True))

    sure, doubtful = learned_of(0), learned_of(3)
    found = extracted(sure, dated(""), OLD[0])
    assert (found.published, found.sources["published"].confidence) == (DAYS[0], 0.929)
    assert extracted(doubtful, dated(""), OLD[0]).published is None


@pytest.mark.parametrize("shown", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y"])
def test_other_pages_settle_day_and_month_where_the_feed_has_no_dates(shown: str) -> None:
    assert published(dated(f"<p class=d>{shown}</p>"), published=None) == DAYS


def related(one: Post) -> str:
    others = [OLD[(one.number + step) % len(OLD)] for step in (1, 3)]
    return "".join(f'<p><a href="{other.path}">{other.title}</a> {other.published:%d %B %Y}</p>' for other in others)


@pytest.mark.parametrize(
    "shown",
    [
        lambda one: "<p>Last updated: 5 January 2024</p>",
        lambda one: '<p><time datetime="2024-01-05">in winter</time></p>',
        related,
    ],
)
def test_a_date_that_the_feed_disproves_is_not_guessed(shown: Callable[[Post], str]) -> None:
    def template(one: Post) -> str:
        return layout(f"<div><h1>{one.title}</h1><div class=e>{one.body}</div>{shown(one)}</div>")

    pages = [Example(parse(template(one)), one.entry(), PLAIN.format(one.slug)) for one in POSTS]
    wrapper = Wrapper.from_dict(learn(pages).to_dict())
    for one in OLD:
        assert wrapper.extract(parse(template(one)), PLAIN.format(one.slug)).published is None


PLAIN = "http://blog.test/{}"


@pytest.mark.parametrize("label", ["Updated: ", "Last edited on ", "Geändert am "])
def test_a_date_before_the_right_one_that_some_posts_have(label: str) -> None:
    def template(one: Post) -> str:
        changed = f"<em>{label}{one.published + dt.timedelta(days=40):%d %B %Y}</em> " if one.number % 3 == 0 else ""
        shown = f"<p class=d>{changed}{one.published:%d %B %Y}</p>"
        return layout(f"<h1>{one.title}</h1>{shown}<div class=e>{one.body}</div>")

    wrapper = Wrapper.from_dict(learned(template).to_dict())
    assert [extracted(wrapper, template, one).published for one in OLD] == DAYS


def test_a_post_that_tells_only_when_it_was_changed_is_a_post() -> None:
    def template(one: Post, posted: str = "Posted {:%d %B %Y}") -> str:
        changed = f"Updated {changed_on(one):%d %B %Y} " if one.number % 2 or not posted else ""
        shown = posted.format(one.published) if changed else f"{one.published:%d %B %Y}"
        return layout(f"<h1>{one.title}</h1><p class=d>{changed}{shown}</p><div class=e>{one.body}</div>")

    wrapper = Wrapper.from_dict(learned(template).to_dict())
    changed = [parse(template(one, posted="")) for one in OLD]
    assert "published" in wrapper.required
    assert all(wrapper.is_post(tree) for tree in changed)
    assert [wrapper.extract(tree).published for tree in changed] == [None] * len(OLD)
