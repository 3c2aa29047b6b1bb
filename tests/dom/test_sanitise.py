from __future__ import annotations

import re
import time
from urllib.parse import quote, unquote

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
    ("<svg><text>a</text></svg><math><mi>x</mi><annotation>y</annotation></math>", r'<span>a </span><code class="language-tex">\(x\)</code>'),
    ("<svg aria-label=a><script>b</script><text>a<style>c</style></text></svg><svg aria-hidden=true><text>d</text></svg>",
     "<span>a c </span>"),
    ("<a href=/x><svg aria-label=a><title>b</title><text>Revenue 2020</text></svg></a><button><svg><text>c</text></svg></button>",
     '<a href="http://blog.example/x"><span>Revenue 2020 </span></a>'),
    ("<ul><li><input type=checkbox checked onclick=x> a<li><input type=checkbox>b", "<ul><li><span>[x] </span> a</li><li><span>[ ] </span>b</li></ul>"),
    ("<font color=red>a</font><!-- b --><style>c</style><title>d</title>", "a"),
    ("<textarea><script>x</script></textarea>", "<pre>&lt;script&gt;x&lt;/script&gt;</pre>"),
    ("<time datetime=2014>t</time><sub>1</sub><details><summary>s</summary></details>",
     '<time datetime="2014">t</time><sub>1</sub><details><summary>s</summary></details>'),
    ("<p>A.<sup id=fnref:1><a href='#fn:1' class=footnote>1</a></sup></p><ol><li id=fn:1>N <a href='#fnref:1'>↩</a></ol>",
     '<p>A.<sup id="fnref:1"><a href="#fn:1">1</a></sup></p><ol><li id="fn:1">N <a href="#fnref:1">↩</a></li></ol>'),
    (f"<a href='{URL}#_ftn1' name=_ftnref1>[1]</a><a name=_ftn1 href='#_ftnref1'>[1]</a><a href='#comments'>c</a>",
     f'<a href="#_ftn1" id="_ftnref1">[1]</a><a href="#_ftnref1" id="_ftn1">[1]</a><a href="{URL}#comments">c</a>'),
    ("<a href='#location'>x</a><label id=location>a</label><p id=location>b", '<a href="#section-location">x</a><span id="section-location">a</span><p>b</p>'),
    ("<a href='#__proto__'>x</a><i id=__proto__>a</i>", '<a href="#section-proto">x</a><i id="section-proto">a</i>'),
    ("<a href='#a%20b&quot;>'>x</a><x-y id='a b\"&gt;'><p>a</x-y>", '<a href="#a-b-">x</a><div id="a-b-"><p>a</p></div>'),
    ("<script src='https://gist.github.com/example/0123456789abcdef.js'></script><script src=//asciinema.org/a/14.js async></script>",
     ('<a href="https://gist.github.com/example/0123456789abcdef">https://gist.github.com/example/0123456789abcdef</a>'
     '<a href="http://asciinema.org/a/14">http://asciinema.org/a/14</a>')),
    ("<script src='https://gist.github.com/0123456789abcdef0123.js?file=a.py'></script><script src=//123.tracker.example/4567.js></script>",
     '<a href="https://gist.github.com/0123456789abcdef0123?file=a.py">https://gist.github.com/0123456789abcdef0123?file=a.py</a>'),
    ("<div data-gist=0123456789abcdef></div><code data-gist-id=1234></code><div data-gist-id='x'></div>",
     ('<a href="https://gist.github.com/0123456789abcdef">https://gist.github.com/0123456789abcdef</a>'
     '<a href="https://gist.github.com/1234">https://gist.github.com/1234</a><div></div>')),
    ("<p class=codepen data-slug-hash=QWxyz data-user=ann></p><script async src=//static.codepen.io/assets/embed/ei.js></script>",
     '<a href="https://codepen.io/ann/pen/QWxyz">https://codepen.io/ann/pen/QWxyz</a>'),
    ("<p class=codepen data-slug-hash=QWxyz>See the <a href=//codepen.io/ann/pen/QWxyz>pen</a></p>", '<p>See the <a href="http://codepen.io/ann/pen/QWxyz">pen</a></p>'),
    ("<script class=speakerdeck-embed data-id=4e8b3a0c0d9f src=//speakerdeck.com/assets/embed.js></script>",
     '<a href="https://speakerdeck.com/player/4e8b3a0c0d9f">https://speakerdeck.com/player/4e8b3a0c0d9f</a>'),
    ("a<script src=//ads.example/js/adsbygoogle.js></script><script src=/x/12345678.js></script><script src=//cdn.example/ajax/d3/d3.js></script>", "a"),
    ("<lite-youtube videoid=lmnopqrstuv playlabel='Lite film'></lite-youtube>", '<a href="https://www.youtube.com/watch?v=lmnopqrstuv">Lite film</a>'),
    ("<amp-vimeo data-videoid=123456></amp-vimeo><div class='youtube-player' data-id=lmnopqrstuv></div>",
     ('<a href="https://vimeo.com/123456">https://vimeo.com/123456</a>'
     '<a href="https://www.youtube.com/watch?v=lmnopqrstuv">https://www.youtube.com/watch?v=lmnopqrstuv</a>')),
    ("<cast-player src=/demo.cast title=Demo></cast-player><x-y label='A chart'></x-y><x-y>text</x-y>",
     '<a href="http://blog.example/demo.cast">Demo</a><span>A chart</span>text'),
    (f"<div class=fb-video data-href=https://films.example/v/1></div><div class=like data-href={URL}></div>",
     '<a href="https://films.example/v/1">https://films.example/v/1</a><div></div>'),
    ("<iframe data-consent-src='//v.example/e' src=about:blank></iframe><lite-youtube videoid='javascript:1'></lite-youtube>",
     '<a href="http://v.example/e">http://v.example/e</a>'),
    ("<blockquote class=instagram-media data-instgrm-permalink='https://pictures.example/p/1'></blockquote><blockquote cite='/said'>q</blockquote>",
     '<a href="https://pictures.example/p/1">https://pictures.example/p/1</a><blockquote cite="http://blog.example/said">q</blockquote>'),
    ("<blockquote class=tiktok-embed cite='https://films.example/v/2' data-video-id=2><section> </section></blockquote><blockquote></blockquote>",
     '<a href="https://films.example/v/2">https://films.example/v/2</a><blockquote></blockquote>'),
    ("<spotify-player uri='spotify:track:4iV5W9uYEdYUVa79Axb7Rh'></spotify-player><div data-uri=vimeo:12345></div><div data-x='a:b:1'></div>",
     ('<a href="https://open.spotify.com/track/4iV5W9uYEdYUVa79Axb7Rh">https://open.spotify.com/track/4iV5W9uYEdYUVa79Axb7Rh</a>'
     '<a href="https://vimeo.com/12345">https://vimeo.com/12345</a><div></div>')),
    ("<lite-youtube videoid='javascript:1'></lite-youtube><x-y uri='mailto:a1'></x-y>", ""),
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
    root = fragment(html)
    linked = {unquote(link.get("href") or "") for link in root.iter("a")}
    places = {quote(element.get("id"), safe=":.-_") for element in root.iter("*") if element.get("id")}
    for element in root.iter("*"):
        assert element.tag not in {"script", "style", "iframe", "object", "embed", "form", "svg", "math", "noscript"}
        for name, value in element.attrib.items():
            assert not name.startswith(("on", "data-", "style", "form"))
            if name == "id":
                assert f"#{value}" in linked
                assert re.fullmatch(r"[\w:.-]*[\d_:.-][\w:.-]*", value)
                assert not value.startswith("__")
            elif name == "href" and value.startswith("#"):
                assert value[1:] in places
            elif name in ("href", "src", "poster", "cite", "srcset"):
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
     "<img srcset='" + "a 1x, " * 200_000 + "'>", "<p>" + "\N{NO-BREAK SPACE}" * 700_000, "a<br>" + "&" * 700_000,
     "<p>" + "&amp;a" * 500_000, "<img src=x alt='" + "&" * 700_000 + "'>", "<a href='/?" + "a=b&" * 300_000 + "'>x</a>"],
    ids=["deep", "deep and wide", "scripts", "frames", "noscript", "srcset", "spaces", "references behind", "references",
         "attribute", "address"],
)  # fmt: skip
def test_linear(html: str) -> None:
    begin = time.process_time()
    sanitise_fragment(html, URL)
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("before", ["<p>", "<p>a<br>", "<pre>", "<ul><li><b>c</b>"])
@pytest.mark.parametrize("size", [16_383, 16_384, 16_385, 50_000])
def test_long_texts_are_whole(before: str, size: int) -> None:
    text = "".join(chr(97 + number % 26) + "&amp;" * (number % 3 == 0) for number in range(size))
    after = "<i>d</i>e" * 3
    assert f"{text}<i>d</i>e<i>d</i>e<i>d</i>e" in sanitise_fragment(before + text + after, URL)
