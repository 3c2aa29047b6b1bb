"""Main text, title and date of pages that no rule fits."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given

from blogcrawler.dom import inline_text, parse, readable_text
from blogcrawler.wrapper import Wrapper, learn_lines
from blogcrawler.wrapper.core.lists import lists_posts
from blogcrawler.wrapper.core.metadata import is_marked_article
from blogcrawler.wrapper.fallback.dates import find_date
from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.titles import find_title
from blogcrawler.wrapper.fields.article import Article, drop_title
from tests.wrapper.generated import hostile_pages
from tests.wrapper.pages import (
    ADDRESS,
    OLD,
    POSTS,
    Post,
    article,
    classic,
    extracted,
    layout,
    learned,
    listing,
    modern,
    prose,
    words,
)


def text_of(html: str) -> str | None:
    found = extract_main_text(parse(html))
    return " ".join(readable_text(found.article).split()) if found is not None else None


@pytest.mark.parametrize("template", [classic, modern])
def test_the_article_of_a_page_without_any_rule(template) -> None:
    for one in OLD:
        assert text_of(template(one)) == article(one)


def test_pictures_in_the_text_stay_and_the_page_is_left_as_it_is() -> None:
    one = OLD[0]
    page = parse(layout(f'<h1>{one.title}</h1><div class=e>{one.body}<p><img src="/a.png"></p>{POSTS[0].body}</div>'))
    before = inline_text(page)
    found = extract_main_text(page)
    assert found is not None
    assert [node.get("src") for node in found.article.iter("img")] == ["/a.png"]
    assert inline_text(page) == before
    assert found.container.getroottree().getroot() is page


SECRET = "Words that no reader sees on this page at all are put here for machines only, again and again, with commas."


@pytest.mark.parametrize(
    "opening",
    [
        "p hidden",
        "div HIDDEN='hidden'",
        "p style='display:none'",
        "div style='color: red; DISPLAY : None !important'",
        "section style='display:block;display:none;'",
        "p style='visibility:/* not yet */hidden'",
        "ul style='margin:0;visibility:collapse'",
        "span style='display:none'",
        "dialog",
        "template",
        "noscript",
    ],
)
def test_what_no_reader_sees_is_no_main_text(opening: str) -> None:
    name = opening.partition(" ")[0]
    one = OLD[0]
    page = classic(one)
    first = f"<p>{one.paragraphs[0]}</p>"
    for hidden in (f"<{opening}>{SECRET}</{name}>", f"<{opening}><b>{SECRET}</b> {SECRET}</{name}>"):
        assert first in page
        found = extract_main_text(parse(page.replace(first, first + hidden)))
        assert found is not None
        assert inline_text(found.article).split() == article(one).split()


@pytest.mark.parametrize(
    "opening",
    [
        "p hidden='until-found'",
        "p aria-hidden='false'",
        "div hidden id='S:0'",
        "div hidden id='app-S:1f'",
        "p style='display:none;display:block'",
        "p style='display:block !important;display:none'",
        "p style='background:url(none)'",
        "p style='/* display:none */'",
        "dialog open",
    ],
)
def test_what_readers_see_is(opening: str) -> None:
    one = OLD[0]
    shown = f"<{opening}>{SECRET}</{opening.partition(' ')[0]}>"
    assert SECRET in (text_of(layout(f"<h1>{one.title}</h1><div class=e>{one.body}{shown}{one.body}</div>")) or "")


@pytest.mark.parametrize("html", ["", "<p>Not found", "<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>"])
def test_a_page_without_main_text(html: str) -> None:
    assert text_of(f"<!DOCTYPE html><title>Blog</title><body>{html}") is None


@given(hostile_pages)
def test_main_text_is_text_of_the_page_in_its_order(html: str) -> None:
    root = parse(html)
    found = extract_main_text(root)
    if found is not None:
        rest = iter(inline_text(root).replace(" ", ""))
        assert all(character in rest for character in inline_text(found.article).replace(" ", ""))
        assert 0.5 <= found.confidence <= 1


@pytest.mark.parametrize(
    ("head", "body", "title", "source"),
    [
        ('<meta property="og:title" content="A post">', "", "A post", "metadata"),
        (
            '<meta property="og:title" content="A post | Words"><meta property="og:site_name" content="Words">',
            "",
            "A post",
            "metadata",
        ),
        (
            '<script type="application/ld+json">{"@type":"BlogPosting","headline":"A post"}</script>',
            "",
            "A post",
            "metadata",
        ),
        ("<title>A post – Words</title>", '<h1><a href="/">Words</a></h1><h2>A post</h2>', "A post", "fallback"),
        ("<title>Words: A post</title>", "<h2>A post</h2><h2>Comments</h2>", "A post", "fallback"),
        ("<title>Words</title>", "<h1>A post</h1><h2>Comments</h2>", "A post", "fallback"),
        ('<title>A post | Words</title><meta property="og:site_name" content="Words">', "", "A post", "fallback"),
    ],
)
def test_titles(head: str, body: str, title: str, source: str) -> None:
    found = find_title(parse(f"<!DOCTYPE html>{head}<body>{body}"), f"{ADDRESS}/a/")
    assert found is not None
    assert (found.value, found.source.source) == (title, source)


SEARCHED = '<title>Buy words cheaply{}</title><meta property="og:title" content="Buy words cheaply">'


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("", "<article><h1>A post</h1><p>text</article>", "A post"),
        (" | Words", "<header><h1><a href=/>Words</a></h1></header><main><div><h1>A <i>post</i></h1></div>", "A post"),
        (" | Words", "<main><h1>Words</h1><p>text", "Buy words cheaply"),
        ("", "<header><h1>We write about words</h1></header><article><p>text", "Buy words cheaply"),
        ("", "<main><h1>One</h1><h1>Two</h1>", "Buy words cheaply"),
        ("", "<main><h1>News</h1><h2>Buy words cheaply – today</h2>", "Buy words cheaply"),
        ("", "<main><h1>News</h1><h2>Buy words cheaply</h2>", "Buy words cheaply"),
    ],
)
def test_a_title_for_search_engines_and_the_heading_of_the_article(head: str, body: str, title: str) -> None:
    found = find_title(parse(f"<!DOCTYPE html>{SEARCHED.format(head)}<body>{body}"), f"{ADDRESS}/a/")
    assert found is not None
    assert found.value == title


def test_the_claimed_title_that_a_heading_repeats() -> None:
    head = '<meta property="og:title" content="Buy words"><meta name="twitter:title" content="A post">'
    found = find_title(parse(f"<!DOCTYPE html>{head}<body><h2>A post</h2>"), f"{ADDRESS}/a/")
    assert found is not None
    assert (found.value, found.source.source) == ("A post", "metadata")


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Moving to Oslo | Koia</title>", "", "Moving to Oslo"),
        ('<meta property="og:title" content="Moving to Oslo | Koia">', "<h1>Welcome</h1>", "Moving to Oslo"),
        ('<meta property="og:title" content="Moving to Oslo | Norway">', "", "Moving to Oslo | Norway"),
    ],
)
def test_the_name_that_the_host_has_is_the_site_s(head: str, body: str, title: str) -> None:
    found = find_title(parse(f"<!DOCTYPE html>{head}<body>{body}"), "http://drink-koia.example/moving-to-oslo")
    assert found is not None
    assert found.value == title


def test_a_page_without_main_text_keeps_title_and_date() -> None:
    head = '<meta property="og:title" content="A post"><meta property="article:published_time" content="2014-05-02">'
    found = Wrapper(Article(())).extract(parse(f"<!DOCTYPE html>{head}<body>"), f"{ADDRESS}/a/")
    assert (found.article, found.title, found.published) == (None, "A post", "2014-05-02")


@pytest.mark.parametrize("heading", ["404 Not Found", "Log in", "Loading"])
def test_a_heading_without_main_text_is_no_title(heading: str) -> None:
    page = parse(f"<!DOCTYPE html><title>{heading}</title><body><h1>{heading}</h1>")
    assert Wrapper(Article(())).extract(page, f"{ADDRESS}/a/").title is None


def test_a_heading_that_is_longer_than_any_title() -> None:
    started = time.process_time()
    assert find_title(parse(f"<!DOCTYPE html><body><h1>{'ab | ' * 20_000}</h1>"), f"{ADDRESS}/a/") is None
    assert time.process_time() - started < 2


@pytest.mark.parametrize("head", ["", "<title>Words</title>", "<title>A post | Words</title>"])
def test_a_title_that_nothing_tells_from_the_site_is_none(head: str) -> None:
    assert find_title(parse(f"<!DOCTYPE html>{head}<body><p>text"), f"{ADDRESS}/a/") is None


DAY = "2014-05-02"


@pytest.mark.parametrize(
    ("markup", "url", "source"),
    [
        (f'<meta property="article:published_time" content="{DAY}"><h1>A</h1>', "/a/", "metadata"),
        (
            f'<script type="application/ld+json">{{"@type":"Article","datePublished":"{DAY}"}}</script>',
            "/a/",
            "metadata",
        ),
        ("<h1>A</h1>", "/2014/05/02/a/", "url"),
        (f'<h1>A</h1><time datetime="{DAY}">long ago</time>', "/a/", "fallback"),
        (f"<div><h1>A</h1><time>{DAY}</time></div><time>2015-01-01</time>", "/a/", "fallback"),
        ("<div><h1>A</h1><p>Written on 2 May 2014</p></div><p>1 June 2015</p>", "/a/", "fallback"),
    ],
)
def test_dates(markup: str, url: str, source: str) -> None:
    found = find_date(parse(f"<!DOCTYPE html>{markup}"), ADDRESS + url, "A")
    assert found is not None
    assert (found.value, found.source.source) == (DAY, source)


@pytest.mark.parametrize(
    "markup",
    ["<h1>A</h1>", "<h1>A</h1><p>05/02/2014", "<p>2 May 2014</p>", "<time>2014-01-01</time><time>2014-01-02</time>"],
)
def test_no_date_is_guessed_where_it_is_not_clear(markup: str) -> None:
    assert find_date(parse(f"<!DOCTYPE html>{markup}"), f"{ADDRESS}/a/", "A") is None


def test_marked_articles_and_lists() -> None:
    assert is_marked_article(parse('<!DOCTYPE html><meta property="og:type" content="article">'))
    assert is_marked_article(parse('<!DOCTYPE html><div itemscope itemtype="http://schema.org/BlogPosting">a</div>'))
    assert not is_marked_article(parse('<!DOCTYPE html><meta property="og:type" content="website">'))
    assert lists_posts(parse(listing()), f"{ADDRESS}/2014/")
    assert not lists_posts(parse(classic(OLD[0])), OLD[0].url)


LINKED = "<h2>Part {0}</h2><h2><a href='/part-{0}'>The story of part {0}</a></h2>{1}"


@pytest.mark.parametrize(
    ("head", "parts"),
    [
        ("", "<h2>Bees</h2><h2>Hives</h2>" + LINKED),
        ('<meta property="og:type" content="article">', LINKED.replace("<h2>Part {0}</h2>", "")),
    ],
)
def test_headings_of_an_article_may_lead_to_other_pages(head: str, parts: str) -> None:
    one = OLD[0]
    body = "".join(parts.format(number, f"<p>{text}</p>") for number, text in enumerate(one.paragraphs))
    page = layout(f"<h1>{one.title}</h1><div class=e>{body}</div>", head=head)
    found = Wrapper(Article(())).extract(parse(page), one.url)
    assert all(text in words(found) for text in one.paragraphs)


@pytest.mark.parametrize("title", ["日记", "番茄", "Tom"])
def test_a_short_title_is_no_part_of_the_article(title: str) -> None:
    text = "这是一个关于在阳台上种植番茄的文章段落，内容很长，有逗号，还有句号。" * 4
    page = f"<title>{title} - 我的博客</title><div><h1>{title}</h1>{f'<p>{text}</p>' * 3}</div>"
    found = Wrapper(Article(())).extract(parse(page), f"{ADDRESS}/p/1/")
    assert found.title == title
    assert words(found).startswith(text)


def test_a_heading_that_is_all_of_the_article_stays() -> None:
    article = parse("<h1>A walk by the sea</h1>").find(".//h1")
    assert article is not None
    drop_title(article, "A walk by the sea")
    assert inline_text(article) == "A walk by the sea"


def old_template(one: Post) -> str:
    """What the blog looked like before: a table, no names in common with the new template."""
    return (
        f"<!DOCTYPE html><html lang=en><title>The quiet blog: {one.title}</title><body><table><tr><td width=150>"
        '<a href="/">Home</a><br><a href="/about/">About me</a><br><a href="/links/">Links</a></td><td>'
        f"<h3>{one.title}</h3><font size=1>{one.published:%d %B %Y}</font><br>{one.body.replace('p>', 'blockquote>')}"
        "</td></tr></table><center>Made by hand</center></body></html>"
    )


def test_a_page_of_another_template() -> None:
    wrapper = learned(classic)
    wrapper = Wrapper.from_dict(wrapper.to_dict())
    for one in OLD:
        found = extracted(wrapper, old_template, one)
        # the paragraphs, and perhaps the date before them
        assert words(found).endswith(article(one))
        assert len(words(found)) <= len(article(one)) + 20
        assert found.title == one.title
        assert found.published == f"{one.published:%Y-%m-%d}"
        assert {found.sources[name].source for name in ("content", "title")} == {"fallback"}
        assert wrapper.is_other_post(parse(old_template(one)), one.url)
        assert not wrapper.is_post(parse(old_template(one)), one.url)


SIGNED = (
    "<div class=r{n}><span class=author>Reader {name}</span> <b>May {n}, 2019</b><p>Nice.</p></div>",
    "<li><a href=/users/{n}/>Reader {name}</a>, <i>May {n}, 2019</i><p>Nice.</p></li>",
    "<li class=c><p>By Reader {name}</p><p>2 days ago</p><p>Nice words, and many of them, as they are below posts.</p></li>",
)


@pytest.mark.parametrize("form", SIGNED)
@pytest.mark.parametrize("byline", ["", "<p>Written by <b>Mara Lind</b></p>"])
@pytest.mark.parametrize("is_first", [False, True])
def test_names_below_a_post_are_not_its_author_s(form: str, byline: str, is_first: bool) -> None:
    others = "".join(form.format(n=n, name=name) for n, name in enumerate(("One", "Two", "Three"), start=1))

    def template(one: Post) -> str:
        parts = [f"<h3>{one.title}</h3>{one.body.replace('p>', 'blockquote>')}", f"<div>{others}</div>", byline]
        return f"<!DOCTYPE html><title>{one.title}</title><table><tr><td>{''.join(parts[:: -1 if is_first else 1])}"

    for one in OLD:
        found = extracted(learned(classic), template, one)
        assert found.authors == (["Mara Lind"] if byline else [])


def test_pages_of_another_template_that_are_no_posts() -> None:
    wrapper = learned(classic)
    about = f"<!DOCTYPE html><title>About</title><body><h1>About</h1><div>{POSTS[0].body}</div>"
    assert not wrapper.is_other_post(parse(about), f"{ADDRESS}/about/"), "it has no date"
    teasers = "".join(f'<h3><a href="{one.path}">{one.title}</a></h3>{one.body}' for one in OLD)
    dated = f"<!DOCTYPE html><title>May 2014</title><body><h1>May 2014</h1><p>1 May 2014</p><div>{teasers}</div>"
    assert not wrapper.is_other_post(parse(dated), f"{ADDRESS}/2014/05/"), "it is a list of posts"


def test_what_posts_share_is_no_main_text() -> None:
    about = (
        "<aside><h2>About the author</h2><p>This blog is written by somebody who has been keeping bees for "
        "twenty years, and who is glad of each letter that a reader of these pages sends.</p><p>Before that "
        "there were hens, of which the first hundred posts tell more than anybody wants to know.</p></aside>"
    )
    trees = [parse(classic(one).replace("</body>", f"{about}</body>")) for one in POSTS]
    wrapper = learn_lines(learned(classic), trees)
    assert Wrapper.from_dict(json.loads(json.dumps(wrapper.to_dict()))) == wrapper
    links = "".join(f'<li><a href="{one.path}">{one.title}</a></li>' for one in OLD[:3])
    listing = parse(f"<!DOCTYPE html><title>Bees</title><body><h1>Bees</h1><ul>{links}</ul>{about}</body>")
    url = f"{ADDRESS}/category/bees/"
    assert not wrapper.is_other_post(listing, url, is_linked=True)
    assert learned(classic).is_other_post(listing, url, is_linked=True), "the text alone would do"


def test_rules_go_first() -> None:
    found = extracted(learned(classic), classic, OLD[0])
    assert found.sources["content"].source == "rule"


def test_a_text_of_links_to_posts_is_a_list() -> None:
    items = "".join(f"<li>2014-05-{day:02} <a href='/post-{day}'>The post of that day</a></li>" for day in range(1, 9))
    assert lists_posts(parse(f"<body><ul>{items}</ul></body>"), f"{ADDRESS}/archive/")
    elsewhere = items.replace("/post-", "https://other.example/")
    assert not lists_posts(parse(f"<body><ul>{elsewhere}</ul></body>"), f"{ADDRESS}/links/")
    dated = "".join(f"<li>{day:02} November 2014 <a href='/post-{day}'>Bees {day}</a></li>" for day in range(1, 31))
    assert lists_posts(parse(f"<body><ul>{dated}</ul></body>"), f"{ADDRESS}/archive/")
    story = f"<p>{'Bees are kept in hives, and hives in gardens. ' * 20}</p><ul>{items}</ul>"
    assert not lists_posts(parse(f"<body>{story}</body>"), f"{ADDRESS}/a-series/")


NAMES = ("Иван", "Reader 2", "読者", "Chloé", "Mehmet", "Ann Lee")
DAYS = (
    "2 мая 2018",
    "on September 1, 2018",
    "2018年9月1日",
    "le 3 mai 2018 à 10 h 12",
    "12.03.2018 09:15",
    "2018-05-06",
)


def said(form: str) -> str:
    remark = prose("remark", 60)
    told = zip(NAMES, DAYS, strict=True)
    return "".join(form.format(at=at, name=name, day=day, text=remark) for at, (name, day) in enumerate(told, start=1))


@pytest.mark.parametrize(
    ("around", "form"),
    [
        ("<ol>{}</ol>", "<li id='comment-{at}'><div><cite>{name}</cite></div><div>{day}</div><p>{text}</p></li>"),
        ("<ol>{}</ol>", "<li><h4>{name}</h4><p>{day}</p><p>{text}</p></li>".replace("<li>", "<li id=c{at}>")),
        ("<ul class=x>{}</ul>", "<li><p>{name}</p><p>{day}</p><p>{text}</p><p>{text}</p></li>"),
        ("<section>{}</section>", "<div class='c a{at}'><b>{name}</b> <time>{day}</time><p>{text}</p></div>"),
        ("<div>{}</div>", "<article><header><a href='/u'>{name}</a>, {day}</header>{text}</article>"),
        ("<dl>{}</dl>", "<dt><b>{name}</b> ({day})</dt><dd>{text}</dd>"),
        ("<table>{}</table>", "<tr><td>{name}</td><td>{day}</td><td>{text}</td></tr>"),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
def test_comments_are_not_taken_for_a_post_shorter_than_they_are(around: str, form: str, count: int) -> None:
    text = "".join(f"<p>{prose(number, 30)}</p>" for number in range(count))
    heading = "<h1>Open thread</h1>"
    page = f"<title>Open thread</title><div><div>{heading}<div>{text}</div></div>{around.format(said(form))}</div>"
    assert text_of(page) == " ".join(prose(number, 30) for number in range(count))


@pytest.mark.parametrize(
    "form",
    [
        "<section id='day-{at}'><h3>{day}</h3><p>{text}</p></section>",
        "<div><h3>{name}</h3><p>{day}</p><p>{text}</p></div>",
        "<div class=day><b>{day}</b><p>{text}</p></div>",
        "<section id='part-{at}'><h3>{name}</h3><p>{text}</p></section>",
    ],
)
def test_sections_with_days_are_no_comments(form: str) -> None:
    text = text_of(f"<title>A year</title><h1>A year</h1><div><p>{prose('begin', 50)}</p>{said(form)}</div>")
    assert text is not None
    assert text.count(prose("remark", 60)) == len(NAMES)


BOXES = (
    "<div class='author-box'><p>{text}</p></div>",
    "<aside id=about-the-author><img src=/a.jpg width=80><h3>Ann Lee</h3><p>{text}</p></aside>",
    "<section class=authorBio><h4>Ann Lee</h4><p>{text}</p><a href=/ann>More</a></section>",
    "<div class=autor_info><p>{text}</p></div>",
    "<div class='newsletter-signup'><p>{text}</p></div>",
    "<div class=wp-block-jetpack-subscriptions><p>{text}</p><input type=email></div>",
    "<form action=/join><p>{text}</p><input type=email name=e><button>Join</button></form>",
    "<form action=/join><p>{text}</p><input name=EMAIL><button>Join</button></form>",
)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("place", ["end", "middle", "behind"])
@pytest.mark.parametrize("count", [1, 4])
def test_boxes_about_the_author_and_newsletters_are_no_main_text(box: str, place: str, count: int) -> None:
    paragraphs = [f"<p>{prose(number, 60)}</p>" for number in range(count)]
    inside = box.format(text=f"{prose('box', 12)} {prose('more', 12)}")
    at = {"end": count, "middle": count // 2, "behind": count + 1}[place]
    parts = [*paragraphs, "</article>"]
    parts.insert(at, inside)
    main = "".join(parts)
    text = text_of(f"<title>Tomatoes</title><article><h1>Tomatoes</h1>{main}")
    assert text is not None
    assert text.removeprefix("Tomatoes ") == " ".join(prose(number, 60) for number in range(count))


@pytest.mark.parametrize(
    "opening",
    [
        "<form method=post action=./><input type=email name=join>",
        "<div class=newsletter>",
        "<div class='author-box about'>",
        "<div class=subscribe id=signup>",
        "<div class=comments>",
    ],
)
def test_a_whole_page_in_what_is_called_a_box(opening: str) -> None:
    body = "".join(f"<p>{prose(number, 60)}</p>" for number in range(3))
    text = text_of(f"<title>Tomatoes</title><body><div>Menu</div>{opening}<h1>Tomatoes</h1><div>{body}</div>")
    assert text == " ".join(prose(number, 60) for number in range(3))
