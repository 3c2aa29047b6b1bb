"""Posts that are read again in the background."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

from blogcrawler.browse import renewals
from blogcrawler.reextraction import Outcome

BLOG = SimpleNamespace(id=1, home="http://blog.example.org/")
HOLDINGS = SimpleNamespace(
    archive=SimpleNamespace(count=lambda _: 3), database_url="", warcs=None, least=0.3, keeps_files=False
)


def test_what_is_corrected_while_posts_are_read_again_is_learned_from_afterwards(monkeypatch):
    corrections, learned, begun, goes_on = ["title"], [], threading.Event(), threading.Event()

    def renew(*_args, on_post, **_more):
        learned.append(list(corrections))
        on_post()
        begun.set()
        goes_on.wait(10)
        return Outcome(changed=len(learned))

    monkeypatch.setattr(renewals, "renew", renew)
    under_test = renewals.Renewals()
    first = under_test.start(HOLDINGS, BLOG)
    assert begun.wait(10)
    corrections.append("tags")
    assert under_test.start(HOLDINGS, BLOG) is first
    assert under_test.start(HOLDINGS, BLOG) is first
    assert not first.is_over
    goes_on.set()
    ends = time.monotonic() + 10
    while not first.is_over and time.monotonic() < ends:
        time.sleep(0.01)
    assert learned == [["title"], ["title", "tags"]]
    assert (first.outcome.changed, first.done, first.error) == (2, 1, None)
