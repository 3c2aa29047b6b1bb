"""The estimate of link yields."""

from __future__ import annotations

import json
import time

import pytest

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier import LinkYieldEstimator

E = "http://example.org"
LISTS = [f"{E}/page/{n}/" for n in range(2, 12)]
MONTHS = [f"{E}/2014/{n:02}/" for n in range(1, 13)]
FORUM = [f"{E}/forum/thread-{n}?page={n % 3}" for n in range(40)]
URLS = LISTS + MONTHS + FORUM
YIELDS = [10.0] * len(LISTS) + [4.0] * len(MONTHS) + [0.0] * len(FORUM)


@pytest.fixture
def estimator() -> LinkYieldEstimator:
    return LinkYieldEstimator().fit(URLS, YIELDS)


def test_unseen_pages_are_like_their_kind(estimator: LinkYieldEstimator) -> None:
    a_list, month, thread = estimator.predict([f"{E}/page/99/", f"{E}/2009/07/", f"{E}/forum/thread-999?page=0"])
    assert a_list == pytest.approx(10)
    assert month == pytest.approx(4)
    assert thread == pytest.approx(0)


def test_what_resembles_nothing_gets_the_mean(estimator: LinkYieldEstimator) -> None:
    thread, unseen = estimator.predict([f"{E}/forum/thread-999?page=0", "http://other.net/%D0%B0-b.asp/c.d/e,f/g?x=y"])
    assert thread < unseen < 10


def test_the_nearer_weighs_more() -> None:
    estimator = LinkYieldEstimator(k=3).fit([f"{E}/a/b/c/d", f"{E}/a/x/y/z", f"{E}/q.html"], [10, 1, 1])
    near, far = estimator.predict([f"{E}/a/b/c/e", f"{E}/a/x/y/w"])
    assert near > 4 > far


def test_dudani_weights_by_hand() -> None:
    # k = 2: the farther of two has weight 0, two that are equally far weigh the same
    estimator = LinkYieldEstimator(k=2).fit([f"{E}/a/", f"{E}/b/"], [7, 1])
    assert estimator.predict([f"{E}/a/"]) == [pytest.approx(7)]
    assert estimator.predict([f"{E}/c/"]) == [pytest.approx(3)]  # exp(mean of log 8 and log 2) - 1


def test_learning_in_pieces_is_learning_at_once() -> None:
    pieces = LinkYieldEstimator()
    for url, count in zip(URLS, YIELDS, strict=True):
        pieces.partial_fit([url], [count])
    assert pieces.to_dict() == LinkYieldEstimator().fit(URLS, YIELDS).to_dict()
    asked = [f"{E}/page/50/", f"{E}/about/"]
    assert pieces.predict(asked) == LinkYieldEstimator().fit(URLS, YIELDS).predict(asked)


def test_fit_forgets_and_predict_sees_the_newest(estimator: LinkYieldEstimator) -> None:
    assert estimator.predict([f"{E}/page/50/"])[0] > 9
    assert estimator.partial_fit(LISTS, [0.0] * len(LISTS)).predict([f"{E}/page/50/"])[0] < 1
    assert estimator.fit([f"{E}/page/1/"], [5]).predict([f"{E}/page/50/"]) == [pytest.approx(5)]
    assert len(estimator) == 1


def test_saved_and_loaded(estimator: LinkYieldEstimator) -> None:
    again = LinkYieldEstimator.from_dict(json.loads(json.dumps(estimator.to_dict())))
    assert again.to_dict() == estimator.to_dict()
    assert again.predict(URLS) == estimator.predict(URLS)


def test_the_training_set_is_bounded_and_diverse() -> None:
    estimator = LinkYieldEstimator(limit=50)
    estimator.partial_fit(LISTS, [10.0] * len(LISTS))
    estimator.partial_fit([f"{E}/forum/t{n}/" for n in range(500)], [0.0] * 500)
    assert len(estimator) == 50
    assert estimator.predict([f"{E}/page/99/"]) == [pytest.approx(10)]
    assert f"{E}/forum/t499/" in estimator.examples_
    assert f"{E}/forum/t0/" not in estimator.examples_


def test_batches_say_what_single_questions_say(estimator: LinkYieldEstimator) -> None:
    asked = [f"{E}/page/50/", f"{E}/2001/02/", f"{E}/page/51/", f"{E}/x/y?z=1"]
    assert estimator.predict(asked) == pytest.approx([estimator.predict([url])[0] for url in asked])


def test_nothing_to_learn_from() -> None:
    for ask in (lambda e: e.fit([], []), lambda e: e.partial_fit([], []), lambda e: e.predict([E])):
        with pytest.raises(NotEnoughExamples):
            ask(LinkYieldEstimator())
    assert LinkYieldEstimator().fit([E], [1]).predict([]) == []


@pytest.mark.parametrize(
    "url", ["", "?", "x", f"{E}", f"{E}?a", f"{E}/" + "a/" * 1000, f"{E}/?" + "&" * 1000, "http://[/%"]
)
def test_any_text_is_answered(estimator: LinkYieldEstimator, url: str) -> None:
    assert estimator.predict([url])[0] >= 0


def test_a_prediction_takes_less_than_a_millisecond() -> None:
    estimator = LinkYieldEstimator().fit([f"{E}/f{n % 40}/x{n}-{'abc'[n % 3]}/y" for n in range(2000)], [1.0] * 2000)
    asked = [f"{E}/g{'xyz'[n % 3]}{n}/w-{n}/{'ab' * (n % 9)}" for n in range(500)]
    estimator.predict(asked[:1])
    start = time.perf_counter()
    estimator.predict(asked)
    assert time.perf_counter() - start < 0.5
