"""What everything that learns must do: the same from the same examples, the same when kept and read again, a clear error
for no examples, and time that grows no faster than what it learns from."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import pytest

from blogcrawler.dom import parse
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier import PermalinkPattern
from blogcrawler.frontier.estimators import LinkYieldEstimator
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper import Example, Wrapper, learn
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import LineModel
from tests.wrapper.fallback.build_model import LabelledPage, fit_model
from tests.wrapper.growing import comments, feed, lines, links, paragraphs, post_pages
from tests.wrapper.pages import OLD, POSTS, classic, prose, words

TWICE_AS_MUCH = 2.6
"""A doubled input may take so many times as long: twice, and some room for the noise of a shared machine."""
RUNS = 5
ATTEMPTS = 3


@dataclass(frozen=True)
class Learner:
    """A learner in the terms of this suite."""

    name: str
    #: examples of a size, in no unit
    examples: Callable[[int], Sequence[Any]]
    learn: Callable[[Sequence[Any]], Any]
    #: what a model says of things that it was not learned from
    answers: Callable[[Any], Any]
    #: a size from which the time is steady
    size: int
    #: of models that are kept
    to_dict: Callable[[Any], dict[str, Any]] | None = None
    from_dict: Callable[[dict[str, Any]], Any] | None = None

    def __str__(self) -> str:
        return self.name


def wrapper(name: str, examples: Callable[[int], list[Example]], size: int) -> Learner:
    return Learner(name, examples, learn, extractions, size, Wrapper.to_dict, Wrapper.from_dict)


def extractions(model: Wrapper) -> list[Any]:
    found = [model.extract(parse(classic(one)), one.url) for one in OLD]
    return [(words(one), one.title, one.authors, one.published, one.tags, one.language) for one in found]


def links_to_posts(size: int) -> list[str]:
    return [
        f"http://blog.test/{2000 + n % 20}/{1 + n % 12:02}/{prose(n, 4)[:-1].lower().replace(' ', '-')}-{n}/"
        for n in range(size)
    ]


def fitted(examples: Sequence[str]) -> LinkYieldEstimator:
    return LinkYieldEstimator(limit=10**6).fit(examples, [float(len(url) % 7) for url in examples])


UNKNOWN = [
    "http://blog.test/2031/02/a-b/",
    "http://blog.test/about/",
    "http://blog.test/page/9/",
    "http://else.test/2001/02/x/",
]


def labelled_pages(size: int) -> list[LabelledPage]:
    found = []
    for one in (POSTS * size)[:size]:
        root = parse(classic(one))
        page = Lines(root)
        found.append(LabelledPage(page, root, [line.text in one.paragraphs for line in page.lines]))
    return found


PATTERN = Learner(
    "permalink pattern",
    links_to_posts,
    PermalinkPattern.learn,
    lambda model: (model, [model.matches(url) for url in UNKNOWN]),
    size=1000,
)
ESTIMATOR = Learner(
    "link yield estimator",
    links_to_posts,
    fitted,
    lambda model: (model.examples_, model.predict(UNKNOWN)),
    size=2000,
)
LINES = Learner(
    "line classifier",
    labelled_pages,
    fit_model,
    lambda model: [model.probabilities(features(page.lines, page.root)).tolist() for page in labelled_pages(2)],
    8,
    dump,
    partial(load, LineModel),
)
WRAPPER = wrapper("wrapper", feed, 6)
LEARNERS = [WRAPPER, PATTERN, ESTIMATOR, LINES]
GROWING = [
    PATTERN,
    ESTIMATOR,
    replace(WRAPPER, name="wrapper, posts"),
    wrapper("wrapper, lines", post_pages(lines), 300),
    wrapper("wrapper, links beside the article", post_pages(lambda _: paragraphs(5), links), 300),
    wrapper("wrapper, comments below the article", post_pages(lambda _: paragraphs(5), comments), 200),
    wrapper("wrapper, paragraphs", post_pages(paragraphs), 200),
]


every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@every_learner
def test_learning_twice_gives_the_same(learner: Learner) -> None:
    first, second = (learner.learn(learner.examples(learner.size)) for _ in range(2))
    assert learner.answers(first) == learner.answers(second)
    if learner.to_dict is not None:
        assert learner.to_dict(first) == learner.to_dict(second)


@pytest.mark.parametrize("learner", [WRAPPER, LINES], ids=str)
def test_kept_and_read_again_it_is_the_same(learner: Learner) -> None:
    assert learner.to_dict is not None
    assert learner.from_dict is not None
    model = learner.learn(learner.examples(learner.size))
    again = learner.from_dict(json.loads(json.dumps(learner.to_dict(model))))
    assert learner.to_dict(again) == learner.to_dict(model)
    assert learner.answers(again) == learner.answers(model)


@every_learner
def test_it_learns_from_one_example(learner: Learner) -> None:
    assert learner.answers(learner.learn(learner.examples(1)))


@every_learner
def test_no_examples_are_not_enough(learner: Learner) -> None:
    with pytest.raises(NotEnoughExamples, match=r"There (is|are) no .*\.$"):
        learner.learn([])


@every_learner
def test_examples_are_read_only(learner: Learner) -> None:
    examples = learner.examples(learner.size)
    before = list(examples)
    learner.learn(examples)
    assert list(examples) == before


@pytest.mark.parametrize("learner", GROWING, ids=str)
def test_time_is_linear(learner: Learner) -> None:
    growths = []
    for _ in range(ATTEMPTS):  # another process may take the machine in the middle of one of them
        once, twice = (learner.examples(size) for size in (learner.size, 2 * learner.size))
        growths.append(growth(learner, once, twice))
        if growths[-1] < TWICE_AS_MUCH:
            return
    pytest.fail(f"Twice the input took {min(growths):.1f} times as long.")


def growth(learner: Learner, once: Sequence[Any], twice: Sequence[Any]) -> float:
    learner.learn(once)
    taken: dict[int, list[float]] = {1: [], 2: []}
    gc.collect()
    gc.disable()
    try:
        for _ in range(RUNS):
            for number, examples in ((1, once), (2, twice)):
                start = time.process_time()
                learner.learn(examples)
                taken[number].append(time.process_time() - start)
    finally:
        gc.enable()
    return median(taken[2]) / median(taken[1])


def test_thousands_of_siblings_take_linear_time() -> None:
    def seconds(siblings: int) -> float:
        page = parse(f"<div class=e>{'<p>a</p>' * siblings}{POSTS[0].body}</div>")
        start = time.process_time()
        learn([Example(page, POSTS[0].entry())])
        return time.process_time() - start

    assert seconds(8000) < 4 * 1.5 * seconds(2000)
