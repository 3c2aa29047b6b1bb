"""Rules: each selects the node that it was made for, whatever the markup, and holds on other pages."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from lxml.html import HtmlElement

from blogcrawler.dom import parse
from blogcrawler.wrapper.core.rules import NAMED, OWN_TEXT, Rule, rules_of, select
from tests.wrapper import generated

RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_soundness(tree: HtmlElement) -> None:
    for node in tree.iter("*"):
        for rule in rules_of(node):
            assert node in select(tree, rule.xpath), (node.tag, dict(node.attrib), str(rule))


def rules(html: str, path: str = "//body//*") -> list[Rule]:
    return [rule for node in parse(html).xpath(path) for rule in rules_of(node)]


@RELAXED
@given(generated.pages)
def test_every_rule_of_a_node_selects_it(html: str) -> None:
    check_soundness(parse(html))


@pytest.mark.parametrize(
    "body",
    [
        '<div id="it\'s">a</div>',
        "<div id='say \"so\"'>a</div>",
        '<div class="a\nb\tc" id="two words">a</div>',
        f'<div class="{"x" * 5000}" id="{"y" * 5000}">a</div>',
        '<div class="one two three four five six seven eight nine">a</div>',
        '<div id="a]|//*[b" class="]]> //p and">a</div>',
        '<div itemprop="a&#10;b" rel="" role="  ">a</div>',
        '<div id="&#1;&#x7f;" class="&#0;x">a</div>',
        '<div class="日本語 заметка" id="été">a</div>',
        "<svg><a><text>b</text></a><foreignObject><p>c</p></foreignObject></svg>",
        "<my-element class=x>a<my-element>b</my-element></my-element>",
        "<table><tr><td>a<td>b<tr><td>c</table><dl><dt>a<dd>b<dd>c</dl>",
        "<p>a<p>b<p>c<div><p>d<p>e</div>",
        "<div>" * 200 + "a",
    ],
)
def test_hostile_markup(body: str) -> None:
    check_soundness(parse(f"<!DOCTYPE html><body>{body}</body>"))


@pytest.mark.parametrize("attribute", ["id", "class", "itemprop", "rel"])
def test_both_kinds_of_quotes(attribute: str) -> None:
    check_soundness(parse(f'<p>b</p><p {attribute}="a\'b&quot;c">d</p>'))


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u0085"])
def test_what_separates_classes_is_what_html_says(space: str) -> None:
    check_soundness(parse(f'<p>b</p><p class="a{space}b">d</p>'))


@pytest.mark.parametrize("tag", ["o:p", "st1:place", "x_y", "fb:like"])
def test_tags_that_xpath_cannot_name(tag: str) -> None:
    check_soundness(parse(f"<div class=a><{tag} class=b>c<b>d</b><i><u>e</u></i></{tag}></div><{tag}><p>f</p></{tag}>"))


@RELAXED
@given(generated.hostile_pages)
def test_every_rule_of_a_node_of_hostile_markup_selects_it(html: str) -> None:
    check_soundness(parse(html))


@RELAXED
@given(generated.pages)
def test_every_node_has_a_rule_and_the_steadiest_comes_first(html: str) -> None:
    for node in parse(html).iter("*"):
        found = list(rules_of(node))
        assert [rule.kind for rule in found] == sorted(rule.kind for rule in found)
        assert len({str(rule) for rule in found}) == len(found)


@pytest.mark.parametrize(
    "name", ["post-12", "post-123", "entry123abc", "p1", "page-2014", "deadbeef12345678", "cafebabe", "x-0"]
)
def test_names_with_numbers_are_one_page_s_own(name: str) -> None:
    for attribute in ("id", "class"):
        found = rules(f'<div {attribute}="{name}"><p>a</p></div>')
        assert not [rule for rule in found if name in rule.xpath]


@RELAXED
@given(generated.pages)
def test_no_rule_takes_hold_of_a_numbered_name(html: str) -> None:
    for node in parse(html).iter("*"):
        for rule in rules_of(node):
            quoted = " ".join(re.findall(r'"([^"]*)"', rule.xpath))
            assert not re.search(r"\d{3}|\d\b", quoted), rule


def test_kinds_from_steady_to_shaky() -> None:
    found = rules('<div id="frame"><h1 id="head" class="big title" itemprop="name">a</h1></div>', "//h1")
    tree = parse('<div id="frame"><h1 id="head" class="big title" itemprop="name">a</h1></div>')
    assert found[0].xpath == '//h1[@id="head"]'
    named = [rule for rule in found if rule.kind <= NAMED]
    assert len(named) == 5
    assert any("frame" in rule.xpath for rule in found[len(named) :])
    assert found[-1].xpath == "/html/body/div/h1"
    assert all(select(tree, rule.xpath) == [tree.find(".//h1")] for rule in found)


def test_a_rule_holds_on_another_page() -> None:
    (first, *_) = rules('<article class="hentry post-77"><p>a</p></article>', "//article")
    other = parse('<div><article class="sticky hentry post-4"><p>b</p></article></div>')
    assert [node.get("class") for node in select(other, first.xpath)] == ["sticky hentry post-4"]


def test_a_class_is_a_whole_word() -> None:
    (first, *_) = rules('<p class="post">a</p>', "//p")
    assert select(parse('<p class="post-title">a</p><p class="repost">b</p>'), first.xpath) == []


@pytest.mark.parametrize(
    ("rule", "printed"),
    [
        (Rule.of(0, "//p"), "//p"),
        (Rule.of(0, "//time", "datetime"), "//time/@datetime"),
        (Rule.of(0, "//h1", OWN_TEXT), "//h1/text()"),
    ],
)
def test_a_rule_prints_as_an_expression(rule: Rule, printed: str) -> None:
    assert str(rule) == printed


def test_rules_are_ordered_by_preference() -> None:
    ordered = [
        Rule.of(0, "//p[@id='long one']"),
        Rule.of(1, "//p"),
        Rule.of(1, "//q"),
        Rule.of(1, "//div"),
        Rule.of(2, "/a"),
    ]
    assert sorted(ordered) == ordered


def test_nothing_is_selected_where_nothing_is() -> None:
    assert select(parse("<p>a</p>"), '//div[@id="x"]/p[3]') == []
