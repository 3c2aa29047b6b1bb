"""Signs that link a heading to itself are no part of an article."""

from __future__ import annotations

import time
from copy import deepcopy

import pytest
from hypothesis import given

from blogcrawler.dom import drop_permalinks, fragment, readable_text
from tests.dom.soup import any_soup

#: A heading as software writes it; "A title" is what is to be left of it.
HEADINGS = {
    "Python-Markdown": '<h2 id="t">A title<a class="headerlink" href="#t" title="Permanent link">&para;</a></h2>',
    "Sphinx": '<section id="t"><h2>A title<a class="headerlink" href="#t">¶</a></h2></section>',
    "Sphinx, old": '<div class="section" id="t"><h2>A title<a class="headerlink" href="#t">¶</a></h2></div>',
    "markdown-it-anchor": '<h2 id="t" tabindex="-1">A title <a class="header-anchor" href="#t" aria-hidden="true">#</a></h2>',
    "markdown-it-anchor, words": '<h2 id="t">A title <a href="#t"><span class="visually-hidden">Permalink to “A title”</span> <span aria-hidden="true">#</span></a></h2>',
    "hexo": '<h2 id="t"><a href="#t" class="headerlink" title="A title"></a>A title</h2>',
    "Hugo": '<h2 id="t">A title <a class="anchor" href="#t">#</a></h2>',
    "Hugo, address": '<h2 id="t">A title <a class="anchor" href="http://blog.example/post/#t">🔗</a></h2>',
    "GitHub": '<h2><a id="t" class="anchor" aria-hidden="true" href="#t"><svg><path d="M4"/></svg></a>A title</h2>',
    "GitHub, new": '<div><h2>A title</h2><a id="t" class="anchor" aria-label="Permalink: A title" href="#t"><svg><path/></svg></a></div>',
    "Docusaurus": '<h2 id="t">A title<a href="#t" class="hash-link">\u200b</a></h2>',
    "Jekyll": '<h2 id="t">A title<a href="#t" class="header-link"><i class="fa fa-link"></i></a></h2>',
    "section sign": '<h2 id="t">A title <small><a href="#t">§</a></small></h2>',
    "to the top": '<h2>A title <a href="#top">↑</a></h2>',
    "letters": '<h2 id="títle">A title <a href="#t%C3%ADtle">#</a></h2>',
    "own anchor": '<h2><a name="t"></a>A title <a href="#t">#</a></h2>',
    "glossary": '<dl><dt id="t">A title<a href="#t">¶</a></dt></dl>',
    "all of it": '<h2 id="t"><a href="#t">A title</a></h2>',
}  # fmt: skip

#: What stays as it is.
OTHERS = {
    "a note": '<h2>A title<a href="#fn1">*</a></h2><ol><li id="fn1">Note <a href="#r1">↩</a></li></ol>',
    "a number": '<h2>A title<sup><a href="#fn1">1</a></sup></h2><p id="fn1">Note</p>',
    "another page": '<h2>A title <a href="/other">→</a></h2>',
    "a place in another page": '<h2>A title <a href="/other#t">→</a></h2>',
    "a picture": '<h2 id="t">A title <a href="#t"><img src="a.png"></a></h2>',
    "in a paragraph": '<p id="t">A text <a href="#t">#</a></p>',
    "words": '<h2 id="t"><a href="#t">A title</a> of 2014</h2>',
}  # fmt: skip


@pytest.mark.parametrize("html", HEADINGS.values(), ids=HEADINGS)
def test_signs_go(html: str) -> None:
    root = fragment(f"<p>Before</p>{html}<p>After</p>")
    drop_permalinks(root)
    assert readable_text(root).split() == ["Before", "A", "title", "After"]
    assert [link.text for link in root.iter("a") if link.get("href")] in ([], ["A title"])


@pytest.mark.parametrize("html", OTHERS.values(), ids=OTHERS)
def test_others_stay(html: str) -> None:
    root = fragment(html)
    drop_permalinks(root)
    assert [node.tag for node in root.iter()] == [node.tag for node in fragment(html).iter()]


def test_the_same_words_at_several_headings_go() -> None:
    root = fragment(
        "".join(f'<h2 id="{name}">{name} <a href="#{name}">Link to here</a></h2>' for name in ("one", "two"))
    )
    drop_permalinks(root)
    assert readable_text(root) == "one\n\ntwo"


def text_outside_links(root) -> str:
    root = deepcopy(root)
    for link in list(root.iter("a")):
        link.clear(keep_tail=True)
    return "".join(root.itertext())


@given(any_soup)
def test_no_text_but_of_links_is_lost(html: str) -> None:
    root = fragment(html)
    before = text_outside_links(root)
    drop_permalinks(root)
    assert text_outside_links(root) == before


@pytest.mark.parametrize(
    "html",
    ["<h2>" + "<a href=#x>#</a>" * 30_000, "<h2>" + "word <a href=#x>word</a> " * 20_000,
     "<h2 id=x><a href=#x>#</a></h2>" * 20_000],
    ids=["signs", "words", "headings"],
)  # fmt: skip
def test_linear(html: str) -> None:
    root = fragment(html)
    begin = time.process_time()
    drop_permalinks(root)
    assert time.process_time() - begin < 2
