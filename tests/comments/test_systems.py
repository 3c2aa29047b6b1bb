"""The table of comment systems, and how pages and frames tell which they have."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from blogcrawler.comments.systems import is_comment_frame, recognise, systems


def test_endpoints_have_the_keys_that_the_table_describes():
    head, _, _ = files("blogcrawler.comments").joinpath("systems.toml").read_text("utf-8").partition("\n[shape")
    described = set(re.findall(r"[a-z_]+", head))
    needed = {"parts", "request", "items", "fields"}
    for system in systems():
        for endpoint in system.endpoints:
            assert needed <= endpoint.keys() <= described, system.name


def test_the_table_is_well_formed():
    names = [system.name for system in systems()]
    assert len(names) == len(set(names)) >= 40
    for system in systems():
        assert system.signs or any(endpoint.get("own") for endpoint in system.endpoints)
        assert all(sign == sign.lower() for sign in system.signs)
        assert not (system.gone and (system.controls or system.frames))
        for frame in system.frames:
            re.compile(frame)


SOURCES = {
    "Disqus": b'<div id="disqus_thread"></div><script>s.src = "//blog.disqus.com/embed.js"</script>',
    "Isso": b'<script data-isso="//comments.example.org/" src="//comments.example.org/js/embed.min.js"></script>',
    "utterances": b'<script src="https://utteranc.es/client.js" repo="a/b" issue-term="pathname"></script>',
    "giscus": b'<script src="https://giscus.app/client.js" data-repo="a/b"></script>',
    "Hyvor Talk": b"<hyvor-talk-comments website-id=1></hyvor-talk-comments>",
    "Remark42": b'<script>var remark_config = {host: "https://r.example.org", site_id: "b"}</script>',
    "Ghost": b'<script defer src="https://cdn.jsdelivr.net/ghost/comments-ui@~0/umd/comments-ui.min.js" data-ghost-comments="x">',
    "Waline": b"<script type=module>Waline.init({el: '#waline', serverURL: 'x'})</script>",
}


@pytest.mark.parametrize("name", SOURCES)
def test_systems_are_told_by_the_source_of_a_page(name):
    assert [system.name for system in recognise(SOURCES[name])] == [name]


@pytest.mark.parametrize(
    "source",
    [
        "<div id=disqus_thread></div>",
        "<div class=x id = 'disqus_thread'>",
        '<DIV ID="disqus_thread"/>',
    ],
)
def test_names_of_elements_are_read_however_they_are_written(source):
    assert [system.name for system in recognise(source.encode())] == ["Disqus"]


@pytest.mark.parametrize(
    "source",
    [
        "<p class='disqus_thread'>",
        "<p id=disqus_thread_of_mine>",
        "<button class='btn loadmore'>More posts</button>",
        "<img src='https://substackcdn.com/x.png'>",
    ],
)
def test_names_that_are_shared_with_others_tell_no_system(source):
    assert recognise(source.encode()) == []


def test_one_class_of_several_tells_a_system():
    assert [system.name for system in recognise(b"<div class='box giscus'></div>")] == ["giscus"]


def test_comments_that_are_in_the_page_need_no_system():
    assert (
        recognise(b'<ol class="commentlist"><li class="comment" id="comment-1">Disqus and Isso are nice</li></ol>')
        == []
    )


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("https://disqus.com/embed/comments/?base=default&f=blog", True),
        ("https://giscus.app/de/widget?origin=x&repo=a/b", True),
        ("https://utteranc.es/utterances.html?src=x", True),
        ("https://remark.example.org/web/iframe.html?url=x", True),
        ("https://www.youtube.com/embed/x", False),
        ("https://platform.example.org/ad?u=https://disqus.com/", False),
    ],
)
def test_frames_with_comments_are_told_by_their_address(url, holds):
    assert is_comment_frame(url) is holds
