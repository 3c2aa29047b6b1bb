"""Hostile and broken markup for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = [
    "a", "b", "br", "p", "i", "div", "table", "tr", "td", "th", "ul", "ol", "li", "pre", "h1", "form", "select",
    "option", "button", "textarea", "script", "style", "template", "noscript", "iframe", "img", "font", "span",
    "blockquote", "dl", "dt", "dd", "html", "head", "body", "title", "o:p", "custom-element", "wbr", "source",
    "embed", "object", "input", "slot", "lite-youtube",
]  # fmt: skip
FOREIGN = [
    "svg",
    "math",
    "mi",
    "desc",
    "foreignObject",
    "xmp",
    "frameset",
    "annotation-xml",
    "mfrac",
    "msup",
    "mjx-container",
]
ATTRIBUTES = [
    'href="javascript:alert(1)"', "href=' jAvaScript:alert(1)'", "onclick=alert(1)", "src=x onerror=alert(1)",
    'cite="javascript:alert(1)"', 'srcset="javascript:alert(1) 1x, data:,x 2x"', 'style="background:url(x)"',
    'poster="javascript:1"', 'data-src="javascript:alert(1)"', 'class="language-py evil"', 'href="/a b"', "id=x",
    'title="<b>"', 'title="--><script>alert(1)</script>"', '"=1', "=", "xlink:href='javascript:1'", "formaction=x",
    'href="#x"', 'href="#location"', "id=location", 'id="a b"', 'href="#a%20b"', "shadowrootmode=open", "slot=x", "name=x",
    'data-cfemail="5e39372a1e39"', 'href="/cdn-cgi/l/email-protection#5e39"', 'style="white-space: pre-line"',
    "srcdoc='<p onclick=x>&lt;b><script>alert(1)</script>'", "type=checkbox", "role=checkbox aria-checked=true", "aria-label=drawn", 'type="math/tex; mode=display"', "alt=:)", 'class="latex emoji"',
    'data-url="//v.example/javascript:1"', 'src="//gist.example/a/0123456789ab.js"', "videoid=javascript",
]  # fmt: skip
PIECES = [
    "text",
    " ",
    "\n",
    "&#1;",
    "&lt;script&gt;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<",
    ">",
    "\0",
    "\x0b",
    "é",
    "'",
    '"',
]


def soup(tags: list[str]) -> st.SearchStrategy[str]:
    """Runs of start tags, end tags, attributes and text in no order."""
    name = st.sampled_from(tags)
    start = st.builds(
        lambda tag, attributes: f"<{tag} {' '.join(attributes)}>",
        name,
        st.lists(st.sampled_from(ATTRIBUTES), max_size=2),
    )
    end = st.builds("</{}>".format, name)
    return st.lists(start | end | st.sampled_from(PIECES), max_size=25).map("".join)


html_soup = soup(TAGS)
any_soup = soup(TAGS + FOREIGN)
