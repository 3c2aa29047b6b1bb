"""The wrapper as a whole: kept and read again, on pages that are posts and on pages that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from lxml.etree import tostring

from blogcrawler.dom import parse
from blogcrawler.errors import NotEnoughExamples, UnreadableRules
from blogcrawler.wrapper import Example, Extraction, Wrapper, learn
from blogcrawler.wrapper.wrapper import VERSION
from tests.stored_forms import other_forms
from tests.wrapper import generated
from tests.wrapper.pages import (
    ADDRESS,
    OLD,
    POSTS,
    Post,
    Template,
    article,
    classic,
    examples,
    extracted,
    layout,
    learned,
    listing,
    modern,
    recent,
    summaries,
    words,
)

WRAPPERS = [learned(classic), learn(summaries(modern))]
TEMPLATES = pytest.mark.parametrize("template", [classic, modern])


def kept(wrapper: Wrapper) -> Wrapper:
    return Wrapper.from_dict(json.loads(json.dumps(wrapper.to_dict())))


def everything(found: Extraction) -> tuple[object, ...]:
    return words(found), found.title, found.authors, found.published, found.tags, found.language


@TEMPLATES
def test_all_fields_of_posts_that_the_feed_has_not(template: Template) -> None:
    wrapper = learned(template)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert words(found) == article(one)
        assert (found.title, found.authors, set(found.tags)) == (one.title, [one.author], set(one.tags))
        assert found.published is not None
        assert one.published.isoformat().startswith(found.published)
        assert found.language == "en"
        assert set(found.sources) == {"content", "title", "authors", "published", "tags", "language"}
        assert all(0 < source.confidence <= 1 for source in found.sources.values())


@TEMPLATES
def test_kept_and_read_again(template: Template) -> None:
    for wrapper in (learned(template), learn(summaries(template)), learned(template, authors=("admin",))):
        again = kept(wrapper)
        assert again.to_dict() == wrapper.to_dict()
        for one in OLD:
            assert everything(extracted(again, template, one)) == everything(extracted(wrapper, template, one))


def test_a_wrapper_read_again_is_equal() -> None:
    wrapper = learned(modern, POSTS[:7])
    assert kept(wrapper) == wrapper
    assert {kept(wrapper), wrapper} == {wrapper}


def test_the_stored_form_stays() -> None:
    stored = json.loads(Path(__file__).with_name("data").joinpath("stored.json").read_text("utf-8"))
    wrapper = Wrapper.from_dict(stored)
    assert json.loads(json.dumps(wrapper.to_dict())) == stored
    assert wrapper.dates.updates.places == ("meta",)
    assert [exclusion.extent for exclusion in wrapper.article.exclusions.nodes] == ["node", "after"]
    assert wrapper.older[0].article.picture == wrapper.article.picture is not None


def test_a_wrapper_that_lacks_a_field_or_has_another_is_refused() -> None:
    """As one of an older form, which a new field must not fill with a default in silence: raise VERSION."""
    stored = json.loads(Path(__file__).with_name("data").joinpath("stored.json").read_text("utf-8"))
    for changed in other_forms(stored):
        with pytest.raises(UnreadableRules):
            Wrapper.from_dict(changed)


@pytest.mark.parametrize("version", [None, 0, VERSION - 1, VERSION + 1, 99, str(VERSION)])
def test_a_wrapper_of_another_version_is_refused(version: object) -> None:
    data = {**learned(classic).to_dict(), "version": version}
    with pytest.raises(UnreadableRules, match=r"another version.*crawl the blog again.*\.$"):
        Wrapper.from_dict(data)


@pytest.mark.parametrize("field", ["article", "title", "authors", "dates", "tags", "languages"])
@pytest.mark.parametrize("damage", [None, 3, [1], ["x"], {"x": 1}, [{}]])
def test_a_damaged_wrapper_is_refused(field: str, damage: object) -> None:
    with pytest.raises(UnreadableRules, match=r"damaged.*crawl the blog again.*\.$"):
        Wrapper.from_dict({**learned(classic, POSTS[:2]).to_dict(), field: damage})


@pytest.mark.parametrize("xpath", ["//div[[", "unheard()", "1 + 1", "", None, 3, "//a\x00"])
def test_a_wrapper_with_an_expression_that_selects_nothing_is_refused(xpath: object) -> None:
    text = json.dumps(learned(classic, POSTS[:2]).to_dict())
    damaged = json.loads(text, object_hook=lambda data: {**data, "xpath": xpath} if "xpath" in data else data)
    with pytest.raises(UnreadableRules, match="damaged"):
        Wrapper.from_dict(damaged)


@pytest.mark.parametrize("damage", ["no", 1, None])
def test_a_wrapper_with_a_value_of_another_type_is_refused(damage: object) -> None:
    data = learned(classic, POSTS[:2]).to_dict()
    with pytest.raises(UnreadableRules, match="damaged"):
        Wrapper.from_dict({**data, "article": {**data["article"], "is_whole_page": damage}})


def test_a_wrapper_with_nothing_in_it_is_refused() -> None:
    with pytest.raises(UnreadableRules):
        Wrapper.from_dict({})


def test_nothing_to_learn_from() -> None:
    with pytest.raises(NotEnoughExamples):
        learn([])


def test_learning_and_extracting_leave_pages_as_they_are() -> None:
    pages = examples(modern)
    before = [tostring(page.tree) for page in pages]
    wrapper = learn(pages)
    for page in pages:
        wrapper.extract(page.tree, page.url)
        wrapper.is_post(page.tree, page.url)
    assert [tostring(page.tree) for page in pages] == before


def test_two_templates_on_one_blog() -> None:
    pages = [*examples(classic, POSTS[:8]), *examples(modern, POSTS[8:])]
    wrapper = learn(pages)
    assert len(wrapper.article.rules) == 2
    for template in (classic, modern):
        for one in OLD:
            found = extracted(wrapper, template, one)
            assert words(found) == article(one)
            assert found.title == one.title
            assert found.authors == [one.author]
            assert wrapper.is_post(parse(template(one)), one.url)


def test_an_old_template_that_the_feed_does_not_show_gives_nothing_wrong() -> None:
    def old(one: Post) -> str:
        rows = f"<tr><td>{one.title}</td></tr><tr><td>{one.body}</td></tr>"
        return f"<html><body><table>{rows}</table></body></html>"

    found = extracted(learned(classic), old, OLD[0])
    assert found.title in {None, OLD[0].title}
    assert found.published in {None, f"{OLD[0].published:%Y-%m-%d}"}
    assert found.article is None or OLD[0].paragraphs[0] in words(found)


NO_POSTS = [
    ("home", "/", listing()),
    ("second page", "/page/2/", listing(OLD)),
    ("two posts", "/tag/rare/", listing(OLD[:2])),
    ("about", "/about/", layout("<h2>About this blog</h2><div class='text'><p>It is quiet.</p></div>", side=recent())),
    ("not found", "/2001/01/", layout("<h1>Not found</h1><p>There is nothing here.</p>", side=recent())),
    (
        "archive",
        "/archive/",
        layout("<ul>" + "".join(f"<li><a href='{p.path}'>{p.title}</a></li>" for p in OLD) + "</ul>"),
    ),
    ("empty", "/x/", "<html></html>"),
    ("a frame", "/y/", "<frameset><frame src=a></frameset>"),
    ("text", "/z/", "just a few words"),
]


@pytest.mark.parametrize(("path", "html"), [pytest.param(path, html, id=name) for name, path, html in NO_POSTS])
@pytest.mark.parametrize("summary", [False, True])
def test_pages_that_are_no_posts(path: str, html: str, summary: bool) -> None:
    wrapper = learn(summaries(classic)) if summary else learned(classic)
    assert not wrapper.is_post(parse(html), ADDRESS + path)


def test_an_about_page_in_the_template_of_posts_has_no_date() -> None:
    about = layout(
        '<div class="post hentry"><h2 class="post-title"><a href="/about/">About</a></h2>'
        f'<div class="post-body">{POSTS[0].body}</div></div>'
    )
    assert not learned(classic).is_post(parse(about), ADDRESS + "/about/")


def test_a_post_without_the_title_that_others_have_is_one_at_a_post_s_address() -> None:
    def template(one: Post) -> str:
        title = "" if one in OLD else f"<h1>{one.title}</h1>"
        return layout(f'{title}<div class="text">{one.body}</div><p class="day">{one.published:%d %B %Y}</p>')

    wrapper = learned(template)
    assert all(wrapper.is_post(parse(template(one)), one.url, is_permalink=True) for one in OLD)
    assert not any(wrapper.is_post(parse(template(one)), one.url) for one in OLD)
    undated = layout(f'<div class="text">{OLD[0].body}</div>')
    assert not wrapper.is_post(parse(undated), f"{ADDRESS}/who/", is_permalink=True)


def test_a_list_with_one_post_is_told_by_the_link_of_its_title() -> None:
    wrapper, page = learned(classic), parse(listing(OLD[:1]))
    assert not wrapper.is_post(page, ADDRESS + "/tag/rare/")
    assert wrapper.is_post(page, OLD[0].url)


@TEMPLATES
def test_posts_are_posts(template: Template) -> None:
    for wrapper in (learned(template), learn(summaries(template)), learned(template, POSTS[:1])):
        assert all(wrapper.is_post(parse(template(one)), one.url) for one in [*OLD, *POSTS])
        assert all(wrapper.is_post(parse(template(one))) for one in OLD)


def test_a_post_in_another_spelling_of_its_address_is_a_post() -> None:
    wrapper, page = learned(classic), parse(classic(OLD[0]))
    for url in (OLD[0].url.replace("http:", "https:"), OLD[0].url + "#comments", OLD[0].url + "?utm_source=feed"):
        assert wrapper.is_post(page, url)


@pytest.mark.parametrize("html", ["<html></html>", "x", "<p>", "<table><tr><td>", "<!-- only this -->a"])
def test_a_page_with_nothing(html: str) -> None:
    found = learned(classic).extract(parse(html), ADDRESS + "/nothing/")
    assert (found.article, found.title, found.authors, found.published, found.tags) == (None, None, [], None, [])


def test_pages_with_nothing_teach_nothing() -> None:
    wrapper = learn([Example(parse("<html></html>"), one.entry(), one.url) for one in POSTS[:3]])
    page = parse(classic(OLD[0]))
    assert wrapper.extract(page).sources["content"].source == "fallback"
    assert not wrapper.is_post(page, OLD[0].url)
    assert kept(wrapper).to_dict() == wrapper.to_dict()


def test_entries_with_an_address_alone() -> None:
    nothing = {"title": None, "authors": (), "published": None, "tags": (), "content_html": None, "language": None}
    wrapper = learned(classic, **nothing)
    found = wrapper.extract(parse(classic(OLD[0])), OLD[0].url)
    assert (found.title, found.authors) == (OLD[0].title, [OLD[0].author])
    assert found.sources["title"].source == "rule"
    assert article(OLD[0]) in words(found)


@pytest.mark.parametrize(
    ("page", "feed", "expected"),
    [
        ("en-GB", "de", "en-GB"),
        ("en_US", "en", "en-US"),
        (" en ", None, "en"),
        (None, "en-AU", "en-AU"),
        (None, None, "en"),
    ],
)
def test_the_language(page: str | None, feed: str | None, expected: str) -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", language=page)

    found = extracted(learned(template, language=feed), template, OLD[0])
    assert found.language == expected
    assert found.sources["language"].source == ("metadata" if page else "feed" if feed else "fallback")


@pytest.mark.parametrize(
    "href", ["javascript:void(0)", "mailto:a@b.c", "http://[", "", "#", "//", "http://else.test/", "\t/x y"]
)
def test_any_link_around_a_title(href: str) -> None:
    wrapper = learned(classic)
    page = parse(classic(OLD[0]).replace(f'<a href="{OLD[0].path}">', f'<a href="{href}">'))
    assert wrapper.is_post(page, OLD[0].url) in {True, False}
    assert wrapper.extract(page, OLD[0].url).title == OLD[0].title


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(generated.hostile_pages)
def test_any_page_is_answered(html: str) -> None:
    page = parse(html)
    for wrapper in WRAPPERS:
        wrapper.extract(page, ADDRESS + "/x/")
        assert wrapper.is_post(page, ADDRESS + "/x/") in {True, False}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(generated.hostile_pages, generated.hostile_pages)
def test_any_page_can_be_learned_from(html: str, content: str) -> None:
    page = parse(html)
    text = " ".join(" ".join(page.itertext()).split())[:200]
    pages = [Example(page, one.entry(content_html=content, title=text, authors=(text or "x",))) for one in POSTS[:2]]
    wrapper = learn(pages)
    wrapper.extract(page, ADDRESS + "/x/")
    assert kept(wrapper).to_dict() == wrapper.to_dict()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "/"),
        ("//", "//"),
        ("\\", "/ x"),
        ("/", ""),
        ("a/b ", " c/d"),
        ("News / ", " / more"),
    ],
)
def test_slashes_beside_a_title_or_a_name(before: str, after: str) -> None:
    def template(one: Post) -> str:
        first = before if one.number % 2 else f"x{before}"
        last = after if one.number % 3 else f" y{after}"
        byline = f"<p class=by>{first}{one.author}{last}</p>"
        return layout(f"<h1>{first}{one.title}{last}</h1>{byline}<div class=e>{one.body}</div>", title="A blog")

    found = extracted(learned(template), template, OLD[0])
    assert OLD[0].title in (found.title or "")


@pytest.mark.parametrize("tag", ["o:p", "fb:like", "st1:place"])
def test_an_article_in_elements_that_xpath_cannot_name(tag: str) -> None:
    def template(one: Post) -> str:
        inside = f"<{tag}><div>{one.body}</div></{tag}>"
        return layout(f'<h1>{one.title}</h1><div class="e">{inside}</div>')

    wrapper = learned(template)
    assert all(words(extracted(wrapper, template, one)) == article(one) for one in OLD)
