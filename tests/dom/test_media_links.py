"""The files that an article shows or leads to."""

from __future__ import annotations

import time

import pytest

from blogcrawler.dom import background_links, fragment, media_links, parse, sanitise_fragment

BASE = "http://blog.example.org/2020/post/"
AT = "http://blog.example.org"


def found(html):
    return [tuple(link) for link in media_links(fragment(sanitise_fragment(html, BASE)))]


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ('<p><img src="/a.png"></p>', [(f"{AT}/a.png", "image")]),
        (
            '<img src="a.jpg" srcset="b.jpg 300w, c.jpg 900w, d.jpg 600w">',
            [(f"{BASE}a.jpg", "image"), (f"{BASE}c.jpg", "image")],
        ),
        (
            '<img src="/a.jpg" srcset="/b.jpg 2x, /c.jpg 1.5x">',
            [(f"{AT}/a.jpg", "image"), (f"{AT}/b.jpg", "image")],
        ),
        ('<img src="data:image/gif;base64,R0" data-src="/late.png">', [(f"{AT}/late.png", "image")]),
        ("<noscript><img src='/n.png'></noscript>", [(f"{AT}/n.png", "image")]),
        (
            '<picture><source srcset="/a.webp 1x, /a2.webp 2x" type="image/webp"><img src="/a.jpg"></picture>',
            [(f"{AT}/a2.webp", "image"), (f"{AT}/a.jpg", "image")],
        ),
        (
            '<video poster="/p.jpg"><source src="/f.mp4"><track src="/t.vtt"></video><audio src="/s.mp3"></audio>',
            [(f"{AT}/p.jpg", "image"), (f"{AT}/f.mp4", "video"), (f"{AT}/t.vtt", "track"), (f"{AT}/s.mp3", "audio")],
        ),
        (
            '<a href="/paper.pdf#page=2">x</a> <a href="/about">y</a> <a href="mailto:a@b.pdf">z</a>',
            [(f"{AT}/paper.pdf", "attachment")],
        ),
        (
            '<a href="http://cdn.example.net/big.jpg"><img src="http://cdn.example.net/small.jpg"></a>',
            [("http://cdn.example.net/big.jpg", "attachment"), ("http://cdn.example.net/small.jpg", "image")],
        ),
        ('<img src="/a.png"><img src="/a.png#x">', [(f"{AT}/a.png", "image")]),
        ('<div style="background: url(/bg.png)"></div>', [(f"{AT}/bg.png", "image")]),
        ('<img src="javascript:alert(1)"><img src="file:///etc/passwd"><p>text</p>', []),
    ],
)
def test_files_of_an_article(html, want):
    assert found(html) == want


SHEET = """<style>
/* .note { background: url(/comment.png) } */
.hero, h2#top { background: #eee url("/hero.jpg") no-repeat }
@media (min-width: 40em) { .wide .photo.large { background-image: url(/photo.jpg) } }
.photo.small { background: url(/small.jpg) } a.photo { background: url(/link.jpg) }
.note:hover { background: url(/hover.png) } .note::before { background: url(/mark.png) }
.note { background: url(data:image/gif;base64,R0) } body, p { background: url(/paper.png) } .entry { background: url(/entry.png) }
.elsewhere { background: url(/elsewhere.png) } [class] { background: url(/any.png) }
</style><style>/* not closed .hero { background: url(/not.jpg) }</style>"""


@pytest.mark.parametrize(
    ("inside", "urls"),
    [
        ('<div class="big hero"><p>Words.</p></div><h2 id="top">A</h2>', ["hero.jpg"]),
        ('<p class="photo large">Words.</p>', ["photo.jpg"]),
        ('<p class="photo">Words.</p><p class="note">Words.</p>', []),
        ('<a class="small photo" href="/">Words.</a>', ["small.jpg", "link.jpg"]),
        ("<p>Words.</p>", []),
    ],
)
def test_pictures_that_style_elements_put_behind_parts_of_an_article(inside, urls):
    page = parse(f'{SHEET}<p class="elsewhere"></p><div class="entry">{inside}</div>'.encode())
    (article,) = page.xpath("//div[@class='entry']")
    assert [link.url for link in background_links(article, BASE, page)] == [f"{AT}/{url}" for url in urls]


@pytest.mark.parametrize(
    "sheet",
    [
        "/*" * 200_000,
        "{" * 400_000,
        "a{background:url(x)}" * 20_000,
        ".a{background:url(/x)}" * 20_000,
        "." + "a " * 200_000 + "{background:url(x)}",
        ".a" * 200_000 + "{background:url(x)}",
        "background:" * 40_000 + "{url(}",
    ],
    ids=lambda sheet: sheet[:12],
)
def test_hostile_style_sheets_cost_little(sheet):
    page = parse(f"<style>{sheet}</style><div>{'<p class=a>x</p>' * 2000}</div>".encode())
    begun = time.process_time()
    background_links(page, BASE, page)
    assert time.process_time() - begun < 1


def test_pictures_in_the_background_of_text():
    html = (
        "<div style=\"color: red; background-image: url('/bg.jpg')\"><p>text</p></div>"
        '<p style="background:url(data:image/gif;base64,R0)">x</p><p style="color: blue">y</p>'
    )
    assert [tuple(link) for link in background_links(fragment(html), BASE)] == [(f"{AT}/bg.jpg", "background")]


def test_many_selectors_of_pictures_cost_little():
    selectors = ",".join(f".{chr(97 + at % 26)}" for at in range(66))
    sheet = "".join(f"{selectors}{{background:url(/{at}.png)}}" for at in range(64))
    page = parse(f"<style>{sheet}</style><article>{'<p class=q>x</p>' * 20_000}</article>".encode())
    begun = time.process_time()
    assert background_links(page.find(".//article"), f"{AT}/", page)
    assert time.process_time() - begun < 2


def test_the_end_of_a_selector_says_which_elements_have_a_picture():
    sheet = (
        ".a:hover, .x >.b {background: url(/1.png)} .x + p.b {background: url(/2.png)} .b p {background: url(/3.png)}"
    )
    page = parse(f"<style>{sheet}</style><article><p class=b>x</p></article>".encode())
    links = background_links(page.find(".//article"), f"{AT}/", page)
    assert [link.url for link in links] == [f"{AT}/1.png", f"{AT}/2.png"]
