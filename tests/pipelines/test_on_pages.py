"""Of which pages is remembered how they show comments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive
from blogcrawler.items import Comment, Page, Record, RecordSource
from blogcrawler.pipelines.gathered import Gathered
from blogcrawler.pipelines.on_pages import PageComments
from blogcrawler.pipelines.rulebook import Rulebook
from tests.wrapper.comments.made import page, url, wrapper

HOME = "http://blog.example.org/"


@pytest.mark.parametrize("told", [[], [Comment("c1", None, "comment", "Bob")]])
def test_a_post_has_comments_where_its_feed_tells_some_and_not_by_having_a_feed(tmp_path, told):
    """Pages without comments teach nothing of how comments are shown, however many feeds say that there are none."""
    gathered = Gathered()
    gathered.add(told, is_whole=True)
    post = Record(HOME, url(1))
    material = RecordSource(Page(url(1), page(1, "").encode()), wrapper(), None)
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.start_crawl(HOME, now=datetime.now(UTC))
        PageComments(None, archive, Rulebook()).remember(gathered, post, material)
        ((_, known),) = archive.comment_pages(HOME).all()
    assert known["has_comments"] is bool(told)
