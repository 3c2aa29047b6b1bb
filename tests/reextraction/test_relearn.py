"""A wrapper is learned again as a crawl has learned it."""

from __future__ import annotations

import sys

import pytest

from blogcrawler.backend import Archive
from blogcrawler.items import Entry, Page
from blogcrawler.reextraction import ArchivedPages
from blogcrawler.reextraction.relearn import relearn

HOME = "http://blog.example.org/"


def test_pages_are_learned_from_in_the_order_of_feeds(tmp_path, monkeypatch):
    days = {"m": "2024-03-05", "a": "2024-01-01", "z": "2024-02-03", "b": None}
    seen = []

    def learned(pairs, _corrections):
        seen.extend(page.url.removeprefix(HOME) for page, _ in pairs)
        raise InterruptedError

    monkeypatch.setattr(sys.modules["blogcrawler.reextraction.relearn"], "learned", learned)
    with Archive.open(f"sqlite:///{tmp_path}/a.db") as archive, ArchivedPages(archive, HOME, None) as pages:
        for name, day in days.items():
            page = Page(HOME + name, b"<p>text</p>", "text/html", 200)
            archive.save_training_page(HOME, page, Entry(page.url, title=name, published=day))
        with pytest.raises(InterruptedError):
            relearn(archive, HOME, pages)
    assert seen == ["m", "z", "a", "b"]
