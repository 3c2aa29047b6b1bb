"""What updates remember of a blog."""

from __future__ import annotations

from blogcrawler.crawl.update.update_memory import UpdateMemory
from blogcrawler.serialise import dump, load


def test_it_is_stored_as_in_the_archives_of_before():
    stored = {
        "in_vain": ["blog.example.org/about/"],
        "left": {"http://blog.example.org/1/": 2},
        "left_lists": ["http://blog.example.org/2026/"],
        "lists": ["http://blog.example.org/archive/"],
        "has_lastmods": False,
        "first_update": "2026-11-01T00:00:00+00:00",
        "sitemaps_since": None,
    }
    assert dump(load(UpdateMemory, stored)) == stored
    assert load(UpdateMemory, {"in_vain": [], "lists": []}).unavailable == {}
