"""Corrections as the archive keeps them."""

from __future__ import annotations

from dataclasses import replace

from blogcrawler.backend import KeptCorrection
from blogcrawler.items import Entry, Page
from tests.backend.test_archive import HOME, LATER, NOW

URL = "http://blog.example.org/2014/a-post/"
PAGE = Page(URL, b"<h1>A post \xff</h1>", "text/html; charset=latin-1", 200, NOW.isoformat(), is_rendered=True)
ONE = KeptCorrection(URL, "title", "/html/body[1]/h1[1]", None, NOW, PAGE, Entry(URL, title="Wrong"))


def test_corrections_are_kept_with_their_page(archive):
    other = replace(ONE, field="authors", words="Ann\0", moment=LATER)
    kept = archive.corrections(HOME)
    kept.save(other)
    kept.save(ONE)
    assert archive.corrections(HOME).all() == [ONE, replace(other, words="Ann")]
    assert [(one.url, one.field) for one in kept.without_pages()] == [(URL, "title"), (URL, "authors")]
    assert archive.corrections("http://other.example.org/").all() == []


def test_the_last_one_of_a_field_counts_however_the_address_is_spelled(archive):
    kept = archive.corrections(HOME)
    kept.save(ONE)
    again = replace(ONE, url=URL.replace("http:", "https:"), path="/html/body[1]/h2[1]", moment=LATER)
    kept.save(again)
    assert [one.path for one in kept.all()] == [again.path]


def test_corrections_are_taken_back(archive):
    kept = archive.corrections(HOME)
    kept.save(ONE)
    assert not kept.drop(URL, "authors")
    assert kept.drop(URL, "title")
    assert not kept.drop(URL, "title")
    assert kept.all() == []
