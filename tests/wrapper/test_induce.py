"""The linear learner against Algorithm 1 of the paper as it stands there, and what the votes do."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lxml.html import HtmlElement

from blogcrawler.demo import build
from blogcrawler.dom import parse
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Entry
from blogcrawler.serialise import dump, load
from blogcrawler.similarity import Alphabet
from blogcrawler.wrapper import Example
from blogcrawler.wrapper.core import induce
from blogcrawler.wrapper.core.induce import Learned, NodeScores
from blogcrawler.wrapper.core.lookup import Lookup
from blogcrawler.wrapper.core.rules import Rule, rules_of
from blogcrawler.wrapper.core.training import LocatedPage, prepare
from blogcrawler.wrapper.fields.article import MINIMUM
from blogcrawler.wrapper.fields.evidence import full_scores
from blogcrawler.wrapper.fields.title import MINIMUM as TITLE_MINIMUM
from blogcrawler.wrapper.fields.title import title_scores
from tests.wrapper import generated, reference
from tests.wrapper.pages import POSTS, Template, classic, modern

Pairs = list[tuple[HtmlElement, Entry]]
"""Pages and the entries of a feed that announce them."""

Field = tuple[Callable[[LocatedPage], NodeScores], Callable[[Pairs], list[reference.QuadraticScores]], float]
"""The linear scores of a field, their quadratic reference, and the score from which a page shows the field."""

ARTICLE: Field = (full_scores, reference.article_pages, MINIMUM)
TITLE: Field = (title_scores, reference.title_pages, TITLE_MINIMUM)
FIELDS = pytest.mark.parametrize("field", [pytest.param(ARTICLE, id="article"), pytest.param(TITLE, id="title")])

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "dev"
PAGES_A_BLOG = 10


def linear_pages(pairs: Pairs, score: Callable[[LocatedPage], NodeScores]) -> list[NodeScores]:
    alphabet = Alphabet()
    return [score(prepare(Example(tree, entry), alphabet).located(None)) for tree, entry in pairs]


def both(
    pairs: Pairs,
    score: Callable[[LocatedPage], NodeScores],
    quadratic: Callable[[Pairs], list[reference.QuadraticScores]],
    minimum: float,
) -> tuple[tuple[Learned, ...], tuple[Learned, ...]]:
    linear = induce.induce(linear_pages(pairs, score), minimum)
    with patch.object(induce, "best_rule", reference.best_rule):
        return linear, induce.induce(quadratic(pairs), minimum)


def same(linear: Sequence[Learned], quadratic: Sequence[Learned]) -> None:
    assert [str(one.rule) for one in linear] == [str(one.rule) for one in quadratic]
    assert [one.support for one in linear] == [one.support for one in quadratic]
    assert [one.score for one in linear] == pytest.approx([one.score for one in quadratic])


def near_best(page: NodeScores) -> int:
    return sum(score >= page.best - induce.TOLERANCE for score in page.of.values())


def few(examples: int) -> settings:
    return settings(
        max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
    )


def parsed(blog: list[tuple[str, Entry]]) -> Pairs:
    return [(parse(html), entry) for html, entry in blog]


def all_rules_considered(blog: list[tuple[str, Entry]], field: Field) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(induce, "MAX_NODES", 10**6)
        same(*both(parsed(blog), *field))


@few(80)
@given(generated.blogs())
def test_all_rules_considered_the_linear_learner_is_algorithm_1_for_articles(blog: list[tuple[str, Entry]]) -> None:
    all_rules_considered(blog, ARTICLE)


@few(40)
@given(generated.blogs())
def test_all_rules_considered_the_linear_learner_is_algorithm_1_for_titles(blog: list[tuple[str, Entry]]) -> None:
    all_rules_considered(blog, TITLE)


@few(40)
@given(generated.blogs(), st.sampled_from([ARTICLE, TITLE]))
def test_where_few_nodes_are_near_the_best_the_bound_changes_nothing(
    blog: list[tuple[str, Entry]], field: Field
) -> None:
    pairs = parsed(blog)
    assume(all(near_best(page) <= induce.MAX_NODES for page in linear_pages(pairs, field[0])))
    same(*both(pairs, *field))


@few(30)
@given(generated.blogs(), st.sampled_from([ARTICLE, TITLE]))
def test_scores_of_all_nodes_are_those_got_from_scratch(blog: list[tuple[str, Entry]], field: Field) -> None:
    pairs = parsed(blog)
    for linear, scratch in zip(linear_pages(pairs, field[0]), field[1](pairs), strict=True):
        for rule in scratch.candidates():
            assert linear.score(rule) == pytest.approx(scratch.score(rule)), rule


@FIELDS
@pytest.mark.parametrize("template", [classic, modern])
def test_made_up_blogs(template: Template, field: Field) -> None:
    pairs = [(parse(template(one)), one.entry()) for one in POSTS[:4]]
    same(*both(pairs, *field))


@FIELDS
def test_the_demonstration_blog(field: Field) -> None:
    site = build("http://blog.test")
    feed = parse_feed(site["/feed.xml"][1], "http://blog.test/feed.xml")
    pairs = [(parse(site[entry.url.removeprefix("http://blog.test")][1]), entry) for entry in feed.entries[:3]]
    assert len(pairs) == 3
    same(*both(pairs, *field))


@pytest.mark.corpus
@FIELDS
@pytest.mark.parametrize("blog", ["0x-jerry", "fuco1", "riccardomarotti"])
def test_real_blogs(blog: str, field: Field) -> None:
    archive = CORPUS / f"{blog}.tar.xz"
    if not archive.exists():
        pytest.skip(f"The corpus is not beside the checkout: {archive} is missing.")
    same(*both(read_blog(archive), *field))


def read_blog(archive: Path) -> Pairs:
    """The newest posts of a blog of the corpus that its feed has, with their pages."""
    with tarfile.open(archive) as tar:
        files = {member.name.removeprefix("./"): tar.extractfile(member).read() for member in tar if member.isfile()}
    about = json.loads(files["blog.json"])
    index = {line["url"]: line for line in map(json.loads, files["index.jsonl"].splitlines())}
    feed = parse_feed(files[about["full_feed"]], about["feed"])
    found = [(entry, index[entry.url]) for entry in feed.entries if index.get(entry.url, {}).get("status") == 200]
    return [(parse(files[line["file"]], content_type=line["type"]), entry) for entry, line in found[:PAGES_A_BLOG]]


def page(html: str, scores: dict[str, float]) -> NodeScores:
    """A page whose nodes have scores by the text that they begin with."""
    tree = parse(html)
    of = {(node, ""): scores[node.text] for node in tree.iter("*") if node.text in scores}
    return NodeScores(Lookup(tree), of)


def test_no_pages_no_rules() -> None:
    assert induce.induce([], 0.5) == ()


def test_pages_that_do_not_show_the_target_are_left_out() -> None:
    good = [page('<p class="x">a<p class="y">b', {"a": 0.9})] * 2
    poor = [page('<p class="y">b', {"b": 0.2})] * 5
    (rule,) = induce.induce([*good, *poor], 0.5)
    assert "x" in rule.rule.xpath
    assert rule.support == pytest.approx(2 / 7)


def test_an_id_of_one_post_gets_one_vote() -> None:
    pages = [page(f'<div><div id="{name}" class="post">a</div></div>', {"a": 1.0}) for name in ("why", "how", "when")]
    (rule,) = induce.induce(pages, 0.5)
    assert "post" in rule.rule.xpath
    assert rule.support == 1


def test_votes_and_not_means() -> None:
    # One page where the target is short is far off under the right rule; the mean would take the other one.
    pages = [page('<p class="right">a<p class="steady">b', {"a": 0.90, "b": 0.86})] * 3
    pages.append(page('<p class="right">a<p class="steady">b', {"a": 0.55, "b": 0.86}))
    (rule, *_) = induce.induce(pages, 0.5)
    assert "right" in rule.rule.xpath


def test_a_few_characters_of_junk_do_not_split_the_votes() -> None:
    inner = page('<div class="outer">o<div class="inner">i</div></div>', {"o": 0.985, "i": 0.99})
    outer = page('<div class="outer">o<div class="inner">i</div></div>', {"o": 0.99, "i": 0.985})
    other = page('<div class="outer">o<div class="new">i</div></div>', {"o": 0.985, "i": 0.99})
    (rule,) = induce.induce([inner, outer, other], 0.5)
    assert "outer" in rule.rule.xpath
    assert rule.support == 1


def test_a_second_template_gets_a_second_rule() -> None:
    pages = [page('<p class="new">a<p>x', {"a": 1.0})] * 4 + [page('<div><p>x<p class="old">a</div>', {"a": 0.9})] * 2
    first, second = induce.induce(pages, 0.5)
    assert ("new" in first.rule.xpath, "old" in second.rule.xpath) == (True, True)
    assert (first.support, second.support) == (pytest.approx(4 / 6), pytest.approx(2 / 6))
    assert first.confidence > second.confidence


def test_one_odd_page_is_no_template() -> None:
    pages = [page('<p class="new">a<p>x', {"a": 1.0})] * 4 + [page('<div><p>x<p class="old">a</div>', {"a": 0.9})]
    assert len(induce.induce(pages, 0.5)) == 1


def test_own_names_go_before_a_place_that_is_as_good() -> None:
    (rule,) = induce.induce([page('<div id="frame"><p class="x">a</p></div>', {"a": 1.0})] * 2, 0.5)
    assert rule.rule.xpath == str(next(rules_of(parse('<p class="x">a').find(".//p"))))


def test_rules_are_kept_and_read_again() -> None:
    learned = Learned(Rule.of(1, '//p[@id="a"]', "content"), 0.75, 0.9875)
    again = load(Learned, json.loads(json.dumps(dump(learned))))
    assert again == learned
    assert 0 <= again.confidence <= 1
