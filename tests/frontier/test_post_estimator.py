"""The estimate whether a page is a post."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter

import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from blogcrawler.frontier.post_estimator import PostEstimator

POST, LIST = ("pattern", "place 1"), ("pattern", "place 2")


def test_the_pattern_says_it_until_something_was_learned() -> None:
    fits, other, in_menu = PostEstimator().predict([("pattern",), (), ("pattern", "menu")])
    assert fits > max(other, in_menu)


def test_what_was_learned_outweighs_the_pattern_and_may_be_unlearned() -> None:
    estimator = PostEstimator().partial_fit([POST] * 8 + [LIST] * 8, [True] * 8 + [False] * 8)
    post, other = estimator.predict([POST, LIST])
    assert other < 0.3 < 0.7 < post
    for _ in range(8):
        estimator.forget(LIST, is_post=False)
    assert estimator.predict([LIST])[0] > 0.5


def test_of_many_the_newest_count() -> None:
    estimator = PostEstimator(limit=20).partial_fit([LIST] * 20 + [POST] * 20, [True] * 40)
    assert len(estimator) == 20
    assert PostEstimator(limit=20).partial_fit([POST] * 20, [True] * 20).predict([LIST]) == estimator.predict([LIST])


@pytest.mark.parametrize("seed", range(8))
def test_estimates_are_those_of_scikit_learn(seed: int) -> None:
    source = random.Random(seed)
    examples = [(f"place {source.randint(1, 5)}", *source.choices("abcde", k=seed)) for _ in range(10 * seed + 3)]
    are_posts = [source.random() < (0.8 if "place 1" in example else 0.3) for example in examples]
    beliefs = [((), False), (("pattern",), True), (("pattern", "menu"), False), (("pattern", "twin"), False)]
    known = [(Counter(example), is_post, 3.0) for example, is_post in beliefs]
    known += [(Counter(example), is_post, 1.0) for example, is_post in zip(examples, are_posts, strict=True)]
    counts, labels, importance = zip(*known, strict=True)
    vectors = DictVectorizer().fit(counts)
    model = LogisticRegression(C=1.0, max_iter=50, tol=1e-2).fit(vectors.transform(counts), labels, importance)
    asked = [*examples, ("pattern",), ("place 2", "pattern", "a"), ()]
    expected = model.predict_proba(vectors.transform(map(Counter, asked)))[:, 1]
    assert PostEstimator().partial_fit(examples, are_posts).predict(asked) == pytest.approx(expected, abs=1e-9)


def test_scipy_comes_without_what_it_imports_for_other_methods_and_leaves_that_whole() -> None:
    code = """if True:
        import sys
        from blogcrawler.frontier.post_estimator import PostEstimator
        PostEstimator().predict([("pattern",)])
        unused = ["numpy.f2py", "scipy.fft", "scipy.spatial", "scipy.optimize._linprog", "scipy.sparse.csgraph"]
        print(*[name for name in unused if name in sys.modules] or ["none"])
        import numpy, scipy.optimize, scipy.stats
        print(*scipy.stats.rankdata([3, 1, 2]), scipy.stats.norm.cdf(0), numpy.f2py.__name__)
        print(scipy.optimize.linprog([1], bounds=(2, 3)).fun, *scipy.sparse.csgraph.connected_components(numpy.eye(2))[1])
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["none", "3.0", "1.0", "2.0", "0.5", "numpy.f2py", "2.0", "0", "1"]
