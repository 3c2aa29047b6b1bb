"""What is known of how a blog's pages show comments."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from blogcrawler.comments.page_rules import ENOUGH, PageRules, PostPage
from blogcrawler.dom import parse, parse_page
from blogcrawler.items import Page
from tests.stored_forms import other_forms
from tests.wrapper.comments.made import SHAPES, page, rules, thread, url, wrapper


def test_rules_of_another_form_are_none():
    """What lacks a field was kept by another version; a default in its place could read other comments."""
    stored = json.loads(json.dumps(PageRules(rules=[rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))]).to_dict()))
    book = PageRules()
    for changed in other_forms(stored["rules"][0]):
        book.replace({**stored, "rules": [changed]})
        assert book.rules == []
    book.replace(stored)
    assert len(book.rules) == 1


@pytest.mark.parametrize("has_names", [True, False])
def test_comments_without_names_that_a_page_shows_twice_are_read_once(has_names):
    """As where a script adds a list of its own to the one that was there."""
    learned = rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))
    assert learned is not None
    said = thread(60, 6)
    markup = SHAPES["table"](said)
    again = re.sub(r" id='row\d+'", "", markup)
    whole = page(60, (markup if has_names else again) + again)
    found = PageRules(rules=[learned]).read(parse(whole), Page(url(60), whole.encode())).comments
    assert [comment.content_text for comment in found] == [one.text for one in said]
    assert all(comment.id for comment in found) == has_names


def test_it_tells_when_pages_have_made_the_rules_better():
    """So that they are kept at once: a crawl that goes on has them from then on."""
    first = rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))
    book = PageRules(rules=[first])
    pages = [page(number, SHAPES["nested"](thread(number, 3))) for number in range(1, ENOUGH + 6)]
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(pages, 1)]
    changes = [book.note(one, has_comments=True) for one in seen]
    assert [number for number, has_changed in enumerate(changes, 1) if has_changed] == [ENOUGH]
    assert book.rules != [first]


def test_rules_that_come_late_are_joined_by_those_of_what_was_seen_before():
    """As where feeds tell all comments of the first posts, and no page was needed."""
    pages = [page(number, SHAPES["nested"](thread(number, 3))) for number in range(1, ENOUGH + 3)]
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(pages, 1)]
    book = PageRules()
    for one in seen[:-2]:
        assert book.note(one, has_comments=True) is False
    assert book.learn(seen[-2:-1])
    (late,) = book.rules
    assert book.note(seen[-2], has_comments=True)
    assert book.rules[1:] == [late], "it was learned from another page"
    assert book.note(seen[-1], has_comments=True) is False


def test_rules_that_come_late_still_read_the_pages_that_they_were_learned_from():
    """As where older posts are of another template than those of which feeds tell all comments."""
    told = [page(number, SHAPES["nested"](thread(number, 3))) for number in range(1, ENOUGH + 1)]
    older = [page(number, SHAPES["table"](thread(number, 3))) for number in range(30, 50)]
    book = PageRules()
    for number, body in enumerate(told, 1):
        book.note(PostPage(Page(url(number), body.encode()), wrapper()), has_comments=True)
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(older, 30)]
    assert book.learn(seen)
    assert book.note(seen[0], has_comments=True)
    assert [len(book.read(parse_page(one.page), one.page).comments) for one in seen] == [3] * len(seen)
    kept = PageRules()
    kept.replace(json.loads(json.dumps(book.to_dict())))
    assert kept.to_dict() == book.to_dict()


def test_a_crawl_that_goes_on_remembers_the_same_pages():
    """The first ones, with comments and without, also where rules are still to come."""
    shapes = ["nested"] * ENOUGH + ["table"] * 10
    book, again = PageRules(), PageRules()
    for number, shape in enumerate(shapes, 1):
        for is_with, name in ((True, number), (False, number + 100)):
            body = page(name, SHAPES[shape](thread(name, 3 if is_with else 0)))
            seen = PostPage(Page(url(name), body.encode()), wrapper())
            if book.must_be_saved(seen, has_comments=is_with):
                again.add_page(seen, has_comments=is_with)
            book.note(seen, has_comments=is_with)
    body = page(400, SHAPES["table"](thread(400, 5)))
    for one in (book, again):
        one.learn([PostPage(Page(url(400), body.encode()), wrapper())])
        one.learn_if_due()
    assert book.to_dict() == again.to_dict()
    assert book.rules


def test_a_page_that_is_read_again_teaches_nothing_new():
    """As after a kill: names of comments are told by being on no other page."""
    first = rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))
    pages = [page(number, SHAPES["nested"](thread(number, 3))) for number in range(1, ENOUGH + 1)]
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(pages, 1)]
    twice, once = PageRules(rules=[first]), PageRules(rules=[first])
    for one in seen:
        assert once.note(one, has_comments=True) == (one is seen[-1])
        twice.add_page(one, has_comments=True)
        assert twice.note(one, has_comments=True) == (one is seen[-1])
    kept = PostPage.from_dict(json.loads(json.dumps(seen[-1].to_dict())), seen[-1].page, seen[-1].wrapper)
    again = PageRules(rules=[first])
    for one in [*seen[:5], *seen[:-1]]:
        assert again.note(one, has_comments=True) is False
    assert again.note(kept, has_comments=True)
    assert again.to_dict() == once.to_dict()


def test_rules_that_a_killed_crawl_was_to_learn_again_are_learned_by_the_next():
    """Killed after the last page was kept, and before the rules were."""
    first = rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))
    pages = [page(number, SHAPES["nested"](thread(number, 3))) for number in range(1, ENOUGH + 1)]
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(pages, 1)]
    alone, other = PageRules(rules=[first]), PageRules(rules=[first])
    for one in seen:
        alone.note(one, has_comments=True)
    for one in seen[:-1]:
        other.add_page(one, has_comments=True)
    assert other.learn_if_due() is False
    other.add_page(seen[-1], has_comments=True)
    assert other.learn_if_due()
    assert other.to_dict() == alone.to_dict()
    assert other.learn_if_due() is False
    later = PageRules()
    later.replace(json.loads(json.dumps(alone.to_dict())))
    for one in seen:
        later.add_page(one, has_comments=True)
    assert later.learn_if_due() is False


def test_rules_of_a_design_that_is_new_since_an_earlier_crawl_are_made_better_once_more():
    """What the first pages of it show, is not all there is."""
    earlier = PageRules(rules=[rules(SHAPES["table"], (3, 0, 7, 1, 4, 2, 5, 0))], is_improved=True)
    update = PageRules()
    update.replace(json.loads(json.dumps(earlier.to_dict())))
    pages = [page(number, SHAPES["nested"](thread(number, number % 4 + 1))) for number in range(ENOUGH + 6)]
    seen = [PostPage(Page(url(number), body.encode()), wrapper()) for number, body in enumerate(pages)]
    assert update.learn(seen[:6])
    assert [update.note(one, has_comments=True) for one in seen[6:]] == [False] * (ENOUGH - 1) + [True]


def test_pages_that_show_no_more_days_than_others_are_not_tried_again_and_again():
    """As where articles state days and no page has comments. Twice as many posts, or dated siblings, are worth a try."""
    diary = {
        number: "".join(f"<p>On {day} May 2014 it rained.</p>" for day in range(1, number)) for number in range(12)
    }
    seen = {days: PostPage(Page(url(days), page(days, said).encode()), wrapper()) for days, said in diary.items()}
    book = PageRules()
    for few in (2, 3, 6):
        assert book.may_teach([seen[few]], [])
        assert not book.learn([seen[2], seen[few]])
        book.note(seen[few], has_comments=False)
    assert not any(book.may_teach([one], []) for one in seen.values())
    assert [days for days, one in seen.items() if book.may_teach([one], [seen[6]])] == [10, 11]
    assert [days for days, one in seen.items() if book.may_teach([one], [seen[3], seen[6]])] == [8, 9, 10, 11]
    assert not book.may_teach([], [seen[6], seen[11]]), "nothing new"
    assert book.may_teach([replace(seen[5], announced=4)], [])
    for other in (2, 3, 6):
        book.note(seen[other], has_comments=False)
    assert book.may_teach([seen[5]], [])
