"""Pages whose software replaces what the author wrote, and feeds that have it as it was written, or drop it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogcrawler.dom import parse, readable_text
from blogcrawler.wrapper import Example, learn
from tests.wrapper.pages import OLD, POSTS, Post, classic, modern

ADDRESS = "git@git.example"
CODE = bytes([7, *(byte ^ 7 for byte in ADDRESS.encode())]).hex()
PROTECTED = (
    f"<a href='/cdn-cgi/l/email-protection' class='__cf_email__' data-cfemail='{CODE}'>[email&#160;protected]</a>"
)
KATEX = (
    "<span class='katex'><span class='katex-mathml'><math><semantics><mi>E</mi><annotation encoding='application/x-tex'>"
    "E_{%d} = mc^2</annotation></semantics></math></span><span class='katex-html' aria-hidden='true'>E=mc2</span></span>"
)
MATHJAX = "<span class='MathJax_Preview'>[math]</span><script type='math/tex'>E_{%d} = mc^2</script>"
WRITTEN = {
    "KaTeX, TeX in the feed": (KATEX, "$E_{%d} = mc^2$", r"\(E_{%d} = mc^2\)"),
    "KaTeX, nothing in the feed": (KATEX, "%.0d", r"\(E_{%d} = mc^2\)"),
    "KaTeX, all in the feed": (KATEX, KATEX, r"\(E_{%d} = mc^2\)"),
    "MathJax, delimiters in the feed": (MATHJAX, r"\(E_{%d} = mc^2\)", r"\(E_{%d} = mc^2\)"),
    "an address": (f"clone {PROTECTED}:r%d", f"clone {ADDRESS}:r%d", f"clone {ADDRESS}:r%d"),
    "a smiley": ("at %d <img class=wp-smiley alt=';)' src=/w.gif>", "at %d ;)", "at %d ;)"),
}


def with_text(one: Post, text: str) -> Post:
    first, *rest = one.paragraphs
    return replace(one, paragraphs=(f"{first} {text % (one.number + 10)}", *rest))


@pytest.mark.parametrize("template", [classic, modern])
@pytest.mark.parametrize(("shown", "fed", "text"), WRITTEN.values(), ids=WRITTEN)
def test_posts_are_learned_and_read_as_they_were_written(template, shown, fed, text):
    wrapper = learn(
        [Example(parse(template(with_text(one, shown))), with_text(one, fed).entry(), one.url) for one in POSTS]
    )
    for one in OLD:
        found = wrapper.extract(parse(template(with_text(one, shown))), one.url)
        assert found.article is not None
        assert readable_text(found.article) == "\n\n".join(with_text(one, text).paragraphs)
        assert found.title == one.title


def test_an_address_in_titles_and_bylines():
    def page(one: Post) -> str:
        return classic(one).replace(one.author, PROTECTED).replace(one.title + "</a>", f"{one.title} {PROTECTED}</a>")

    wrapper = learn(
        [
            Example(parse(page(one)), replace(one.entry(), title=f"{one.title} {ADDRESS}", authors=(ADDRESS,)), one.url)
            for one in POSTS
        ]
    )
    found = wrapper.extract(parse(page(OLD[0])), OLD[0].url)
    assert found.title == f"{OLD[0].title} {ADDRESS}"
    assert found.authors == [ADDRESS]
