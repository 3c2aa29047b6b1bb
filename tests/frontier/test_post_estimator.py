"""The estimate whether a page is a post."""

from __future__ import annotations

import subprocess
import sys

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


def test_scikit_learn_comes_without_what_it_imports_for_other_estimators_and_leaves_that_whole() -> None:
    code = """if True:
        import sys
        from blogcrawler.frontier.post_estimator import PostEstimator
        PostEstimator().predict([("pattern",)])
        unused = ["numpy.f2py", "scipy.integrate", "scipy.interpolate", "scipy.spatial", "scipy.stats"]
        unused += ["scipy.optimize._linprog", "scipy.sparse.csgraph", "pandas", "rich"]
        print(*[name for name in unused if name in sys.modules] or ["none"])
        import numpy, rich.progress, scipy.optimize, scipy.stats, sklearn.metrics._ranking as ranking
        print(*scipy.stats.rankdata([3, 1, 2]), *ranking.rankdata([3, 1, 2]), scipy.stats.norm.cdf(0), numpy.f2py.__name__)
        print(scipy.optimize.linprog([1], bounds=(2, 3)).fun, *scipy.sparse.csgraph.connected_components(numpy.eye(2))[1])
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["none", *["3.0", "1.0", "2.0"] * 2, "0.5", "numpy.f2py", "2.0", "0", "1"]
