"""Listings lose their line numbers, and keep each line and its indentation."""

from __future__ import annotations

import pytest

from blogcrawler.dom import clean_listings, fragment, readable_text

CODE = "for word in words:\n    if word:\n        print(word)\n\nprint()"
LINES = CODE.split("\n")
COUNT = len(LINES)


def numbers(markup: str, joint: str = "", start: int = 1) -> str:
    return joint.join(markup.format(number) for number in range(start, start + COUNT))


def each(markup: str, joint: str = "") -> str:
    return joint.join(markup.format(number=number, line=line) for number, line in enumerate(LINES, start=1))


GUTTERS = {
    "rouge": f'<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">{numbers("{}", chr(10))}\n</pre></td><td class="rouge-code"><pre>{CODE}\n</pre></td></tr></tbody></table>',
    "pygments": f'<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span class="normal">{numbers("{}", chr(10))}</span></pre></div></td><td class="code"><div><pre><span></span><code>{CODE}\n</code></pre></div></td></tr></table>',
    "hexo": f'<figure class="highlight"><table><tr><td class="gutter"><pre>{numbers("<span class=line>{}</span><br>")}</pre></td><td class="code"><pre>{each("<span class=line>{line}</span><br>")}</pre></td></tr></table></figure>',
    "chroma table": f'<div class="chroma"><table><tr><td><pre><code>{numbers("<span class=lnt>{}{{}}</span>".replace("{{}}", chr(10)))}</code></pre></td><td><pre><code>{CODE}\n</code></pre></td></tr></table></div>',
    "chroma inline": "<pre><code>" + each('<span class="ln">{number}</span>{line}', "\n") + "\n</code></pre>",
    "flex": f'<div class="code"><div class="nums">{numbers("<span>{}</span><br>")}</div><pre>{CODE}</pre></div>',
    "table of lines": "<table>" + each('<tr><td class="num">{number}</td><td><pre>{line}</pre></td></tr>') + "</table>",
    "table of code": "<table>" + each("<tr><td>{number}</td><td><code>{line}</code></td></tr>") + "</table>",
    "syntaxhighlighter": f'<table><tr><td class="gutter">{numbers("<div class=line>{}</div>")}</td><td class="code"><div class="container">'
    + each("<div class=line><code>{line}</code></div>").replace("    ", "\xa0\xa0\xa0\xa0")
    + "</div></td></tr></table>",
    "start": f"<table><tr><td><pre>{numbers('{}', chr(10), 17)}</pre></td><td><pre>{CODE}</pre></td></tr></table>",
    "pre": f"<pre><span class=g>{numbers('{}', chr(10))}\n</span><code>{CODE}</code></pre>",
    "button": f"<div><button>Copy</button><pre>{CODE}</pre></div>",
    "field": f'<div><textarea readonly>{CODE}</textarea></div><div class="main"><table><tr><td><div>{numbers("<div class=num>{}</div>")}</div></td><td><div>{each("<div class=line><span>{line}</span></div>")}</div></td></tr></table></div>',
    "field behind": f"<div><pre>{CODE}</pre></div><span></span><textarea>{CODE}</textarea>",
    "field beside lines": f"<div><textarea>{CODE}</textarea></div><div>{each('<div>{line}</div>')}</div>",
    "plain": f"<pre>{CODE}</pre>",
    "lines": "<pre>" + each("<div class=line>{line}</div>").replace("></div>", "><br></div>") + "</pre>",
    "ol": "<pre><ol class=linenums>" + each("<li><span>{line}</span></li>") + "</ol></pre>",
}


@pytest.mark.parametrize("name", GUTTERS)
def test_line_numbers_go_and_code_stays(name: str) -> None:
    root = fragment(f"<p>Before</p>{GUTTERS[name]}<p>Behind</p>")
    clean_listings(root)
    text = readable_text(root)
    assert [line for line in text.split("\n") if line] == ["Before", *filter(None, LINES), "Behind"]


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>1</td><td>Paris</td></tr><tr><td>2</td><td>Rome</td></tr></table>",
        "<p>1</p><p>2</p><p>3</p>",
        "<pre>1\n2\n3</pre>",
        "<div>1</div><pre>a\nb\nc</pre>",
        "<ol><li>one</li><li>two</li></ol>",
        "<pre>x = <span class=m>1</span>\ny = <span class=m>2</span>\nz = 5\nv = 3\nw = 4</pre>",
        "<p>Press <button>OK</button></p>",
        "<textarea>one</textarea><pre>two</pre>",
        "<textarea>one</textarea> or <pre>one</pre>",
        "<pre>one</pre><pre>one</pre>",
        "<textarea></textarea><p></p>",
    ],
)
def test_other_numbers_stay(html: str) -> None:
    root = fragment(html)
    before = readable_text(root)
    clean_listings(root)
    assert readable_text(root) == before
