"""The date of a page that no rule fits: claimed, in a time element, or near the title."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper.fallback.dates import find_date

PARAGRAPH = "<p>Sentence <b>number</b> {} of the post, <i>which</i> is long enough.</p>"


def found(main: str, title: str | None = "Tomatoes", head: str = "") -> str | None:
    tree = parse(f"<html lang=en><head><title>Tomatoes</title>{head}</head><body>{main}</body></html>")
    fact = find_date(tree, None, title)
    return fact.value if fact else None


@pytest.mark.parametrize("count", [1, 40, 400])
@pytest.mark.parametrize(
    "around",
    [
        "<div><h2>Saturday, October 5, 2013</h2><div><div><h3>Tomatoes</h3><div>{}</div></div></div></div>",
        "<div><div><h1>Tomatoes</h1>{}</div><p>Posted on 5 October 2013</p></div>",
        "<div><!-- 1 May 2001 --><?x y?><h1>Tomatoes</h1>{}<!-- a --><p>5. Oktober 2013</p></div>",
        "<main><section><article><h1>Tomatoes</h1>{}</article></section></main><footer>2013-10-05</footer>",
    ],
)
def test_however_long_the_article_is(around: str, count: int) -> None:
    assert found(around.format("".join(map(PARAGRAPH.format, range(count))))) == "2013-10-05"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (["2025-10-30T10:53:43+00:00", "2025-10-30T02:53:43-08:00"], "2025-10-30T10:53:43+00:00"),
        (["2025-10-30T23:53:43-08:00", "2025-10-31T07:53:43Z"], "2025-10-30T23:53:43-08:00"),
        (["2025-10-30", "2025-10-30T07:53:43Z"], "2025-10-30"),
        (["2025-10-30T07:53:43Z", "2025-10-30T09:10:00Z"], None),
        (["2025-10-30T07:53:43Z", "2025-10-31T07:53:43Z"], None),
        (["2025-10-30T07:53:43Z", "soon"], None),
    ],
)
def test_one_day_is_one_claim_however_it_is_written(told: list[str], expected: str | None) -> None:
    head = "".join(f'<meta property="article:published_time" content="{one}">' for one in told)
    assert found("<h1>Tomatoes</h1>", head=head) == expected


@pytest.mark.parametrize("title", ["Tomatoes", "Words for search engines"])
def test_the_only_heading_is_asked_where_none_has_the_title(title: str) -> None:
    main = "<header><a href=/>B</a></header><main><h1>Tomatoes</h1><span>August 16, 2019</span><p>Text</p></main>"
    assert found(main, title) == "2019-08-16"


@pytest.mark.parametrize(
    ("main", "head"),
    [
        ("", '<meta property="article:published_time" content="2023-03">'),
        ("", '<meta name="dc.date" content="2023-03">'),
        ("", '<script type="application/ld+json">{"@type": "Article", "datePublished": "2023-03"}</script>'),
        ("<time datetime=2023-03>March 2023</time>", ""),
        ("<time>März 2023</time>", ""),
        ("<p>March 2023</p>", ""),
        ("<p>Posted in <b>x</b> marzo de 2023</p>", ""),
        ("<div><p>Published in March 2023</p><p>Text 2024 of it</p></div>", ""),
        ("<span>2023年3月</span>", ""),
        ("<p>March 2023 · Ingrid Halvorsen</p>", ""),
        ("<p>By Ann Lee | März 2023</p>", ""),
        ("<p>2023-03 — <a href=/ann/>Ann</a></p>", ""),
        ("<div>Ann Lee – mars 2023 • 5 min</div>", ""),
        ("<span>март 2023 г.</span>", ""),
        ("", '<meta property="article:published_time" content="mars 2023">'),
    ],
)
def test_a_month_alone_stays_one(main: str, head: str) -> None:
    assert found(f"<h1>Tomatoes</h1>{main}", head=head) == "2023-03"


@pytest.mark.parametrize(
    "main",
    [
        "<p>Last updated March 2023</p>",
        "<p>In March 2023 we sowed them.</p>",
        "<p>What we did before March 2023</p>",
        "<ul><li>March 2023</li><li>April 2023</li></ul>",
        "<p>January - March 2023</p>",
        "<p>Ann | januari – mars 2023</p>",
        "<p>Updated · March 2023</p>",
        "<p>In March 2023 - as the frost had gone at last, and with all that we had kept - we sowed them.</p>",
        "<p>31 February 2023</p>",
        "<p>Marchand 2023</p>",
        "<p>March 23</p>",
    ],
)
def test_no_month_is_invented(main: str) -> None:
    assert found(f"<h1>Tomatoes</h1>{main}") is None


def test_a_day_goes_before_a_month() -> None:
    assert found("<h1>Tomatoes</h1><p>March 2023</p><p>14 March 2023</p>") == "2023-03-14"
    assert found("<h1>Tomatoes</h1><time>March 2023</time><time>14 March 2023</time>") == "2023-03-14"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("2 May 2014", "2014-05-02"),
        ("02.05.2014", "2014-05-02"),
        ("2. Juni 2025", "2025-06-03T10:00:00+00:00"),  # a day more or less is another zone
        ("today", "2025-06-03T10:00:00+00:00"),
        ("", "2025-06-03T10:00:00+00:00"),
    ],
)
def test_a_text_of_another_day_than_its_attribute(shown: str, expected: str) -> None:
    assert found(f"<h1>Tomatoes</h1><time datetime=2025-06-03T10:00:00Z>{shown}</time>") == expected


COMMENTS = {
    "named and numbered": (
        "<ol>{}</ol>",
        "<li class=comment id=comment-{n}><cite>Ann {n}</cite> <span>on September {n}, 2018</span><p>Nice.</p></li>",
    ),
    "of no name": ("<div>{}</div>", "<div><b>Ann {n}</b> <i>1{n}. März 2018, 09:1{n}</i><p>Sehr schön.</p></div>"),
    "with times": ("<section>{}</section>", "<article><a href=/u{n}>Ann</a> <time>2018-09-0{n}</time>Hi</article>"),
    "of one day": ("<section>{}</section>", "<article><a href=/u{n}>Ann</a> <time>2018-09-02</time>Hi</article>"),
    "in a table": ("<table>{}</table>", "<tr><td>Ann {n}</td><td>2018/09/0{n}</td><td>良い記事です</td></tr>"),
    "related posts": ("<ul>{}</ul>", "<li><a href=/p{n}/>Another post</a> <small>May {n}, 2019</small></li>"),
    "a side bar": ("<aside><ul>{}</ul></aside>", "<li>May {n}, 2019: <a href=/p{n}/>Another post</a></li>"),
    "numbered classes": (
        "<main>{}</main>",
        "<div class='post-{n} post'><h3>More</h3><div>May {n}, 2019</div>Words</div>",
    ),
}
COMMENTED = [
    ("<div><div><h1>Tomatoes</h1><div><p>Text of the post.</p>{meta}</div></div>{others}</div>"),
    ("<article><header><h1>Tomatoes</h1></header><p>Text of the post.</p>{others}{meta}</article>"),
    ("<div><div>{others}</div><div><h1>Tomatoes</h1><p>Text of the post.</p></div><div>{meta}</div></div>"),
]


@pytest.mark.parametrize("around", COMMENTED)
@pytest.mark.parametrize("form", COMMENTS)
@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ("", None),
        ("<p>Posted on 5 October 2013</p>", "2013-10-05"),
        ("<ul><li><b>Posted</b> 5 October 2013</li><li><b>Updated</b> 7 October 2013</li></ul>", "2013-10-05"),
    ],
)
def test_dates_of_others(around: str, form: str, meta: str, expected: str | None) -> None:
    outer, inner = COMMENTS[form]
    others = outer.format("".join(inner.format(n=n) for n in range(1, 4)))
    assert found(around.format(others=others, meta=meta)) == expected


@pytest.mark.parametrize("name", ["comments", "comment-respond", "kommentare", "commentaires"])
def test_a_single_date_in_what_is_called_others(name: str) -> None:
    others = f"<div id={name}><div><b>Ann</b> on 1 May 2018: nice.</div></div>"
    assert found(f"<div><h1>Tomatoes</h1><p>Text</p></div>{others}") is None
    assert found(f"<div><h1>Tomatoes</h1><p>Text</p></div>{others}<p>5 October 2013</p>") == "2013-10-05"
    around = f"<div class=with-{name}><div><h1>Tomatoes</h1><p>Text</p><p>5 October 2013</p></div></div>"
    assert found(around) == "2013-10-05"


@pytest.mark.parametrize(
    "meta",
    [
        "<ul><li>Published: <a href=/2013/10/>October 5, 2013</a></li><li>Changed: <a href=/h>October 7, 2013</a></li></ul>",
        "<aside class=sidebar>5 October 2013</aside>",
        "<div class=meta>5 October 2013 in <a href=/c/>Garden</a></div><div>Rain on <a href=/d/>7 October 2013</a></div>",
        "<span class=d>5 October 2013</span> <span class=d>7 October 2013</span>",
        "<div class=m><i></i><time>2013-10-05</time></div><div class=m><i></i><time>2013-10-05</time></div>",
    ],
)
def test_dates_of_one_post(meta: str) -> None:
    assert found(f"<article><h1>Tomatoes</h1>{meta}<p>Text</p></article>") == "2013-10-05"


@pytest.mark.parametrize("name", ["published", "published-date", "w-published-date", "citation_date"])
def test_names_of_metadata_that_say_published(name: str) -> None:
    assert found("<h1>Tomatoes</h1>", head=f'<meta name="{name}" content="2013-10-05">') == "2013-10-05"


@pytest.mark.parametrize(
    "name",
    ["publisher", "unpublish_date", "unpublished_time", "publish_update", "last-published-date", "republish-date"],
)
def test_names_of_metadata_that_say_something_else(name: str) -> None:
    assert found("<h1>Tomatoes</h1>", head=f'<meta name="{name}" content="2013-10-05">') is None


def test_one_instant_in_two_zones_is_one_day() -> None:
    head = '<meta property="article:published_time" content="{}"><meta name="date" content="{}">'
    alike, apart = (
        find_date(parse(f"<!DOCTYPE html>{head.format('2013-10-05T23:30:00Z', other)}<body>"), None)
        for other in ("2013-10-05T23:30:00Z", "2013-10-06T01:30:00+02:00")
    )
    assert alike == apart


def test_what_two_places_say_goes_before_one() -> None:
    head = (
        '<meta property="article:published_time" content="2013-10-05T23:30:00Z"><meta name="date" content="2014-01-01">'
    )
    main = "<article><h1>Tomatoes</h1><p>5 October 2013</p><p>Text</p></article>"
    tree = parse(f"<html lang=en><head>{head}</head><body>{main}</body></html>")
    both = find_date(tree, None, "Tomatoes")
    alone = find_date(parse("<html lang=en><body><h1>Tomatoes</h1><p>5 October 2013</p>"), None, "Tomatoes")
    assert both is not None
    assert alone is not None
    assert both.value.startswith("2013-10-05")
    assert both.source.confidence > alone.source.confidence
