"""Archived markup in pages: nothing of it acts, and nothing leads a browser to the web by itself."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from blogcrawler.browse.safe_html import safe_html
from blogcrawler.browse.surroundings import PostLinks

BASE = "http://ann.example.org/a"
FILE = f"/files/{'a' * 64}.png"
WITHIN = PostLinks(
    {"http://ann.example.org/k.png": FILE}, {"http://ann.example.org/b": "/posts/2"}, {"c1": "comment-1"}, "/posts/1",
    frozenset({"http://ann.example.org/k.png"}),
)  # fmt: skip
LOADING = (
    "src",
    "poster",
    "srcset",
    "data",
    "background",
    "action",
    "formaction",
    "cite",
    "longdesc",
    "ping",
    "manifest",
)
PIECES = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg><script>alert(1)</script>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'>", "<math><mtext></p><style><img src=x onerror=alert(1)>",
    "<iframe src=http://x.example>", "<iframe srcdoc='<script>alert(1)</script>'>", "<object data=http://x.example>",
    "<embed src=http://x.example>", "<meta http-equiv=refresh content='0;url=http://x.example'>", "<base href=http://x.example>",
    "<link rel=stylesheet href=http://x.example>", "<link rel=prefetch href=http://x.example>", "<style>*{background:url(http://x.example)}</style>",
    "<p style='background:url(http://x.example)'>", "<form action=http://x.example><input name=a><button formaction=http://x.example>",
    "<a href='javascript:alert(1)'>", "<a href=' java\tscript:alert(1)'>", "<a href='data:text/html,x'>", "<a href='//x.example' ping=http://x.example>",
    "<a href=/settings>", "<a href=http://ann.example.org/b>", "<img srcset='http://x.example 2x, http://y.example 3x'>",
    "<picture><source srcset=http://x.example><img src=http://ann.example.org/k.png>", "<video poster=http://x.example><track src=http://x.example>",
    "<audio src=http://x.example autoplay>", "<img src=http://ann.example.org/k.png id=content name=q class=skip>", "<img src='/files/../x'>",
    "<main id=content>", "<header class=banner>", "<h1>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><img src=http://x.example></template>", "<plaintext>", "<xmp>", "<textarea>", "<!-- ", "-->", "<![CDATA[", "]]>",
    "</div></div></main>", "<table background=http://x.example><td background=http://x.example>", "<body background=http://x.example onload=alert(1)>",
    "<q cite=http://x.example>", "<blockquote cite=http://x.example>", "<img lowsrc=http://x.example dynsrc=http://x.example>",
    "<p lang='en\" onclick=\"alert(1)'>", "<dialog open>", "<details open ontoggle=alert(1)>", "<slot>", "<portal src=http://x.example>",
]  # fmt: skip


def check(markup):
    """What a page must not hold, however the markup is read."""
    root = lxml_html.fragment_fromstring(f"<div>{markup}</div>", create_parent="section")
    for node in root.iter():
        assert isinstance(node.tag, str), "a comment or an instruction"
        assert node.tag not in {
            "script", "style", "link", "meta", "base", "iframe", "frame", "object", "embed", "form", "input", "button",
            "textarea", "select", "svg", "math", "template", "noscript", "title", "main", "nav", "header", "footer", "h1",
        }  # fmt: skip
        for name, value in node.items():
            assert not name.startswith("on")
            assert name not in {"style", "class", "name", "srcset", "target", "autoplay"}
            if name in LOADING:
                assert re.fullmatch(r"/files/[0-9a-f]{64}\.[a-z0-9]+", value)
            if name == "id":
                assert re.fullmatch(r"n[0-9a-f]{8}-\d+", value)
            if name == "href":
                assert node.tag == "a"
                assert re.match(r"https?://|mailto:|/posts/|/files/|/blogs/|#comment-|#n[0-9a-f]{8}-", value)
                assert node.get("rel") == "noreferrer"


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=8).map("".join))
def test_nothing_acts_and_nothing_asks_the_web(markup):
    check(safe_html(markup, "text", BASE, WITHIN))


@pytest.mark.parametrize("markup", PIECES)
def test_each_piece_alone(markup):
    check(safe_html(f"<p>before</p>{markup}<p>after</p>", "text", BASE, WITHIN))


class Lying:
    """Surroundings that lead to what is not ours, as if there was a mistake in them."""

    def __init__(self, url):
        self._url = url

    def shown(self, _url):
        return self._url

    def opened(self, _url):
        return self._url


@pytest.mark.parametrize("url", ["http://x.example/", "//x.example/", "javascript:alert(1)", "data:text/html,x", "/settings",
                                 "/files/../x", "files/x", "\\\\x.example", "/posts/1/../../x"])  # fmt: skip
def test_the_last_word_is_not_that_of_the_surroundings(url):
    page = safe_html(
        "<img src=http://a.example/1.png><video src=http://a.example/2></video><a href=http://a.example/>x</a>",
        None,
        BASE,
        Lying(url),
    )
    root = lxml_html.fragment_fromstring(page, create_parent="div")
    assert not root.xpath(".//@src")
    assert root.xpath(".//@href") in ([], ["http://x.example/"])


def test_what_is_kept_is_shown():
    page = safe_html(
        '<h1>A</h1><p lang="de">B <img src="k.png" alt="K" width="4"></p><pre><code>x</code></pre>', None, BASE, WITHIN
    )
    assert page == (
        f'<h2>A</h2><p lang="de">B <img src="{FILE}" alt="K" width="4" loading="lazy"></p><pre><code>x</code></pre>'
    )


def test_notes_can_be_reached_and_no_name_is_the_pages_own():
    page = safe_html(
        '<a href="#fn:1">1</a><a href="#main">m</a><p id="fn:1">N</p><p id="main">M</p>', None, BASE, WITHIN
    )
    names = re.findall('(?:href="#|id=")(n[0-9a-f]{8}-[12])"', page)
    assert names[:2] == names[2:]
    assert "main" not in page


def test_a_text_stands_for_markup_that_is_not_there():
    assert safe_html(None, "One <b>\n\nTwo", BASE, WITHIN) == "<p>One &lt;b&gt;</p><p>Two</p>"
