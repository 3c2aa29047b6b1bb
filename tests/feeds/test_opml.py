"""Lists of feeds, as feed readers export them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import opml
from blogcrawler.feeds.opml import MOST, MOST_BYTES, Subscription, read_opml

LIST = b"""<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0"><head><title>Mine</title></head><body>
  <outline text="Friends">
    <outline type="rss" text="Ann" title="Ann's blog" xmlUrl="http://ann.example.org/feed" htmlUrl="http://ann.example.org/"/>
    <outline type="rss" text="Bo" xmlUrl="https://bo.example.org/atom.xml" htmlUrl=""/>
  </outline>
  <outline type="rss" text="again" xmlUrl="http://ann.example.org/feed2" htmlUrl="http://ann.example.org/"/>
  <outline type="rss" text="file" xmlUrl="file:///etc/passwd"/>
  <outline type="link" text="no feed" url="http://c.example.org/" htmlUrl="http://c.example.org/"/>
  <outline text="odd" XMLURL="http://d.example.org/rss"/>
</body></opml>"""


def outlines(count, *, first=0):
    return "".join(f'<outline xmlUrl="http://{n}.example.org/rss"/>' for n in range(first, first + count)).encode()


def feeds(body):
    return [one.feed_url for one in read_opml(body).blogs]


def test_blogs_are_read_from_folders_each_once():
    found = read_opml(LIST + b"\n<!-- the end -->\n")
    assert found.damage is None
    assert found.blogs == [
        Subscription("http://ann.example.org/", "Ann's blog", "http://ann.example.org/feed"),
        Subscription("https://bo.example.org/atom.xml", "Bo", "https://bo.example.org/atom.xml"),
        Subscription("http://ann.example.org/", "again", "http://ann.example.org/feed2"),
        Subscription("file:///etc/passwd", "file", "file:///etc/passwd"),
        Subscription("http://d.example.org/rss", "odd", "http://d.example.org/rss"),
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("x=1&y=2", "x=1&y=2"),
        ("x=1&amp;y=2&#38;z=3&#x26;a=4", "x=1&y=2&z=3&a=4"),
        ("x=1&copy=2&lt=3&amp", "x=1&copy=2&lt=3&amp"),
        ("&&x;&#;&#x;&y=2&", "&&x;&#;&#x;&y=2&"),
        ("x=&eacute;", "x=é"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_ampersands_that_are_not_escaped_stand_for_themselves(written, meant, encoding):
    body = f'<?xml version="1.0" encoding="{encoding}"?>\n<opml><outline text="A & B" xmlUrl="http://a.example/?{written}"/></opml>'
    found = read_opml(body.encode(encoding))
    assert found.blogs == [Subscription(f"http://a.example/?{meant}", "A & B", f"http://a.example/?{meant}")]
    assert found.damage is None


@pytest.mark.parametrize("cut", ["\n</body></opml>", "d.example.org/rss", "XMLURL", '"odd"'])
def test_of_a_list_that_was_cut_off_the_beginning_is_read_and_the_damage_told(cut):
    found = read_opml(LIST[: LIST.index(cut.encode())], "list.opml")
    assert [one.title for one in found.blogs][:4] == ["Ann's blog", "Bo", "again", "file"]
    assert (
        found.damage
        == "list.opml is damaged at line 10. The readable feeds were added; export the list again for the others."
    )
    assert all(one.feed_url in LIST.decode() for one in found.blogs)


def test_what_comes_after_broken_markup_is_read():
    found = read_opml(LIST.replace(b"<head>", b"<head><b></i>"))
    assert len(found.blogs) == 5
    assert "is damaged at line 2" in found.damage


@pytest.mark.parametrize(
    "harmless",
    [b'<opml><outline x:y="1" xmlUrl="http://0.example.org/rss"/></opml>', b" \n" + LIST, b"\xef\xbb\xbf" + LIST],
    ids=["prefix", "white space", "mark"],
)
def test_what_harms_nothing_is_no_damage(harmless):
    assert read_opml(harmless).damage is None


def test_folders_within_folders():
    depth = 1500
    body = (
        b"<opml><body>"
        + b"<outline>" * depth
        + outlines(1)
        + b"</outline>" * depth
        + outlines(1, first=1)
        + b"</body></opml>"
    )
    assert feeds(body) == ["http://0.example.org/rss", "http://1.example.org/rss"]


def test_folders_too_deep_are_told():
    depth = 100_000
    found = read_opml(
        b"<opml>" + outlines(2) + b"<outline>\n" * depth + b"</outline>" * depth + b"</opml>", "list.opml"
    )
    assert len(found.blogs) == 2
    assert "list.opml has too deeply nested folders at line 20" in found.damage


def test_more_blogs_than_are_read_are_told():
    found = read_opml(b"<opml>" + outlines(MOST + 1) + b"</opml>", "list.opml")
    assert len(found.blogs) == MOST
    assert found.damage.startswith(f"list.opml has more than {MOST} feeds. ")


@pytest.mark.parametrize("body", [b"<opml/>", b"<opml><body><outline text='a' url='http://a.example/'/></body></opml>"])
def test_a_list_without_feeds(body):
    with pytest.raises(NotAFeed, match=r"list\.opml has no feeds; export"):
        read_opml(body, "list.opml")
    with pytest.raises(NotAFeed, match=r"list\.opml is damaged at line 1 and contains no readable feed; export"):
        read_opml(body.removesuffix(b"</opml>").replace(b"/>", b">"), "list.opml")


@pytest.mark.parametrize("body", [b"", b"<html><body>no</body></html>", b"\x89PNG", b"<rss/>", b"plain"])
def test_what_is_no_opml(body):
    with pytest.raises(NotAFeed, match=r"list\.opml is not OPML"):
        read_opml(body, "list.opml")


def test_a_list_that_is_too_large():
    with pytest.raises(NotAFeed, match=r"list\.opml is larger than 32 MiB"):
        read_opml(LIST + b" " * MOST_BYTES, "list.opml")


def test_a_home_page_that_cannot_be_crawled_gives_way_to_the_feed():
    body = b'<opml><body><outline xmlUrl="e.example.org/rss" htmlUrl="http://" text="E"/></body></opml>'
    (one,) = read_opml(body).blogs
    assert one == Subscription("e.example.org/rss", "E", "e.example.org/rss")


def test_a_prefix_that_is_not_declared_is_passed_over():
    assert feeds(b'<opml><body><x:outline xmlUrl="http://a.example/f"/>' + outlines(1) + b"</body></opml>") == [
        "http://a.example/f",
        "http://0.example.org/rss",
    ]


def test_elements_that_were_read_are_not_kept(monkeypatch):
    most = 0
    read = opml._is_usable

    def count(url):
        nonlocal most
        most = max(most, len(elements[-1].getparent()))
        return read(url)

    elements = []
    iterparse = opml.etree.iterparse

    class Noting(iterparse):
        def __next__(self):
            event, element = super().__next__()
            elements[:] = [element]
            return event, element

    monkeypatch.setattr(opml.etree, "iterparse", Noting)
    monkeypatch.setattr(opml, "_is_usable", count)
    assert len(feeds(b"<opml><body>" + b"<a/>" * 100_000 + outlines(1) + b"</body></opml>")) == 1
    assert most == 1


def test_entities_of_other_files_are_not_read():
    bomb = b'<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]><opml><body><outline text="&x;" xmlUrl="http://a.example/"/></body></opml>'
    (found,) = read_opml(bomb).blogs
    assert "root" not in (found.title or "")


@given(st.binary(max_size=300))
def test_any_bytes_end_well(body):
    try:
        read_opml(body)
    except NotAFeed:
        return


@given(
    st.lists(
        st.sampled_from(
            [b"<outline", b' xmlUrl="http://a.example/"', b">", b"</outline>", b"&", b"<", b'"', b"<![CDATA["]
        )
    )
)
def test_any_markup_ends_well(pieces):
    try:
        found = read_opml(b"<opml>" + b"".join(pieces))
    except NotAFeed:
        return
    assert found.blogs
    assert found.damage
