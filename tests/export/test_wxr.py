"""WordPress's import format: what its importer makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from blogcrawler.backend import Archive, FileStore
from blogcrawler.dom import fragment
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.text import xml_text
from blogcrawler.export.wxr import writer
from blogcrawler.export.wxr.texts import UNKNOWN_TIME, as_html, cdata, moment, post_name, slug
from blogcrawler.items import Comment, Media
from tests.archives import save_records
from tests.export.archives import ANN, BO, DIGEST, KETTLE, LATER, NOTED, NOW, a_record, address, filled, there_and_back
from tests.export.wxr_reading import Import


def imported(archive, folder, *addresses, **more):
    FORMATS["wxr"].export(Selection.of(archive, addresses, **more), str(folder / "wxr"))
    return {file.name: Import(file) for file in sorted((folder / "wxr").glob("*.xml"))}


def of(folder, *records):
    """What comes of some posts."""
    with Archive.open(address(folder)) as archive:
        save_records(archive, records, now=NOW)
        (found,) = imported(archive, folder).values()
    return found


@pytest.fixture
def both(tmp_path):
    with filled(tmp_path) as archive:
        return imported(archive, tmp_path)


def test_each_blog_has_a_file(both):
    assert list(both) == ["1-ann.example.org.xml", "2-bo.example.org.xml"]
    ann, bo = both.values()
    assert (ann.base, bo.base) == (ANN, BO)
    assert list(ann.posts) == [f"{ANN}{name}" for name in ("a", "odd", "bare", "gone")]
    assert {post["status"] for post in ann.posts.values()} == {"publish"}


def test_a_post(both):
    post = both["1-ann.example.org.xml"].posts[f"{ANN}a"]
    assert (post["title"], post["guid"], post["author"], post["post_name"]) == ("Changed", "tag:a", "Ann", "a")
    assert (post["post_date"], post["post_date_gmt"]) == ("2014-05-02 10:00:00", "2014-05-02 08:00:00")
    assert post["content"] == "<p>Water for a</p> <p>Boil it.</p>"
    assert post["terms"] == {"tea": "tea", "green-tea": "green tea"}
    assert post["meta"] == [("archived_from", f"{ANN}a"), ("author", "Bo")]


def test_comments_keep_their_threads_and_nothing_is_made_up(both):
    first, second, third = both["1-ann.example.org.xml"].posts[f"{ANN}a"]["comments"]
    assert (first["author"], first["author_url"], first["content"]) == ("Cy", "http://cy.example.org/", "<p>Fine.</p>")
    assert (first["date"], first["date_gmt"]) == ("2014-05-03 00:00:00", UNKNOWN_TIME)
    assert (second["parent"], first["parent"], third["parent"]) == (first["id"], "0", "0")
    assert (second["date"], second["content"]) == ("2014-05-02 10:00:00", "<p>So it is.</p>")
    assert [one["type"] for one in (first, second, third)] == ["comment", "comment", "pingback"]
    ids = [one["id"] for file in both.values() for post in file.posts.values() for one in post["comments"]]
    assert len(both["1-ann.example.org.xml"].posts) == 4
    assert len(set(ids)) == len(ids) - len(both["2-bo.example.org.xml"].posts[f"{BO}b"]["comments"])
    assert {one["author_email"] for file in both.values() for p in file.posts.values() for one in p["comments"]} == {""}


def test_files_are_attachments_of_the_first_post_that_has_them(both):
    ann = both["1-ann.example.org.xml"]
    (kettle,) = ann.attachments
    assert (kettle["attachment_url"], kettle["title"], kettle["status"]) == (
        f"{ANN}kettle.png",
        "kettle.png",
        "inherit",
    )
    assert kettle["post_parent"] == ann.posts[f"{ANN}a"]["post_id"]
    assert kettle["post_id"] not in {post["post_id"] for post in ann.posts.values()}


def test_a_post_of_which_nothing_is_known(both):
    post = both["1-ann.example.org.xml"].posts[f"{ANN}bare"]
    assert (post["title"], post["content"], post["author"], post["post_name"]) == ("", "", None, "bare")
    assert post["post_date"] == f"{NOW:%Y-%m-%d %H:%M:%S}"


NEW = "https://new.example.org/old"


def test_files_may_be_online_in_another_place(tmp_path):
    shown = f'<img src="{ANN}s.png" srcset="{ANN}s.png 1x, {ANN}kettle.png 2x"><img src="{ANN}other.png"><a href="{ANN}kettle.png">x</a>'
    said = [Comment("c1", None, content_html=f'<img src="{ANN}kettle.png">')]
    with filled(tmp_path) as archive:
        archive.save_record(a_record("a", content_html=shown, comments=said), now=LATER)
        chosen = replace(Selection.of(archive, [ANN], files=FileStore(tmp_path)), media_url=NEW)
        FORMATS["wxr"].export(chosen, str(tmp_path / "wxr"))
    (found,) = (Import(file) for file in (tmp_path / "wxr").glob("*.xml"))
    kettle = f"{NEW}/{DIGEST}.png"
    post = found.posts[f"{ANN}a"]
    assert post["content"] == f'<img src="{kettle}"><img src="{ANN}other.png"><a href="{kettle}">x</a>'
    assert post["comments"][0]["content"] == f'<img src="{kettle}">'
    assert [one["attachment_url"] for one in found.attachments] == [kettle]
    assert (tmp_path / "wxr" / "media" / f"{DIGEST}.png").read_bytes() == KETTLE


def test_an_enclosure_stays_one(tmp_path):
    sound = Media(f"{ANN}1.mp3", "sha256/aa/b", "0" * 64, "audio/mpeg", 5, "enclosure")
    (post,) = of(tmp_path, a_record("p", media=[sound])).posts.values()
    assert ("enclosure", f"{ANN}1.mp3\n5\naudio/mpeg") in post["meta"]


def test_names_that_are_alike_are_told_apart(tmp_path):
    found = of(
        tmp_path,
        a_record("p", authors=["Zoë", "  "], tags=["C++", "C", "茶", "!!!", "???"]),
        a_record("q", authors=["Zoe"], tags=["C#"]),
        a_record("r", authors=["藤村"], tags=[]),
    )
    assert found.authors == {"zoe": "Zoë", "zoe-2": "Zoe", "author": "藤村"}
    assert list(found.tags) == ["c", "c-2", "%e8%8c%b6", "tag", "tag-2", "c-3"]
    assert [post["author"] for post in found.posts.values()] == ["Zoë", "Zoe", "藤村"]


def test_a_large_blog_has_several_files_and_each_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "LARGEST", 20_000)
    with Archive.open(address(tmp_path)) as archive:
        save_records(archive, [a_record(f"{n}", content_html=f"<p>{'tea ' * 1000}</p>") for n in range(12)], now=NOW)
        found = imported(archive, tmp_path)
    assert list(found)[:3] == ["1-ann.example.org-2.xml", "1-ann.example.org-3.xml", "1-ann.example.org-4.xml"]
    assert len({url for file in found.values() for url in file.posts}) == 12
    assert {tuple(file.tags) for file in found.values()} == {("tea", "green-tea")}
    assert all(file.stat().st_size < 20_100 for file in (tmp_path / "wxr").glob("*.xml"))


def test_what_is_chosen(tmp_path):
    with filled(tmp_path) as archive:
        (found,) = imported(archive, tmp_path, ANN, since=LATER).values()
    assert list(found.posts) == [f"{ANN}a"]


def test_odd_text_is_what_xml_can_have_of_it(both):
    post = both["1-ann.example.org.xml"].posts[f"{ANN}odd"]
    assert "]]>" in post["title"]
    assert "日本語" in post["title"]
    assert "]]>" in post["comments"][0]["author"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.text())
def test_any_text_comes_back(text):
    read = etree.fromstring(f"<a>{cdata(text)}</a>".encode()).text or ""
    assert read == xml_text(text).replace("\r\n", "\n").replace("\r", "\n")


@given(st.text())
@example("000¢" + 16 * "𐀀")
def test_any_slug_is_one_that_wordpress_takes(text):
    made = slug(text)
    assert len(made) <= 200
    assert made == made.lower()
    assert slug(made) == made
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789_%-")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Hello World", "hello-world"), ("C++ & C# — a tale", "c-c-a-tale"), ("L'été à Paris", "lete-a-paris"),
        ("Über Größe", "uber-grose"), ("50% off: now", "50-off-now"), ("a_b c", "a_b-c"), ("1.2.3", "1-2-3"),
        ("日本語", "%e6%97%a5%e6%9c%ac%e8%aa%9e"), ("ł ø æ œ ß đ", "l-o-ae-oe-s-d"), ("a…b", "ab"), ("foo--bar", "foo-bar"),
        ("हिन्दी", "%e0%a4%b9%e0%a4%bf%e0%a4%a8%e0%a5%8d%e0%a4%a6%e0%a5%80"), ("naïve café’s “quotes”", "naive-cafes-quotes"),
    ],
)  # fmt: skip
def test_slugs_are_those_of_wordpress(text, made):
    """As `sanitize_title` of WordPress 6.1 makes them."""
    assert slug(text) == made


@pytest.mark.parametrize(
    ("url", "title", "name"),
    [
        ("http://a.example/2014/05/a-post/", "T", "a-post"), ("http://a.example/a_post.html", "T", "a_post"),
        ("http://a.example/?p=7", "The Title", "the-title"), ("http://a.example/x/index.php", "The Title", "the-title"),
        ("http://a.example/%E8%8C%B6/", None, "%e8%8c%b6"), ("http://a.example/", None, ""),
    ],
)  # fmt: skip
def test_the_name_of_a_post_is_that_in_its_address(url, title, name):
    assert post_name(url, title) == name


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("2014-05-02T10:00:00+02:00", ("2014-05-02 10:00:00", "2014-05-02 08:00:00")),
        ("2014-05-02T10:00:00", ("2014-05-02 10:00:00", UNKNOWN_TIME)), ("2014-05", ("2014-05-01 00:00:00", UNKNOWN_TIME)),
        ("2014", ("2014-01-01 00:00:00", UNKNOWN_TIME)), ("0001-01-01T00:00:00+14:00", ("0001-01-01 00:00:00", UNKNOWN_TIME)),
        ("2014-02-30", None), ("soon", None), (None, None),
    ],
)  # fmt: skip
def test_times(told, found):
    assert moment(told) == found


def test_lines_do_not_become_breaks_or_paragraphs():
    """WordPress makes these of line breaks, but not of those in preformatted text."""
    made = as_html("<p>Water\nand\n\n<b>leaves</b>\nof tea</p>\n<pre>boil\n  <i>it\n</i></pre>\n", None)
    assert made == "<p>Water and <b>leaves</b> of tea</p> <pre>boil\n  <i>it\n</i></pre>"
    assert as_html(None, "1 < 2\nor not\n\nso") == "<p>1 &lt; 2 or not</p><p>so</p>"
    assert as_html("", None) == as_html(None, None) == ""


def test_links_to_notes_lead_there_and_back_beside_other_posts():
    posts = [fragment(as_html(html, None)) for html in (NOTED, NOTED + "<p>other</p>")]
    first, second = map(there_and_back, posts)
    assert set(first).isdisjoint(second)


@settings(max_examples=300)
@given(st.text(alphabet="<>/pb&; \n!-[]a\0", max_size=60))
def test_any_markup_keeps_its_words(markup):
    made = as_html(markup, None)
    assert fragment(made).text_content().split() == fragment(markup).text_content().split()
    assert as_html(made, None) == made


def test_comments_that_answer_each_other_or_themselves(tmp_path):
    said = [Comment("x", "y", author="A"), Comment("y", "x", author="B"), Comment("z", "z", author="C")]
    (post,) = of(tmp_path, replace(a_record("p"), comments=said)).posts.values()
    assert [one["parent"] for one in post["comments"]] == ["2", "1", "0"]
