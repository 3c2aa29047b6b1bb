"""The estimate of link yields."""

from __future__ import annotations

import time

import pytest

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.estimators import LinkYieldEstimator

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
    assert a_list == pytest.approx(10, rel=0.2)
    assert month == pytest.approx(4, rel=0.15)
    assert thread == pytest.approx(0, abs=0.15)


def test_what_resembles_nothing_gets_the_prior() -> None:
    estimator = LinkYieldEstimator(prior=3).fit([f"{E}/page/2/"], [10])
    assert estimator.predict(["http://other.net/%D0%B0-b.asp/c.d/e,f/g?x=y"]) == [pytest.approx(3)]


def test_links_tell_pages_with_like_addresses_apart() -> None:
    marks = [("place 1",), ("place 2",)] * 5
    estimator = LinkYieldEstimator().fit([f"{E}/{name}" for name in "abcdefghij"], [9, 0] * 5, marks)
    a_list, other = estimator.predict([f"{E}/x", f"{E}/y"], [("place 1",), ("place 2",)])
    assert a_list > 2 * other


def test_of_pages_that_are_alike_the_newest_count() -> None:
    urls = [f"{E}/page/{n}/" for n in range(10, 50)]
    early, late = [8.0] * 20 + [0.0] * 20, [0.0] * 20 + [8.0] * 20
    falling, rising = (LinkYieldEstimator().fit(urls, yields).predict([f"{E}/page/77/"])[0] for yields in (early, late))
    assert falling < 1 < 6 < rising


def test_the_nearer_weighs_more() -> None:
    estimator = LinkYieldEstimator(k=3).fit([f"{E}/a/b/c/d", f"{E}/a/x/y/z", f"{E}/q.html"], [10, 1, 1])
    near, far = estimator.predict([f"{E}/a/b/c/e", f"{E}/a/x/y/w"])
    assert near > 1.5 * far


def test_weights_by_hand() -> None:
    # the page itself weighs 1, the prior a half: exp((log 8 + log 2 / 2) / 1.5) - 1
    estimator = LinkYieldEstimator().fit([f"{E}/a/"], [7])
    assert estimator.predict([f"{E}/a/"]) == [pytest.approx((8 * 2**0.5) ** (1 / 1.5) - 1)]


def test_learning_in_pieces_is_learning_at_once() -> None:
    pieces = LinkYieldEstimator()
    for url, count in zip(URLS, YIELDS, strict=True):
        pieces.partial_fit([url], [count])
    assert pieces.examples_ == LinkYieldEstimator().fit(URLS, YIELDS).examples_
    asked = [f"{E}/page/50/", f"{E}/about/"]
    assert pieces.predict(asked) == LinkYieldEstimator().fit(URLS, YIELDS).predict(asked)


def test_fit_forgets_and_predict_sees_the_newest(estimator: LinkYieldEstimator) -> None:
    assert estimator.predict([f"{E}/page/50/"])[0] > 8
    assert estimator.partial_fit(LISTS, [0.0] * len(LISTS)).predict([f"{E}/page/50/"])[0] < 1
    assert estimator.fit([f"{E}/page/51/"], [5]).predict([f"{E}/page/50/"])[0] > 2
    assert len(estimator) == 1


def test_the_training_set_is_bounded_and_diverse() -> None:
    estimator = LinkYieldEstimator(limit=50)
    estimator.partial_fit(LISTS, [10.0] * len(LISTS))
    estimator.partial_fit([f"{E}/forum/t{n}/" for n in range(500)], [0.0] * 500)
    assert len(estimator) == 50
    assert estimator.predict([f"{E}/page/99/"]) == [pytest.approx(10, rel=0.2)]
    assert f"{E}/forum/t499/" in estimator.examples_
    assert f"{E}/forum/t0/" not in estimator.examples_


def test_full_training_sets_are_those_of_their_newest_examples() -> None:
    """Whatever was removed: an estimator that never knew the removed examples predicts the same."""
    old = [f"{E}/forum/t{n}-{'abc'[n % 3]}/" for n in range(170)]
    urls = [
        url for number, url in enumerate(old) for url in ([url, f"{E}/page/{number}/"] if number % 9 == 0 else [url])
    ]
    yields = [float(len(url) % 5) for url in urls]
    asked = [f"{E}/page/99/", f"{E}/forum/t500-a/", f"{E}/forum/t1-b/", f"{E}/2014/05/"]
    estimator = LinkYieldEstimator(limit=50)
    for url, count in zip(urls, yields, strict=True):
        estimator.partial_fit([url], [count])
        kept = estimator.examples_
        fresh = LinkYieldEstimator().fit(list(kept), [count for count, _ in kept.values()])
        assert estimator.predict(asked) == fresh.predict(asked)


def test_learning_does_not_take_longer_beyond_the_limit() -> None:
    def seconds(examples: int) -> float:
        estimator = LinkYieldEstimator().fit([f"{E}/f/x{n}/y" for n in range(examples)], [1.0] * examples)
        estimator.predict([E])
        start = time.process_time()
        for n in range(examples, examples + 100):
            estimator.partial_fit([f"{E}/f/x{n}/y"], [1.0]).predict([f"{E}/g/{n}"])
        return time.process_time() - start

    assert min(seconds(2000) for _ in range(3)) < 5 * min(seconds(1000) for _ in range(3))


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
    start = time.process_time()
    estimator.predict(asked)
    assert time.process_time() - start < 0.5
