from __future__ import annotations

import re
import time

import pytest
from hypothesis import given

from blogcrawler.dom import fragment, inline_text, iter_text_nodes, parse, readable_text
from tests.dom.soup import any_soup

LAYOUT = [
    ("<p>a  b\n c</p><p>d</p>", "a b c\n\nd"),
    ("<h2>T</h2>text<div>x</div><div>y</div>", "T\n\ntext\nx\ny"),
    ("a<br>b<br><br>c<br><br><br>d", "a\nb\n\nc\n\nd"),
    ("a<b>b</b>c <i> d</i>e", "abc de"),
    ("x&nbsp;&nbsp;y", "x y"),
    ("<ul><li>a<li><p>b</p><li></ul>c", "- a\n- b\n\nc"),
    ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
    ("<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n- c"),
    ("<ol start=9><li>a<li>b<li value=20>c<li>d</ol>", "9. a\n10. b\n20. c\n21. d"),
    ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
    ("<ol start=x><li>a</ol>", "1. a"),
    ("<li>stray", "- stray"),
    ("<ul>\n<ul><li>a</ul></ul>", "- a"),
    ("<pre>\n  def f():\n\n      return <b>1</b><br>  x\n\n</pre>y", "  def f():\n\n      return 1\n  x\n\ny"),
    ("<pre><div>a</div><div> b</div><span>c</span>\nd</pre>", "a\n b\nc\nd"),
    ("<ul><li>a<pre>x\n y</pre></ul>", "- a\n\n  x\n   y"),
    ("<textarea>a\n b</textarea>", "a\n b"),
    ("<table><tr><th>A<th>B<tr><td><td><p>c</p><tr><td>d<br>e<td>f</table>g", "A | B\n| c\nd e | f\n\ng"),
    ("<table><tr><td>menu<td><p>a</p><p>b</p></table>", "menu\n\na\n\nb"),
    ("<table><tr><td><pre>1\n2</pre><td><pre>a\n  b</pre></table>", "1\n2\n\na\n  b"),
    ("<table><tr><td>x<table><tr><td>1<td>2</table></table>", "x\n\n1 | 2"),
    ("<blockquote><p>a</p></blockquote>b", "a\n\nb"),
    ("<dl><dt>a<dd>b</dl>", "a\nb"),
    (
        "a<script>s</script>b<style>s</style><noscript>n</noscript><svg aria-hidden=true><text>t</text></svg><img alt=x><!-- c -->c",
        "abc",
    ),
    ("<select><option>x</select>y<video>fallback</video><iframe>z</iframe>", "y"),
    ("<math><semantics><mi>x</mi><annotation>\\x</annotation></semantics></math>", r"\(x\)"),
    (
        "<figure><svg aria-label='Tide chart'><title>Tide chart</title><text>High</text><text>7:40</text></svg></figure>b",
        "Tide chart High 7:40\n\nb",
    ),
    ("<a href=/x><svg><title>chart</title><text>Revenue</text><text>2020</text></svg></a>", "Revenue 2020"),
    ("<a href=/x>go<svg><title>arrow</title></svg></a><svg><style>s</style><path/></svg>", "go"),
    (
        "<ul><li><input type=checkbox checked disabled>a<li><label> <input type='CheckBox'> b</label><li>c <input type=checkbox></ul>",
        "- [x] a\n- [ ] b\n- c",
    ),
    (
        "<label><input type=checkbox checked>Milk</label><br><label><input type=checkbox>Eggs</label>",
        "[x] Milk\n[ ] Eggs",
    ),
    (
        "<h2>To do</h2><input type=checkbox disabled> Tea<p>b</p> <input type=checkbox checked>Jam",
        "To do\n\n[ ] Tea\n\nb\n\n[x] Jam",
    ),
    ("<blockquote><input type=checkbox> a <input type=checkbox> b</blockquote>", "[ ] a b"),
    ("<p>a<input type=checkbox id=note> b</p><form><p><input type=checkbox>Remember me</form>", "a b\n\nRemember me"),
    (
        "<p><span role=checkbox aria-checked=true></span> Tea<br><x-box role=checkbox aria-checked=false>✗</x-box> Jam",
        "[x] Tea\n[ ] Jam",
    ),
    (
        "<ul><li role=checkbox aria-checked=true>a <b>b</b><li><div role=checkbox aria-checked=mixed><svg></svg>c</div></ul>",
        "- [x] a b\n- [ ] c",
    ),
    (
        "<p>a <i role=checkbox aria-checked=true></i> b<p><input type=checkbox role=checkbox aria-checked=true> c",
        "a b\n\n[ ] c",
    ),
    ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
    ("<ruby>漢字<rp>(<rt>かんじ<rp>)</ruby>です", "漢字(かんじ)です"),
    ("<ruby>漢<rt>kan</rt></ruby>", "漢kan"),
    ("", ""),
]


@pytest.mark.parametrize(("html", "want"), LAYOUT)
def test_readable(html: str, want: str) -> None:
    assert readable_text(fragment(html)) == want


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ("<p>a</p><p>b</p>c", "a b c"),
        ("a<b>b</b><br>c\n d&nbsp;e", "ab c d e"),
        ("<td>x</td><ul><li>y<li>z</ul>", "x y z"),
        ("a<script>s</script>b<noscript>n</noscript><template>t</template><!-- c -->d", "abd"),
        ("", ""),
    ],
)
def test_inline(html: str, want: str) -> None:
    assert inline_text(fragment(html)) == want


def test_the_tail_of_the_node_is_not_its_text() -> None:
    div = fragment("<p>a</p>tail")
    assert (inline_text(div[0]), readable_text(div[0])) == ("a", "a")
    assert [node.text for node in iter_text_nodes(div[0])] == ["a"]


def test_head_is_silent_but_its_title_can_be_read() -> None:
    root = parse("<title>T</title><p>x")
    assert inline_text(root) == readable_text(root) == "x"
    assert inline_text(root.find("head/title")) == "T"


def test_text_nodes_say_where_they_stand() -> None:
    div = fragment("a<b>c</b>d<!-- x -->e<script>s</script>f")
    bold, comment, script = div
    assert list(iter_text_nodes(div)) == [
        (div, None, "a"), (bold, None, "c"), (div, bold, "d"), (div, comment, "e"), (div, script, "f")
    ]  # fmt: skip


def words(text: str) -> list[str]:
    return re.sub(r"(?m)^ *(?:- |-?\d+\. )+|\|", " ", text).split()


@given(any_soup)
def test_both_read_the_same_words(html: str) -> None:
    div = fragment(html)
    for drawn in list(div.iter("svg", "input")):
        drawn.clear(keep_tail=True)  # says more where it is read in blocks
    for node in div.iter():
        inline_text(node)
        assert "\0" not in readable_text(node)
    assert sorted("".join(words(readable_text(div)))) == sorted("".join(words(inline_text(div))))


@given(any_soup)
def test_lines_are_clean(html: str) -> None:
    for line in readable_text(fragment(html)).split("\n"):
        assert line == line.rstrip()


@pytest.mark.parametrize(
    "html",
    ["<ul><li>x" * 1_500, "<table><tr><td>a<td>b" * 1_000, "<pre><ul><li>" * 600 + "<br>x" * 8_000,
     "x <b>y </b>" * 30_000, "<ol reversed><li>" * 1_500, "<p>x" * 40_000],
)  # fmt: skip
def test_linear(html: str) -> None:
    div = fragment(html)
    begin = time.process_time()
    assert len(readable_text(div)) < 3 * len(html)
    inline_text(div)
    assert time.process_time() - begin < 2
