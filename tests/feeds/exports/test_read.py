"""Exports in the forms that blog software publishes; the files in `data` are written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import fragment, readable_text
from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import exports
from blogcrawler.feeds.exports import read_export
from blogcrawler.feeds.exports.wordpress import paragraphs

DATA = Path(__file__).parent / "data"
HOME = "http://ann.example.org/"


def text_of(html):
    return readable_text(fragment(html))


def package(file, members):
    with ZipFile(file, "w", ZIP_DEFLATED) as zipped:
        for name, body in members.items():
            zipped.writestr(name, body)
    return file


def read(name):
    return read_export(DATA / name, HOME)


# ---------------------------------------------------------------------------------------------------------- WordPress


def test_posts_of_wordpress():
    first, second = read("wordpress.xml").entries
    assert first.url == "http://ann.example.org/2014/05/fish-chips/"
    assert first.guid == "http://ann.example.org/?p=12"
    assert first.title == "Fish & chips"
    assert first.authors == ("Ann Archer",)
    assert first.published == "2014-05-02T10:00:00+02:00"
    assert first.updated == "2014-05-03T10:00:00+02:00"
    assert first.tags == ("Travel", "sea")
    assert not first.is_summary
    assert text_of(first.content_html) == (
        "First paragraph with markup\nand a second line.\n\nSecond paragraph.\n\none\n\ntwo\n\n- item"
    )
    assert second.authors == ("guest",)
    assert second.published == "2019-01-02T00:30:00+05:30"
    assert text_of(second.content_html) == "One line."
    assert second.comments == ()


def test_comments_of_wordpress():
    question, answer, pingback = read("wordpress.xml").entries[0].comments
    assert question.id == "comment-3"
    assert question.url == "http://ann.example.org/2014/05/fish-chips/#comment-3"
    assert question.author == "Bob"
    assert question.author_url == "http://bob.example.com/"
    assert question.published == "2014-05-02T12:00:00+02:00"
    assert question.content_text == "Where was this?\n\nI want to go, too."
    assert (question.kind, question.parent) == ("comment", None)
    assert (answer.kind, answer.parent, answer.content_text) == ("comment", "comment-3", "In Whitby.")
    assert (pingback.kind, pingback.author_url) == ("pingback", "http://other.example.net/a/")


def test_numbers_of_comments_that_wordpress_did_not_give_are_no_addresses(tmp_path):
    text = (DATA / "wordpress.xml").read_text("utf-8").replace("https://wordpress.org/?v=6.1", "blogcrawler 1.0")
    (tmp_path / "other.xml").write_text(text, "utf-8")
    question, answer, _ = read_export(tmp_path / "other.xml", HOME).entries[0].comments
    assert (question.id, question.url) == ("3", None)
    assert answer.parent == "3"


# ------------------------------------------------------------------------------------------------------------ Blogger


@pytest.mark.parametrize(
    ("name", "url", "ids", "published"),
    [
        (
            "blogger.xml",
            "http://ann.example.org/2011/02/fish-chips.html",
            ["c200", "c201"],
            "2011-02-03T10:00:00-08:00",
        ),
        (
            "feed.atom",
            "http://ann.example.org/2023/01/fish-chips.html",
            ["tag:blogger.com,1999:blog-77.post-200", "tag:blogger.com,1999:blog-77.post-201"],
            "2023-01-14T23:12:00.001+00:00",
        ),
    ],
)
def test_posts_and_comments_of_blogger(name, url, ids, published):
    (post,) = read(name).entries
    assert post.url == url
    assert post.guid == "tag:blogger.com,1999:blog-77.post-123"
    assert post.title == "Fish & chips"
    assert post.authors == ("Ann Archer",)
    assert post.published == published
    assert post.tags == ("sea",)
    assert text_of(post.content_html) == "First paragraph.\n\nSecond paragraph."
    comments = {comment.id: comment for comment in post.comments}
    assert sorted(comments) == ids
    question, answer = (comments[number] for number in ids)
    assert (question.author, question.parent, question.content_text) == ("Bob", None, "Where was this?")
    assert (answer.author, answer.parent, answer.content_text) == ("Ann Archer", ids[0], "In Whitby.")


def test_takeout_of_one_blog(tmp_path):
    members = {
        "Takeout/archive_browser.html": "<html><body>Your files</body></html>",
        "Takeout/Blogger/Blogs/Words of Ann/feed.atom": (DATA / "feed.atom").read_bytes(),
        "Takeout/Blogger/Blogs/Words of Ann/theme-layouts.xml": "<html/>",
        "__MACOSX/Takeout/Blogger/Blogs/Words of Ann/._feed.atom": b"\x00\x05\x16\x07",
    }
    export = read_export(package(tmp_path / "takeout.zip", members), HOME)
    assert [entry.url for entry in export.entries] == ["http://ann.example.org/2023/01/fish-chips.html"]


def test_takeout_of_several_blogs_is_refused(tmp_path):
    """Their addresses have no host, so that nobody knows whose they are."""
    body = (DATA / "feed.atom").read_bytes()
    members = {f"Takeout/Blogger/Blogs/{name}/feed.atom": body for name in ("Ann", "Bo")}
    with pytest.raises(NotAFeed, match="2 blogs"):
        read_export(package(tmp_path / "takeout.zip", members), HOME)


# ------------------------------------------------------------------------------------------------------------- Medium


def test_stories_of_medium(tmp_path):
    members = {
        "README.html": "<html><body><h1>Archive for Ann</h1></body></html>",
        "posts/2017-01-05_Fish---chips-abc123def456.html": (DATA / "medium.html").read_bytes(),
        "posts/draft_A-secret-draft-fed654cba321.html": (DATA / "medium-draft.html").read_bytes(),
    }
    export = read_export(package(tmp_path / "medium.zip", members), HOME)
    (story,) = export.entries
    assert story.url == "http://ann.example.org/fish-chips-abc123def456"
    assert story.title == "Fish & chips"
    assert story.authors == ("Ann Archer",)
    assert story.published == "2017-01-05T12:00:00+00:00"
    assert text_of(story.content_html) == "First paragraph.\n\nSecond paragraph."
    assert story.comments is None
    assert export.dropped == 1


# ---------------------------------------------------------------------------------------------------- what is private


@pytest.mark.parametrize(("name", "left_out"), [("wordpress.xml", 3), ("blogger.xml", 1), ("feed.atom", 2)])
def test_what_is_not_public_is_left_out(name, left_out):
    export = read(name)
    assert "secret" not in repr(export)
    assert "pills" not in repr(export)
    assert export.dropped == left_out


# ------------------------------------------------------------------------------------------------------ hostile files


def test_a_folder_and_a_package_hold_the_same(tmp_path):
    body = (DATA / "wordpress.xml").read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "one.xml").write_bytes(body)
    zipped = package(tmp_path / "package.zip", {"../../etc/one.xml": body})
    assert read_export(tmp_path / "folder", HOME) == read_export(zipped, HOME) == read("wordpress.xml")


def test_a_small_package_with_much_in_it_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(exports.read, "MOST_BYTES", 1_000_000)
    body = (DATA / "wordpress.xml").read_bytes().replace(b"An excerpt", b" " * 2_000_000)
    file = package(tmp_path / "bomb.zip", {"one.xml": body})
    assert file.stat().st_size < 20_000
    with pytest.raises(NotAFeed, match="MiB"):
        read_export(file, HOME)


def test_entities_have_no_effect(tmp_path):
    head, _, rest = (DATA / "wordpress.xml").read_text("utf-8").partition("<rss")
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    declared = f'<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "{secret.as_uri()}">]>'
    (tmp_path / "one.xml").write_text(f"{head}{declared}<rss{rest}".replace("<title>sea", "<title>&b;&c;"), "utf-8")
    with pytest.raises(NotAFeed):
        read_export(tmp_path / "one.xml", HOME)


def test_characters_that_xml_forbids_are_ignored(tmp_path):
    body = (DATA / "wordpress.xml").read_bytes().replace(b"Second", b"Se\x0b\x00cond")
    (tmp_path / "one.xml").write_bytes(body)
    first, second = read_export(tmp_path / "one.xml", HOME).entries
    assert text_of(first.content_html).split("\n\n")[1] == "Se cond paragraph."
    assert second == read("wordpress.xml").entries[1]


@pytest.mark.parametrize("body", [b"", b"words", b"<html><body>words</body></html>", b"\x00" * 100, b"PK\x03\x04words"])
def test_other_files_are_no_exports(tmp_path, body):
    (tmp_path / "file").write_bytes(body)
    with pytest.raises(NotAFeed, match="no export"):
        read_export(tmp_path / "file", HOME)


def test_a_damaged_package_is_an_error(tmp_path):
    file = package(tmp_path / "one.zip", {"one.xml": (DATA / "wordpress.xml").read_bytes()})
    body = bytearray(file.read_bytes())
    body[100:400] = bytes(300)
    file.write_bytes(body)
    with pytest.raises(NotAFeed, match="cannot be"):
        read_export(file, HOME)


@pytest.mark.parametrize("name", ["wordpress.xml", "blogger.xml", "feed.atom"])
def test_a_truncated_file_gives_whole_posts_alone(tmp_path, name):
    body, whole = (DATA / name).read_bytes(), read(name).entries
    file = tmp_path / name
    for length in range(0, len(body), 97):
        file.write_bytes(body[:length])
        try:
            entries = read_export(file, HOME).entries
        except NotAFeed:
            continue
        assert [replace(entry, comments=None) for entry in entries] == [
            replace(entry, comments=None) for entry in whole[: len(entries)]
        ]
        assert name != "wordpress.xml" or entries == whole[: len(entries)]


@given(
    st.lists(st.sampled_from(["words", "\n", "\n\n", "<pre>", "</pre>", "<p>", "</p>", "<b>", "  ", "<!--", "<ul>"]))
)
def test_paragraphs_keep_all_words(parts):
    text = "".join(parts)
    assert paragraphs(text).count("words") == text.count("words")


@given(st.lists(st.text("abc <", min_size=1).filter(str.strip), min_size=1))
def test_blank_lines_separate_paragraphs(blocks):
    lines = [" ".join(block.replace("<", "").split()) or "a" for block in blocks]
    assert text_of(paragraphs("\n\n".join(lines))) == "\n\n".join(lines)
