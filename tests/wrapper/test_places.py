"""Where in a page the fields of a record stand."""

from __future__ import annotations

import pytest

from blogcrawler.dom import inline_text, parse, readable_text
from blogcrawler.items import FieldSource, Record
from blogcrawler.wrapper import SHOWN_FIELDS, find_places
from tests.wrapper.pages import OLD, classic, layout, learned, modern


def record_of(wrapper, tree, one, **sources):
    found = wrapper.extract(tree, one.url)
    record = Record("http://blog.test/", one.url, title=found.title, authors=found.authors, published=found.published)
    record.tags, record.content_text = found.tags, readable_text(found.article)
    record.provenance.fields = {**found.sources, **sources}
    return record


def places(tree, record, wrapper):
    found = find_places(tree, record, wrapper)
    assert tuple(one.field for one in found) == SHOWN_FIELDS
    return {one.field: one for one in found}


@pytest.mark.parametrize("template", [classic, modern])
def test_each_field_has_its_elements_and_its_rule(template):
    wrapper, one = learned(template), OLD[0]
    tree = parse(template(one))
    found = places(tree, record_of(wrapper, tree, one), wrapper)
    assert inline_text(found["title"].nodes[0]) == one.title
    assert [inline_text(node) for node in found["authors"].nodes] == [one.author]
    assert sorted(inline_text(node) for node in found["tags"].nodes) == sorted(one.tags)
    assert found["published"].nodes[0].tag == ("time" if template is modern else "span")
    assert one.paragraphs[-1] in inline_text(found["content"].nodes[0])
    assert all(found[name].rule.startswith("//") for name in ("title", "authors", "published", "tags", "content"))
    assert (found["updated"].nodes, found["updated"].rule) == ((), None)


def test_what_the_feed_has_told_stands_where_the_rules_find_it():
    wrapper, one = learned(classic), OLD[0]
    tree = parse(classic(one))
    told = {name: FieldSource("feed", None, 0.99) for name in ("title", "content", "tags")}
    found = places(tree, record_of(wrapper, tree, one, **told), wrapper)
    assert inline_text(found["title"].nodes[0]) == one.title
    assert len(found["tags"].nodes) == len(one.tags)
    assert one.paragraphs[-1] in inline_text(found["content"].nodes[0])


@pytest.mark.parametrize(
    ("rule", "is_unseen"),
    [
        ('//meta[@property="og:title"]/@content', True),
        ("//title", True),
        ("ld:BlogPosting/headline", True),
        ("//h1[@itemprop~='headline']", False),
        ("no rule at all", False),
        ("//h1[", False),
        ("count(//h1)", False),
    ],
)
def test_places_that_readers_do_not_see_and_rules_that_are_none(rule, is_unseen):
    one = OLD[0]
    tree = parse(layout("<p>text</p>", title=one.title, head=f'<meta property="og:title" content="{one.title}">'))
    record = Record("http://blog.test/", one.url, title=one.title)
    record.provenance.fields = {"title": FieldSource("metadata", rule, 0.8)}
    found = places(tree, record, None)["title"]
    assert (found.nodes, found.rule, found.is_unseen) == ((), rule, is_unseen)


def test_an_article_that_was_found_by_its_lines():
    wrapper, one = learned(modern), OLD[0]
    tree = parse(layout(f"<div id=other>{one.body * 3}</div>", title=one.title))
    record = record_of(wrapper, tree, one)
    assert record.provenance.fields["content"].rule == "lines"
    (node,) = places(tree, record, wrapper)["content"].nodes
    assert one.paragraphs[0] in inline_text(node)


def test_a_post_whose_blog_has_no_rules_any_more():
    tree = parse(classic(OLD[0]))
    record = Record("http://blog.test/", OLD[0].url, title=OLD[0].title)
    record.provenance.fields = {"title": FieldSource("feed", None, 0.99)}
    assert not places(tree, record, None)["title"].nodes
