"""Which blogs `blogs find` would list if all pages of a blog of the corpus had been captured.

    python -m tests.benchmarks.blog_search CORPUS [NAME...]

A blog is found if an address in the list is the blog's home page, or a folder above or below it; it is found alone if
the list holds no other address. Lists that differ from the home page are printed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from blogcrawler.commands.blogs import feed_depth
from blogcrawler.sources.blog_search import find_blogs
from blogcrawler.sources.index import IndexedCapture
from blogcrawler.sources.surt import surt_key
from tests.benchmarks.blogs import archives
from tests.benchmarks.replayed import member

TIME = 20200101000000


def listed(file: Path) -> list[str]:
    """The keys of what would be listed for the blog of an archive."""
    lines = map(json.loads, member(file, "index.jsonl").splitlines())
    captures = [
        IndexedCapture(
            surt_key(one["url"]), TIME, "", 0, one["status"], (one.get("type") or "").partition(";")[0], "", one["url"]
        )
        for one in lines
    ]
    return [surt_key(blog.url) for blog in find_blogs(sorted(captures), feed_depth)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    files = archives(options.corpus, options.names)
    found = alone = exact = 0
    for file in files:
        home, keys = surt_key(json.loads(member(file, "blog.json"))["home"]), listed(file)
        found += any(key.startswith(home) or home.startswith(key) for key in keys)
        alone += len(keys) == 1
        exact += keys == [home]
        if keys != [home]:
            print(f"{file.name}: {home} is listed as {', '.join(keys[:4]) or 'no blog'}")
    print(f"{len(files)} blogs: {found} found, {alone} of them alone, {exact} by their home page")


if __name__ == "__main__":
    main()
