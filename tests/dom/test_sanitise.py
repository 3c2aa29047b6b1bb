from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from lxml import etree

from blogcrawler.dom import fragment, parse, sanitise, sanitise_fragment
from tests.dom.soup import any_soup

URL = "http://blog.example/2014/post/"

CASES = [
    ("<li><object><li>a", "<li></li><li>a</li>"),
    ("<p onclick=x style=y id=z class=w>a<script>1</script></p>", "<p>a</p>"),
    ("<a href='/c d#x' rel=nofollow>y</a>", '<a href="http://blog.example/c%20d#x" rel="nofollow">y</a>'),
    ("<a href='javascript:1'>x</a><a href='mailto:a@b.example'>m</a>", '<a>x</a><a href="mailto:a@b.example">m</a>'),
    ("<p></p>a<ul><li></li></ul>b", "<p></p>a<ul><li></li></ul>b"),
    ("<img src=a.png onerror=x alt=b>", '<img src="http://blog.example/2014/post/a.png" alt="b">'),
    ("<img src='data:image/gif;base64,R' data-src=/i.jpg>", '<img src="http://blog.example/i.jpg">'),
    ("<img src=/blank.gif data-original=/i.jpg data-lazy=true>", '<img src="http://blog.example/i.jpg">'),
    ("<img data-lazy-src=/i.jpg><noscript><img src=/i.jpg></noscript>", '<img src="http://blog.example/i.jpg">'),
    ("<img class=lazy><noscript><img src=/r.jpg></noscript>", '<img src="http://blog.example/r.jpg">'),
    ("<noscript>Please <b>enable</b> scripts<img src=/r.jpg></noscript>c", '<span><img src="http://blog.example/r.jpg"></span>c'),
    ("<img alt=nothing>x", "x"),
    ("<img data-srcset='/a.jpg 1x, /b.jpg 2x'>",
     '<img srcset="http://blog.example/a.jpg 1x, http://blog.example/b.jpg 2x" src="http://blog.example/a.jpg">'),
    ("<img srcset='javascript:1 1x,data:,x 2x, /k.png 3x' src=/k.png>",
     '<img srcset="http://blog.example/k.png 3x" src="http://blog.example/k.png">'),
    ("<iframe src=//v.example/e/1></iframe>", '<a href="http://v.example/e/1">http://v.example/e/1</a>'),
    ("<iframe data-src=//v.example/e/1 src=about:blank></iframe>", '<a href="http://v.example/e/1">http://v.example/e/1</a>'),
    ("<object><param name=movie value=http://v.example/v><embed src=/w></object>",
     '<a href="http://v.example/v">http://v.example/v</a>'),
    ("<video src=v.mp4 poster=/p.jpg autoplay></video>",
     '<video src="http://blog.example/2014/post/v.mp4" poster="http://blog.example/p.jpg"></video>'),
    ("<pre class='brush: x language-py evil'>\n\n\nx\n y</pre>", '<pre class="language-py">x\n y</pre>'),
    ("<blockquote cite='javascript:1'>q</blockquote><q cite=/q>r</q>",
     '<blockquote>q</blockquote><q cite="http://blog.example/q">r</q>'),
    ("<table><tr><td colspan=2 bgcolor=red>x</table>", '<table><tbody><tr><td colspan="2">x</td></tr></tbody></table>'),
    ("<form>a<input value=b><button>c</button><select><option>d</select></form>", "ac"),
    ("<svg><text>a</text></svg><math><mi>x</mi><annotation>y</annotation></math>", "<span>x</span>"),
    ("<font color=red>a</font><!-- b --><style>c</style><title>d</title>", "a"),
    ("<textarea><script>x</script></textarea>", "<pre>&lt;script&gt;x&lt;/script&gt;</pre>"),
    ("<time datetime=2014>t</time><sub>1</sub><details><summary>s</summary></details>",
     '<time datetime="2014">t</time><sub>1</sub><details><summary>s</summary></details>'),
    ("", ""),
]  # fmt: skip

ATTACKS = [
    "<svg><p><style><!--</style><img title='--&gt;&lt;img src=x onerror=1&gt;'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<math><annotation-xml encoding=text/html><script>alert(1)</script></annotation-xml></math>",
    "<a href='java&#10;script:alert(1)'>x</a><a href='&#1;javascript:alert(1)'>y</a>",
    "<template><script>alert(1)</script></template><xmp><script>alert(1)</script></xmp>",
    "<table><td><a href=//a.example/?javascript:1 onmouseover=alert(1)><table>",
    "<img srcset='x, javascript:alert(1)' src='javascript:alert(1)'><source srcset='data:text/html,x'>",
    "<iframe srcdoc='<script>alert(1)</script>' src='javascript:alert(1)'></iframe>",
]


def assert_harmless(html: str) -> None:
    for element in fragment(html).iter("*"):
        assert element.tag not in {"script", "style", "iframe", "object", "embed", "form", "svg", "math", "noscript"}
        for name, value in element.attrib.items():
            assert not name.startswith(("on", "data-", "style", "id", "form"))
            if name in ("href", "src", "poster", "cite", "srcset"):
                assert re.match("https?://|mailto:", value, re.IGNORECASE)
                assert "javascript:alert" not in value.removeprefix("http")


@pytest.mark.parametrize(("html", "want"), CASES)
def test_sanitise(html: str, want: str) -> None:
    assert sanitise_fragment(html, URL) == want
    assert sanitise_fragment(want, "http://elsewhere.example/") == want


@pytest.mark.parametrize("html", ATTACKS)
def test_attacks(html: str) -> None:
    assert_harmless(sanitise_fragment(html, URL))


@given(any_soup)
def test_nothing_hostile_is_left_and_again_changes_nothing(html: str) -> None:
    once = sanitise_fragment(html, URL)
    assert_harmless(once)
    assert sanitise_fragment(once, URL) == once


def test_the_tree_is_not_changed() -> None:
    root = parse("<div><img data-src=/x><noscript><img src=/x></noscript><iframe src=y></iframe><xmp>z</xmp></div>tail")
    before = etree.tostring(root)
    sanitise(root.find("body/div"), URL)
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("html", "path", "want"),
    [
        ("<article class=x>a<b>b</b></article>tail", "article", "a<b>b</b>"),
        ("<ul><li>a</ul>", "ul", "<ul><li>a</li></ul>"),
        ("<ul><li>a<p>b</p></ul>", "ul/li", "a<p>b</p>"),
        ("<pre> a\n b</pre>", "pre", "<pre> a\n b</pre>"),
        (
            "<table><tr><td>a<td>b</table>",
            "table/tbody/tr",
            "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
        ),
        ("<table><tr><td>a<p>b</table>", "table/tbody/tr/td", "a<p>b</p>"),
    ],
)
def test_what_is_kept_of_a_node(html: str, path: str, want: str) -> None:
    assert sanitise(parse("<body>" + html).find("body/" + path), URL) == want


@pytest.mark.parametrize(
    "html",
    ["<div>x" * 100_000, "<b>x" * 1_900 + "<i>y</i>" * 8_000, "x<script></script>" * 30_000,
     "<iframe src=x></iframe>" * 9_000,
     "".join(f"<noscript><img src=q{number}></noscript>" for number in range(9_000)),
     "<img srcset='" + "a 1x, " * 200_000 + "'>"],
    ids=["deep", "deep and wide", "scripts", "frames", "noscript", "srcset"],
)  # fmt: skip
def test_linear(html: str) -> None:
    begin = time.process_time()
    sanitise_fragment(html, URL)
    assert time.process_time() - begin < 3
