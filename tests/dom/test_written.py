"""What software has replaced in a page reads as it was written: formulas, addresses, smileys, shadow roots, verse."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import fragment, inline_text, links, parse, readable_text, sanitise, sanitise_fragment

URL = "http://blog.example/2014/post/"

MATHML = "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"
NOTED = f"<math><semantics><mrow>{MATHML}</mrow><annotation encoding='application/x-tex'>E = mc^2</annotation></semantics></math>"
DRAWN = "<span class='katex-html' aria-hidden='true'><span>E</span><span>=</span><span>mc2</span></span>"
KATEX = f"<span class='katex'><span class='katex-mathml'>{NOTED}</span>{DRAWN}</span>"
IMAGE = "<img src='/latex.php?latex=E+%3D+mc%5E2' alt='E = mc^2' class='latex'>"
FORMULAS = {
    "KaTeX": KATEX,
    "KaTeX, other renderer": f"<eq>{KATEX.replace('katex', 'formula')}</eq>",
    "MathJax 2, before scripts": "<span class='MathJax_Preview'>[math]</span><script type='math/tex'>E = mc^2</script>",
    "MathJax 2, after scripts": "<span class='MathJax_Preview'></span><span class='MathJax' id='MathJax-Element-1-Frame'>"
    f"<nobr aria-hidden='true'>E=mc2</nobr><span class='MJX_Assistive_MathML'>{NOTED}</span></span>"
    "<script type='math/tex' id='MathJax-Element-1'>E = mc^2</script>",
    "MathJax 2, in XHTML": "<script type='math/tex'>% <![CDATA[\nE = mc^2 %]]></script>",
    "MathJax 3": "<mjx-container jax='CHTML'><mjx-math aria-hidden='true'><mjx-c class='mjx-c1D434'></mjx-c></mjx-math>"
    f"<mjx-assistive-mml>{NOTED}</mjx-assistive-mml></mjx-container>",
    "MathJax 3, SVG": f"<mjx-container jax='SVG'><svg><text>E</text></svg><mjx-assistive-mml>{NOTED}</mjx-assistive-mml></mjx-container>",
    "MathJax 4": "<mjx-container jax='SVG'><svg></svg><mjx-math data-latex='E = mc^2'></mjx-math></mjx-container>",
    "LaTeXML": f"<math alttext='E = mc^2'>{MATHML}</math>",
    "MediaWiki": f"<span class='mwe-math-element'><span class='x' style='display: none'>{NOTED}</span>"
    "<img class='mwe-math-fallback-image-inline' alt='E = mc^2' src='/m.svg'></span>",
    "a fallback image beside": f"{NOTED}<img class='mwe-math-fallback-image-inline' alt='E = mc^2' src='/m.svg'>",
    "WordPress": IMAGE,
    "an image with delimiters": IMAGE.replace("E = mc^2", "$E = mc^2$"),
}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
@pytest.mark.parametrize(
    ("before", "after"), [("<p>", "</p>"), ("<h2>", "</h2>"), ("<ul><li><p>", "</ul>"), ("<td>", "")]
)
def test_a_formula_is_there_once_as_tex(formula: str, before: str, after: str) -> None:
    html = f"{before}He wrote {formula} in a letter, twice {formula}.{after}"
    text = r"He wrote \(E = mc^2\) in a letter, twice \(E = mc^2\)."
    assert inline_text(fragment(html)) == text
    assert readable_text(fragment(html)).removeprefix("- ") == text
    assert sanitise_fragment(html, URL).count(r'<code class="language-tex">\(E = mc^2\)</code>') == 2
    assert inline_text(fragment(sanitise_fragment(html, URL))) == text


@pytest.mark.parametrize(
    "formula",
    [
        f"<span class='katex-display'>{KATEX}</span>",
        "<div class='MathJax_Preview'>[math]</div><script type='math/tex; mode=display'>E = mc^2</script>",
        f"<mjx-container display='true'><mjx-assistive-mml>{NOTED}</mjx-assistive-mml></mjx-container>",
        NOTED.replace("<math", "<math display='block'"),
        IMAGE.replace("'E = mc^2'", "'\\[E = mc^2\\]'"),
    ],
)
def test_a_formula_on_lines_of_its_own(formula: str) -> None:
    assert readable_text(fragment(f"<p>a</p>{formula}<p>b</p>")) == "a\n\n\\[E = mc^2\\]\n\nb"


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mi>A</mi><mo>=</mo><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup>", "A=πr^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msqrt><mi>c</mi></msqrt></mfrac>", r"\frac{a+b}{\sqrt{c}}"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "∑_{i=1}^n"),
        ("<msub><mi>x</mi><mn>10</mn></msub><mo>&#8290;</mo><mroot><mi>y</mi><mn>3</mn></mroot>", r"x_{10}\sqrt[3]{y}"),
        ("<mtext>50% of </mtext><mi>sin</mi><mspace/><mi>𝑥</mi>", r"\text{50\% of}\mathrm{sin} x"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>2</mn></mtd></mtr></mtable>",
         r"\begin{matrix}1 & 0\\ 2\end{matrix}"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mphantom><mi>z</mi></mphantom>", "(a,b)"),
        ("<semantics><mi>x</mi><annotation-xml><ci>x</ci></annotation-xml></semantics>", "x"),
    ],
)  # fmt: skip
def test_mathml_alone_becomes_tex(mathml: str, tex: str) -> None:
    assert inline_text(fragment(f"<math>{mathml}</math>")) == rf"\({tex}\)"


@pytest.mark.parametrize(
    "drawn",
    [
        (
            "<mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D434 TEX-I'></mjx-c></mjx-mi><mjx-script><mjx-mn>"
            "<mjx-c class='mjx-c32'></mjx-c></mjx-mn></mjx-script></mjx-msup></mjx-math>"
        ),
        (
            "<svg><g data-mml-node='math'><g data-mml-node='msup'><g data-mml-node='mi'><path data-c='1D434'/></g>"
            "<g data-mml-node='mn'><use data-c='32'/></g></g></g></svg>"
        ),
    ],
)
def test_a_drawing_alone_is_read_by_its_glyphs(drawn: str) -> None:
    assert (
        inline_text(fragment(f"<mjx-container>{drawn}</mjx-container>")).replace("{", "").replace("}", "") == r"\(A^2\)"
    )


@pytest.mark.parametrize(
    "raw", [r"\( a &lt; b_1 \) and $$x^2$$", r"<span class='math inline'>\(a\)</span>", "<em>$x$</em> costs $5"]
)
def test_raw_tex_stays(raw: str) -> None:
    assert sanitise_fragment(raw, URL).replace("<span>", "<span class='math inline'>") == raw


def encoded(address: str, key: int = 0x5E) -> str:
    return bytes([key, *(byte ^ key for byte in address.encode())]).hex()


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60), st.integers(0, 255))
def test_any_protected_address_is_decoded(address: str, key: int) -> None:
    link = f"<a href=/cdn-cgi/l/email-protection class=__cf_email__ data-cfemail={encoded(address, key)}>[email&#160;protected]</a>"
    assert fragment(f"<pre>clone {link}:x</pre>")[0].text == f"clone {address}:x"


@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_protected_address_never_replaces_the_page(tag: str) -> None:
    html = f"<{tag} data-cfemail={encoded('ann@a.example')}><p>Text"
    assert inline_text(fragment(html)) == inline_text(parse(html)) == "Text"


def test_protected_addresses_are_decoded_everywhere_and_lead_nowhere() -> None:
    code = encoded("ann@a.example?subject=Hi there")
    span = f"<span class='__cf_email__' data-cfemail='{encoded('ann@a.example')}'>[email protected]</span>"
    page = parse(
        f"<body><h1>Write to {span}</h1><p>By {span}{span}</p><a href='/cdn-cgi/l/email-protection#{code}'>{span}</a>"
        f"<a href='http://blog.example/cdn-cgi/l/email-protection#{code}'>mail</a>"
        "<a href='/cdn-cgi/l/email-protection'>?</a><i data-cfemail='no hex'>as it is</i><i data-cfemail='5e5f'>\\x01</i>"
    )
    assert inline_text(page.find("body/h1")) == page.find("body/h1").text == "Write to ann@a.example"
    assert inline_text(page.find("body/p")) == "By ann@a.exampleann@a.example"
    assert [link.get("href") for link in page.iter("a")] == ["mailto:ann@a.example?subject=Hi%20there"] * 2 + [None]
    assert links(page, URL) == []
    assert sanitise(page.find("body/a"), URL) == "ann@a.example"
    assert [node.text for node in page.iter("i")] == ["as it is", "\\x01"]


def test_a_hostile_address_is_text_alone() -> None:
    code = encoded("javascript:x<script>alert(1)</script>\"'")
    html = sanitise_fragment(f"<a href='/cdn-cgi/l/email-protection#{code}'>a</a><b data-cfemail={code}>b</b>", URL)
    assert "<script" not in html
    assert 'href="mailto:javascript:x%3Cscript%3E' in html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("Good <img src=/icon_smile.gif alt=':)' class=wp-smiley> day", "Good :) day"),
        ("<img class=emoji draggable=false alt=🙂 src=//s.w.example/1f642.svg>", "🙂"),
        ("Well<img src=/images/smilies/wink.gif alt=':wink:'>", "Well:wink:"),
        ("Well <img src=/x/1.gif alt=':wink:'>", "Well :wink:"),
        ("Well <img src=/x/1.gif alt=😀><img src=/x/2.gif alt=😀>!", "Well 😀😀!"),
        ("a <img src=/photo.jpg alt='A lake in winter'> b", "a b"),
        ("<figure><img src=/photo.jpg alt=❤></figure>", ""),
        ("<p>a</p><img src=/2.jpg alt=2>", "a"),
    ],
)
def test_pictures_of_characters_are_read(html: str, text: str) -> None:
    root = fragment(html)
    assert readable_text(root) == inline_text(root) == text
    assert ("<img" in sanitise(root, URL)) == ("photo" in html or "2.jpg" in html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<my-note><template shadowrootmode=open><style>p{}</style><p>An aside</p></template></my-note>", "An aside"),
        (("<my-card><template shadowroot=closed><h2><slot name=t>No title</slot></h2><slot></slot>!</template>"
         "<p>Body</p><b slot=t>Title</b></my-card>"), "Title\n\nBody\n\n!"),
        ("<my-card><template shadowrootmode=open><h2><slot name=t>No title</slot></h2></template></my-card>", "No title"),
        (("<a-b><template shadowrootmode=open><c-d><template shadowrootmode=open>in<slot></slot></template>"
         "<slot></slot></c-d></template><i>side</i></a-b>"), "inside"),
        ("<template><p>for scripts</p></template>a", "a"),
    ],
)  # fmt: skip
def test_shadow_roots_are_shown(html: str, text: str) -> None:
    assert readable_text(fragment(html)) == text


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ("<iframe srcdoc='<p>Tides &amp;amp; moons</p><b>at 7</b>'></iframe>", "Tides & moons\n\nat 7"),
        ("<iframe src=about:blank srcdoc='<!doctype html><html><head><title>t</title><style>p{}</style></head><body>a'></iframe>", "a"),
        ("<iframe srcdoc='a<iframe srcdoc=b></iframe>'></iframe>c<iframe srcdoc=d></iframe>", "a\nc\nd"),
        ("<iframe srcdoc='<script>x</script>'></iframe>", ""),
        ("<iframe src=//v.example/e srcdoc=play></iframe><iframe data-src=//v.example/f srcdoc='Cookies?'></iframe>", ""),
    ],
)  # fmt: skip
def test_documents_in_frames_are_shown(frame: str, text: str) -> None:
    assert readable_text(fragment(frame)) == text
    assert readable_text(parse(f"<p>{frame}")) == text
    html = sanitise_fragment(frame, URL)
    assert (readable_text(fragment(html)) == text) != ("v.example/" in html)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            "<p style='white-space: pre-line'>Roses are red,\n   violets <b>are\nblue</b>\n\nsugar</p>",
            "Roses are red,\nviolets are\nblue\n\nsugar",
        ),
        ("<div style='color:red;WHITE-SPACE:pre-wrap !important'><p>a\n  b</p>\n<p>c</p></div>", "a\nb\n\nc"),
        ("<span style='white-space:pre'>a\nb<i>c</i>\nd</span> e\nf", "a\nbc\nd e f"),
        ("<p style='white-space: break-spaces'><span style='white-space: normal'>a\nb</span></p>", "a b"),
        (
            "<style>.x p, .verse{margin:0;white-space:pre-line}.y{color:red}</style><p class='y verse'>a\nb</p><p>c\nd</p>",
            "a\nb\n\nc d",
        ),
        ("<style>blockquote{white-space:pre-line}</style><blockquote>a\nb</blockquote><p>c\nd</p>", "a\nb\n\nc d"),
        (
            (
                "<style>@charset 'x'; /* verse */ p.verse , #poem > p { color: red; white-space : pre-wrap }</style>"
                "<p class=verse>a\nb</p><div id=poem><p>c\n d</p><i><p>e\nf</p></i></div><b class=verse>g\nh</b>"
            ),
            "a\nb\n\nc\nd\n\ne f\n\ng h",
        ),
        (
            (
                "<style>@media screen{a{b:c} .song p{white-space:break-spaces}}.song .prose{white-space:normal}</style>"
                "<div class=song><p>a\nb</p><div><p>c\nd</p><p class=prose>e\nf</p></div></div><p>g\nh</p>"
            ),
            "a\nb\n\nc\nd\n\ne f\n\ng h",
        ),
        ("<style>p{white-space:pre}.a b,.a{white-space:normal}</style><p class=a>a\nb</p><p>c\nd</p>", "a b\n\nc\nd"),
        ("<style>code,.k{white-space:pre}</style><pre><code>a\n<b class=k>b</b></code></pre>", "a\nb"),
        ("<style>.x::before,p:hover,p:nth-child(1),>,a[,.x .y{white-space:pre}</style><p class=x>a\nb</p>", "a b"),
        ("<p style='white-space: nowrap'>a\nb</p><pre style='white-space: pre-wrap'>a\n b</pre>", "a b\n\na\n b"),
    ],
)
def test_lines_of_verse_are_kept(html: str, text: str) -> None:
    assert readable_text(fragment(html)) == text
    assert readable_text(fragment(sanitise_fragment(html, URL))) == text


def rows(*lowest_first: str, has_lower: bool = True) -> str:
    """What is drawn one above the other, in the way of KaTeX."""
    drawn = "".join(f"<span style='top:-1em'><span class='pstrut'></span>{row}</span>" for row in lowest_first)
    first = f"<span class='vlist-r'><span class='vlist'>{drawn}</span><span class='vlist-s'>\u200b</span></span>"
    second = "<span class='vlist-r'><span class='vlist'><span></span></span></span>" if has_lower else ""
    return f"<span class='vlist-t{' vlist-t2' if has_lower else ''}'>{first}{second}</span>"


def sign(text: str) -> str:
    return f"<span class='mord mathnormal'>{text}</span>"


def scripts(*lowest_first: str, has_lower: bool = True) -> str:
    return f"<span class='msupsub'>{rows(*map(sign, lowest_first), has_lower=has_lower)}</span>"


def fraction(over: str, line: str, under: str) -> str:
    drawn = [under, *([f"<span class='frac-line'>{line}</span>"] if line else []), over]
    return (
        f"<span class='mord'><span class='mopen nulldelimiter'></span><span class='mfrac'>{rows(*drawn)}</span></span>"
    )


SQUARE = scripts("2", has_lower=False)
ROOT = f"<span class='svg-align'>{sign('x')}</span>"
DRAWN_ALONE = {
    "x^{2}": f"<span class='mord'>{sign('x')}{SQUARE}</span>",
    "x_{i}": f"<span class='mord'>{sign('x')}{scripts('i')}</span>",
    "x_{i}^{2}": f"<span class='mord'>{sign('x')}{scripts('i', '2')}</span>",
    r"\frac{a+b}{2}": fraction(f"{sign('a')}<span class='mbin'>+</span>{sign('b')}", " ", sign("2")),
    r"\frac{\frac{1}{x}}{y^{2}}": fraction(fraction(sign("1"), " ", sign("x")), " ", sign("y") + SQUARE),
    r"{n \atop k}": fraction(sign("n"), "", sign("k")),
    r"\sqrt{x}": f"<span class='mord sqrt'>{rows(ROOT, '<span><svg><path d=M0/></svg></span>')}</span>",
    r"\sqrt[3]{x}": f"<span class='mord sqrt'><span class='root'>{rows(sign('3'))}</span>{rows(ROOT, '<i></i>')}</span>",
    "∑_{i}^{n}": f"<span class='mop op-limits'>{rows(sign('i'), sign('∑'), sign('n'))}</span>",
    "lim_{x}": f"<span class='mop op-limits'>{rows(sign('x'), sign('lim'))}</span>",
    r"a \not=b": f"{sign('a')}<span class='mspace'></span><span class='mrel'>{sign(chr(0xE020))}=</span>{sign('b')}"
    .replace("=</span>", "<span>=</span></span>"),
}  # fmt: skip


@pytest.mark.parametrize("tex", DRAWN_ALONE)
@pytest.mark.parametrize("is_display", [False, True])
def test_what_katex_has_drawn_without_a_note(tex: str, is_display: bool) -> None:
    base = f"<span class='base'><span class='strut'></span>{DRAWN_ALONE[tex]}</span>"
    html = f"<span class='katex'><span class='katex-html' aria-hidden='true'>{base}</span></span>"
    if is_display:
        assert readable_text(fragment(f"a<span class='katex-display'>{html}</span>b")) == rf"a\[{tex}\]b"
    else:
        assert readable_text(fragment(f"<p>a {html} b, {html}{html}</p>")) == rf"a \({tex}\) b, \({tex}\)\({tex}\)"


@pytest.mark.parametrize(
    "html",
    [
        "<span data-cfemail=5e3937>x</span>" * 9_000,
        "<math><mi>x</mi></math>" * 9_000,
        "<span>" + "<svg></svg>" * 6_000 + "<math><mi>x</mi></math>" * 6_000,
        "<math>" + "<msup><mi>x</mi>" * 1_900 + "<mi>y</mi>" * 9_000,
        "<span class=katex><span class=katex-html>" + "<span class=msupsub>" * 1_900 + "<span>x</span>" * 9_000,
        "<span class=katex><span class=katex-html>" * 900 + "<span class=mfrac><span class=vlist-t>x</span>" * 900,
        "<mjx-container>" * 1_900 + "<mjx-c></mjx-c>" * 9_000,
        "<span class=MathJax_Preview></span>" * 9_000 + "<script type=math/tex>x</script>" * 9_000,
        "<x-y>" + "<template shadowrootmode=open><slot></slot></template>" * 9_000 + "<b>x</b>" * 9_000,
        "x<img class=emoji alt=:)>" * 15_000,
        "<p style='white-space: pre'>" + "\n<i>\n</i>" * 15_000,
        "<style>" + "p{white-space:pre}" * 9_000 + "</style>" + "<p>a\n" * 9_000,
        "<style>" + "div " * 9_000 + "{white-space:pre}</style>" + "<div>" * 1_900 + "a\n" * 9_000,
        "<style>" + ("div " * 9 + "p,") * 999 + "p{white-space:pre}</style>" + "<div>" * 900 + "<p>a\n" * 9_000,
        "<style>white-space" + "{/;" * 90_000 + "</style>" + "<p>a\n" * 900,
        "<p style='white-space: pre'>" * 1_000 + "\n" * 100_000,
        "<a id=x href=#x>" * 15_000,
        "<svg>" * 1_900 + "<text>x</text>" * 9_000,
        "<x-y data-url=//a.example/b></x-y>" * 15_000,
        "<iframe srcdoc='<p>a'></iframe>" * 9_000,
        "<i role=checkbox aria-checked=true>" * 9_000,
        "<ul>" + "<li><input type=checkbox>" * 15_000,
    ],
)
def test_linear(html: str) -> None:
    begin = time.process_time()
    root = fragment(html)
    readable_text(root)
    sanitise(root, URL)
    assert time.process_time() - begin < 3
