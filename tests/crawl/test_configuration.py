"""What can be changed with one line, and crawls beside each other."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, RECORDS, crawl, kept, read_records

pytestmark = pytest.mark.slow

CONTENT = {"blogcrawler.pipelines.content.ContentPipeline": 200}
OWN_STAGE = '''
from pathlib import Path


class Titles:
    """A back end of somebody's own: a text file of titles."""

    async def process_item(self, item):
        with Path("titles.txt").open("a", encoding="utf-8") as file:
            print(item.title, file=file)
        return item
'''


def test_without_the_back_end_stage(tmp_path):
    blog = Blog()
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", ITEM_PIPELINES=json.dumps(CONTENT))
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert kept(tmp_path) == {}
        assert outcome.summary[1].strip().startswith("8 posts from ")


def test_with_another_back_end(tmp_path, monkeypatch):
    (tmp_path / "ownstage.py").write_text(OWN_STAGE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    blog = Blog()
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", ITEM_PIPELINES=json.dumps({**CONTENT, "ownstage.Titles": 500}))
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        titles = (tmp_path / "titles.txt").read_text("utf-8").splitlines()
        assert sorted(titles) == sorted(post.title for post in blog.posts)


def test_without_any_stage_the_pages_are_still_found(tmp_path):
    blog = Blog()
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", ITEM_PIPELINES="{}")
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


def test_output_in_other_formats(tmp_path):
    blog = Blog(make_posts(4))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", "-O", "posts.json", "-O", "posts.csv")
        assert outcome.code == 0, outcome.stderr
        for extension in ("json", "csv"):
            text = (tmp_path / f"posts.{extension}").read_text("utf-8")
            assert all(post.title in text for post in blog.posts)
        assert sorted(record["url"] for record in read_records(tmp_path / RECORDS)) == blog.urls(site.url)


def test_two_crawls_at_once_into_one_database(tmp_path):
    """Two blogs, two processes, one file, which neither of them finds made."""
    blogs = [Blog(make_posts(20, seed=seed), in_feed=6, name=f"Blog {seed}") for seed in (1, 2)]
    folders = [tmp_path / "one", tmp_path / "two"]
    address = f"sqlite:///{tmp_path / DATABASE}"
    with ExitStack() as stack:
        sites = [stack.enter_context(serve(blog)) for blog in blogs]
        for folder in folders:
            folder.mkdir()
        with ThreadPoolExecutor() as pool:
            runs = [
                pool.submit(crawl, folder, f"{site.url}/", DATABASE_URL=address)
                for folder, site in zip(folders, sites, strict=True)
            ]
        for run, blog, site in zip(runs, blogs, sites, strict=True):
            assert run.result().code == 0, run.result().stderr
            assert run.result().urls == blog.urls(site.url)
        expected = {url for blog, site in zip(blogs, sites, strict=True) for url in blog.urls(site.url)}
        assert set(kept(tmp_path)) == expected
