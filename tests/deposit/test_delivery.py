"""Posts on their way into a repository."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from blogcrawler.deposit import Delivery
from blogcrawler.errors import BackendUnavailable
from tests.deposit.archives import a_post, database, opened


def test_nothing_more_is_deposited_once_the_archive_cannot_note_it(tmp_path):
    asked = []

    def bring(post, blog):
        asked.append(post)
        raise BackendUnavailable("The database cannot be used.")

    with opened(tmp_path, a_post(tmp_path)):
        delivery = Delivery(database(tmp_path), SimpleNamespace(name="there"), SimpleNamespace(bring=bring), print)
        blog = SimpleNamespace(home="http://blog.example.org/")
        with pytest.raises(BackendUnavailable):
            delivery.bring([(blog, "first"), (blog, "second")])
    assert asked == ["first"]
