"""The wrapper as a library: it learns and extracts without Scrapy."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.crawl.blog import Blog, make_posts

PROGRAM = """
import json, sys
from blogcrawler.dom import parse
from blogcrawler.items import Entry
from blogcrawler.serialise import load
from blogcrawler.wrapper import Example, learn

given = json.load(sys.stdin)
wrapper = learn([Example(parse(html), load(Entry, entry), entry["url"]) for html, entry in given["pairs"]])
found = wrapper.extract(parse(given["page"]))
modules = {"scrapy", "twisted", "sqlalchemy"} & set(sys.modules)
print(json.dumps({"title": found.title, "authors": found.authors, "published": found.published,
                  "article": "".join(found.article.itertext()).split(), "modules": sorted(modules)}))
"""


def test_learns_and_extracts_without_scrapy():
    blog = Blog(make_posts(6))
    *training, sought = blog.posts
    pairs = [
        (
            blog.page(post),
            {
                "url": f"http://blog.example.org{post.path}",
                "title": post.title,
                "authors": [post.author],
                "published": post.published.isoformat(),
                "content_html": post.html,
            },
        )
        for post in training
    ]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps({"pairs": pairs, "page": blog.page(sought)}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "title": sought.title,
        "authors": [sought.author],
        "published": f"{sought.published:%Y-%m-%d}",
        "article": sought.text.split(),
        "modules": [],
    }
