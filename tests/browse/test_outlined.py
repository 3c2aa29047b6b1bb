"""Archived pages in frames: outlined, and unable to do anything."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from blogcrawler.browse.outlined import FRAME_POLICY, choosable, colours, outlined
from blogcrawler.dom import inline_text, parse
from blogcrawler.wrapper import Place, path_of

HOSTILE = """<html onload="x()"><head><base href="http://evil.example.org/"><meta http-equiv="refresh" content="0;url=http://evil.example.org/">
<link rel="stylesheet" href="http://evil.example.org/a.css"><link rel="prefetch" href="http://evil.example.org/b">
<style>@import "http://evil.example.org/c.css"; body { background: url(http://evil.example.org/d.png) } p { color: red }
.x { background-image: image-set("e.png" 1x) } </style><title></title><script>alert(1)</script></head>
<body onclick="x()" class="post" style="background:url(http://evil.example.org/f)"><h1 id="t" onmouseover="x()">A <a href="javascript:x()">title</a></h1>
<form action="http://evil.example.org/g"><input name="a" value="b" autofocus onfocus="x()"><button formaction="http://evil.example.org/h">Send</button></form>
<iframe src="http://evil.example.org/i" srcdoc="<script>x()</script>"></iframe><svg onload="x()"><script>x()</script><use href="http://evil.example.org/j"/></svg>
<img src="http://evil.example.org/k.png" srcset="http://evil.example.org/l.png 2x" onerror="x()" alt="A cat"><video src="http://evil.example.org/m" poster="http://evil.example.org/n"></video>
<p style="color: blue; width: 3em">Text<!-- comment --> after <math><mi href="javascript:x()">m</mi></math> all</p><noscript><img src="http://evil.example.org/o"><p>without</p></noscript>
<a href="http://evil.example.org/" ping="http://evil.example.org/p" target="_top">away</a></body></html>"""


def check_harmless(page, *, may_choose=False):
    """Nothing that runs, sends, loads or leads, but for what the application puts in."""
    tree = html.fromstring(page)
    assert not tree.xpath(
        "//script|//iframe|//object|//embed|//link|//base|//form|//svg|//math|//video|//input|//button"
    )
    assert len(tree.xpath("//meta")) == 1
    for node in tree.iter("*"):
        for name, value in node.attrib.items():
            assert not name.startswith("on")
            assert name not in {"srcset", "srcdoc", "action", "formaction", "ping", "poster", "background", "data"}
            assert "url(" not in value or name != "style"
            if name == "src":
                assert value.startswith("/files/")
            if name == "href":
                assert may_choose
                assert value.startswith("/choose/")
    assert not re.search(r"url\(|@import|image-set", page)


def test_a_hostile_page_is_shown_and_can_do_nothing():
    page = outlined(parse(HOSTILE))
    check_harmless(page)
    shown = inline_text(html.fromstring(page).find("body"))
    for said in ("A title", "Send", "[A cat]", "Text after \\(m\\) all", "without", "away"):
        assert said in shown
    assert "p { color: red }" in page
    assert 'style="color: blue; width: 3em"' in page
    assert 'class="post"' in page
    check_harmless(outlined(parse(HOSTILE), choice=lambda number: f"/choose/{number}"), may_choose=True)


def test_the_frame_may_not_run_scripts_nor_ask_for_anything():
    directives = dict(part.strip().split(" ", 1) for part in FRAME_POLICY.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["img-src"] == "'self'"
    assert "allow-scripts" not in directives["sandbox"]
    assert "allow-forms" not in directives["sandbox"]


def test_fields_are_outlined_in_colours_of_their_own():
    tree = parse("<h1>A title</h1><p class=by>Ann <b>Lee</b></p><div><p>one</p><p>two</p></div>")
    title, by, body = tree.xpath("//h1|//b|//div")
    before = html.tostring(tree)
    page = outlined(
        tree, [Place("title", (title,), "//h1"), Place("authors", (by,), "//b"), Place("content", (body,), "//div")]
    )
    found = html.fromstring(page)
    told = {node.get("data-archive-field"): inline_text(node) for node in found.xpath("//*[@data-archive-field]")}
    assert told == {"title": "A title", "authors": "Lee", "content": "one two"}
    assert found.xpath("//h1/@data-archive-rule") == ["//h1"]
    assert all(f"3px solid {colour}" in page for colour in colours().values())
    assert len(set(colours().values())) == len(colours())
    assert html.tostring(tree) == before


def test_a_page_cannot_pretend_to_be_outlined():
    page = outlined(parse('<p data-archive-field="title" data-archive-rule="x" data-archive-number="7">No title</p>'))
    assert not html.fromstring(page).xpath("//*[@data-archive-field or @data-archive-rule or @data-archive-number]")


def test_pictures_of_the_archive_are_shown():
    known = {"a.png": "/files/1.png"}
    page = outlined(
        parse('<img src="a.png" alt="A"><img src="b.png" alt="B"><img data-src="a.png" src="">'), picture=known.get
    )
    found = html.fromstring(page)
    assert found.xpath("//img/@src") == ["/files/1.png", "/files/1.png"]
    assert "[B]" in inline_text(found)


def test_each_text_leads_to_the_choice_of_its_element():
    tree = parse("<div>one <b>two</b> three<ul><li><a href='x'>four</a></li></ul><img src=a alt=five></div>")
    page = outlined(tree, choice=lambda number: f"/choose/{number}")
    found = {}
    for link in html.fromstring(page).xpath("//a[@target='_top']"):
        number = int(link.get("href").rpartition("/")[2])
        found[inline_text(link).strip() or "picture"] = choosable(tree, number).tag
    assert found == {"one": "div", "two": "b", "three": "div", "four": "a", "[five]": "img"}
    assert choosable(tree, 10_000) is None


@pytest.mark.parametrize("name", ["xmp", "listing"])
def test_what_is_no_markup_is_shown_as_it_was_and_can_be_chosen(name):
    page = outlined(parse(f"<body><{name}><b>bold</b>"), choice=lambda number: f"/choose/{number}")
    (link,) = html.fromstring(page).xpath("//pre//a")
    assert link.text == ("bold" if name == "listing" else "<b>bold</b>")


@pytest.mark.parametrize("piece", ["<!-- comment -->y", "<script>x()</script>y", "<style>p { color: red }</style>y"])
def test_time_is_linear_in_what_is_taken_out(piece):
    def seconds(count):
        tree = parse(f"<body>x{piece * count}")
        begun = time.process_time()
        assert inline_text(html.fromstring(outlined(tree)).find("body")) == "x" + "y" * count
        return time.process_time() - begun

    few, many = (min(seconds(count) for _ in range(3)) for count in (5_000, 40_000))
    assert many < 24 * few + 0.2  # 64 times as long where it grows with the square


def test_numbers_are_those_of_the_page_as_it_is_kept():
    """What is left out of the frame has a number, too."""
    tree = parse("<script>x</script><svg><g/></svg><p>first</p><iframe></iframe><p>second</p>")
    page = outlined(tree, choice=lambda number: f"/choose/{number}")
    links = html.fromstring(page).xpath("//a[@target='_top']")
    for link in links:
        node = choosable(tree, int(link.get("href").rpartition("/")[2]))
        assert inline_text(node) == inline_text(link)
        assert path_of(node).endswith(("p[1]", "p[2]"))
    assert len(links) == 2


@given(st.text("<>/abpsvgimtle =\"'!-onurl():;@&#x0", max_size=300))
def test_whatever_a_page_holds(markup):
    tree = parse(f"<p>x</p>{markup}")
    check_harmless(outlined(tree))
    check_harmless(outlined(tree, choice=lambda number: f"/choose/{number}"), may_choose=True)


@pytest.mark.parametrize("page", ["<frameset><frame src=a></frameset>", "<svg>only</svg>", "<p>", "<title>a</title>"])
def test_pages_with_nothing_to_show(page):
    check_harmless(outlined(parse(page)))
