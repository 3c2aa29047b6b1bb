"""How long pages of `blogcrawler browse` take: medians for each kind of page, of an archive of ten thousand posts.

Usage: python -m tests.benchmarks.browse [--posts 10000] [--times 100] [FOLDER]
The archive is made in FOLDER (a temporary one, if none is given) through the archive's own interface, and used again
where it is there.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive, FileStore
from blogcrawler.backend.warc import Exchange, WarcStore
from blogcrawler.dom import parse
from blogcrawler.items import Comment, Entry, FieldSource, Media, Page, Provenance, Record
from blogcrawler.reextraction import renew
from blogcrawler.wrapper import Example, learn
from tests.archives import save_records
from tests.browse.serving import Site
from tests.export.archives import DIGEST, KETTLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEED = 18
HOME = "http://blog.example.org/"
BEGIN = datetime(2005, 1, 1, 10, tzinfo=UTC)
SYLLABLES = ("ka", "ri", "mo", "ten", "sal", "ve", "lun", "dor", "pi", "gra", "shu", "bel", "no", "fi", "war", "zet")
#: words that are seldom, so that a search for one finds some posts
RARE_EVERY = 500
VERSIONED_EVERY, VERSIONS = 10, 3
BATCH = 500
TAUGHT = 20
"""Pages that rules are learned from."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


class Writer:
    """Writes texts whose words are as frequent as words are (Zipf), the same for a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < 8000:
            made["".join(self._random.choices(SYLLABLES, k=self._random.randint(1, 4)))] = None
        self._words = list(made)
        self._weights = [1 / rank for rank in range(1, len(self._words) + 1)]

    @property
    def vocabulary(self) -> list[str]:
        """All words, the most frequent first."""
        return self._words

    def words(self, count: int) -> str:
        """A sentence."""
        return " ".join(self._random.choices(self._words, self._weights, k=count)).capitalize() + "."

    def number(self, least: int, most: int) -> int:
        """A number, small ones more often."""
        return least + int((most - least) * self._random.random() ** 2)

    def post(self, number: int) -> Record:
        """A post of some paragraphs with a picture, links to others, and its talk."""
        moment = BEGIN + timedelta(hours=17 * number)
        paragraphs = [self.words(self.number(20, 120)) for _ in range(self.number(3, 12))]
        if number % RARE_EVERY == 0:
            paragraphs.append("Here stands the word quizzaciously.")
        links = [f"{HOME}post-{self.number(0, number)}" for _ in range(4)] if number else []
        html = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        html += "".join(f'<p><a href="{url}">before</a></p>' for url in links)
        html += f'<img src="{HOME}kettle.png" alt="A kettle">'
        talk = [self._comment(number, place, moment) for place in range(self.number(0, 40))]
        return Record(
            HOME,
            f"{HOME}post-{number}",
            guid=f"tag:{number}",
            title=self.words(6),
            authors=[f"Author {number % 7}"],
            published=moment.isoformat(),
            tags=[f"tag {number % 13}", f"tag {number % 29}"],
            language="en",
            content_html=html,
            content_text="\n\n".join(paragraphs),
            comments=talk,
            comment_count=len(talk),
            media=[
                Media(
                    f"{HOME}kettle.png",
                    f"sha256/{DIGEST[:2]}/{DIGEST[2:]}",
                    DIGEST,
                    "image/png",
                    len(KETTLE),
                    "image",
                ),
                *([Media(f"{HOME}{number}.mp3", role="audio", error="404 Not Found")] if number % 20 == 0 else []),
            ],
            provenance=Provenance(
                moment.isoformat(),
                200,
                DIGEST,
                fields={name: FieldSource("rule", f"//{name}", 0.95) for name in ("title", "content", "published")},
            ),
        )

    def _comment(self, number: int, place: int, moment: datetime) -> Comment:
        text = self.words(self.number(5, 80))
        parent = f"comment-{number}-{self.number(0, place)}" if place and self._random.random() < 0.5 else None
        return Comment(
            f"comment-{number}-{place}",
            parent,
            author=f"Reader {self.number(0, 500)}",
            published=(moment + timedelta(hours=place)).isoformat(),
            content_html=f"<p>{text}</p>",
            content_text=text,
        )


def page_of(post: Record) -> bytes:
    """The page of a post, with its talk."""
    talk = "".join(
        f'<li id="{one.id}"><b>{one.author}</b> <time>{one.published}</time>{one.content_html}</li>'
        for one in post.comments
    )
    side = "".join(f'<li><a href="/tag/{number}">tag {number}</a></li>' for number in range(40))
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{post.title}</title></head><body><div class="page">'
        f'<h1 class="name">{post.title}</h1><p class="by">By <span>{post.authors[0]}</span> on '
        f'<time datetime="{post.published}">{post.published}</time></p><div class="text">{post.content_html}</div>'
        f'<ol class="talk">{talk}</ol><ul class="side">{side}</ul></div></body></html>'
    ).encode()


def keep(store: WarcStore, post: Record) -> None:
    """Write the page of a post to the WARC files."""
    body, at = page_of(post), datetime.fromisoformat(post.published or "")
    asked = f"GET {post.url.removeprefix(HOME)} HTTP/1.1\r\n\r\n".encode()
    post.provenance.warc = store.keep(Exchange(post.url, asked, HEAD, 200, body, at))
    post.provenance.sha256 = hashlib.sha256(body).hexdigest()


def teach(archive: Archive, posts: Sequence[Record]) -> None:
    """Learn the rules from the pages of some posts."""
    examples = []
    for post in posts:
        told = {"title": post.title, "authors": tuple(post.authors), "published": post.published}
        entry = Entry(post.url, content_html=post.content_html, **told)  # type: ignore[arg-type]
        body = page_of(post)
        archive.save_training_page(HOME, Page(post.url, body, "text/html; charset=utf-8"), entry)
        examples.append(Example(parse(body), entry, post.url))
    archive.save_wrapper(HOME, learn(examples).to_dict())


def make(folder: Path, count: int) -> None:
    """Make the archive, unless it is there."""
    if (folder / "archive.db").exists():
        return
    FileStore(folder).put(KETTLE)
    writer = Writer(SEED)
    store = WarcStore(folder / "warc", max_bytes=1 << 30, info={})
    with Archive.open(f"sqlite:///{folder / 'archive.db'}") as archive:
        archive.save_blog(HOME, title="A blog of many posts", language="en")
        archive.save_addresses(HOME, [HOME])
        now = datetime(2026, 11, 1, tzinfo=UTC)
        archive.start_crawl(HOME, now=now)
        for start in range(0, count, BATCH):
            posts = [writer.post(number) for number in range(start, min(count, start + BATCH))]
            for post in posts:
                keep(store, post)
            if not start:
                teach(archive, posts[:TAUGHT])
            for version in _versions(posts):
                save_records(archive, version, now=now)
                now += timedelta(seconds=1)
        archive.finish_crawl(HOME, now=now, reason="finished")
    store.close()


def _versions(posts: list[Record]) -> Iterator[list[Record]]:
    """The posts, and some of them again, each time with another paragraph and another title."""
    yield posts
    for version in range(1, VERSIONS):
        yield [
            replace(
                post,
                title=f"{post.title} ({version})",
                content_text=f"{post.content_text}\n\nAdded {version}.",
                content_html=f"{post.content_html}<p>Added {version}.</p>",
            )
            for post in posts[::VERSIONED_EVERY]
        ]


def paths(count: int, words: list[str]) -> dict[str, list[str]]:
    """What is asked for, by kinds of pages; each page but those there is one of is another one each time."""
    chosen = random.Random(7)
    posts = [chosen.randrange(1, count + 1) for _ in range(200)]
    changed = [number - (number - 1) % VERSIONED_EVERY for number in posts]
    last = count // 50
    return {
        "all blogs": ["/"],
        "a blog": ["/blogs/1"],
        "posts, by pages": [f"/blogs/1/posts?page={chosen.randint(1, last)}" for _ in posts],
        "posts of a month": [f"/blogs/1/posts?month={2005 + n % 19}-{n % 12 + 1:02}" for n in range(200)],
        "what is missing": ["/blogs/1/gaps"],
        "a post": [f"/posts/{number}" for number in posts],
        "its archived page with the record": [f"/posts/{number}/page" for number in posts],
        "the archived page itself": [f"/posts/{number}/frame" for number in posts],
        "the archived page, to select a text": [f"/posts/{number}/correct/title/frame" for number in posts],
        "rules and six sample posts": ["/blogs/1/rules"],
        "its versions": [f"/posts/{number}/versions" for number in changed],
        "differences between versions": [f"/posts/{number}/diff?from=1&to=3" for number in changed],
        "its record": [f"/posts/{number}.json" for number in posts],
        "a file": [f"/files/{DIGEST}.png"],
        "search, a rare word": ["/search?q=quizzaciously"],
        "search, random word": [f"/search?q={chosen.choice(words)}" for _ in posts],
        "search, two words": [f"/search?q={chosen.choice(words)}+{chosen.choice(words)}" for _ in posts],
        "search, a word in all posts": [f"/search?q={words[0]}"],
        "search, a word of a script without spaces": ["/search?q=\u8336"],
    }


def measure(site: Site, asked: Sequence[str], times: int) -> list[float]:
    """Milliseconds of each request, one after the other."""
    taken = []
    for number in range(times):
        begun = time.perf_counter()
        answer = site.ask(asked[number % len(asked)])
        taken.append((time.perf_counter() - begun) * 1000)
        assert answer.status_code == 200, (asked[number % len(asked)], answer.status_code)
    return taken


@contextmanager
def serving(folder: Path) -> Iterator[Site]:
    """The command, in a process of its own."""
    database = f"DATABASE_URL=sqlite:///{folder / 'archive.db'}"
    command = [sys.executable, "-m", "blogcrawler", "browse", "--no-open", "--port", "0", "-s", database]
    with subprocess.Popen([*command, "-s", f"ARCHIVE={folder}"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None
        try:
            yield Site(found[0])
        finally:
            process.terminate()


def main() -> None:
    """Make, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--posts", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        make(folder, options.posts)
        print(f"| page, of {options.posts:,} posts | median | 90th percentile | first |\n|---|---|---|---|")
        with serving(folder) as site:
            for name, asked in paths(options.posts, Writer(SEED).vocabulary).items():
                taken = measure(site, asked, options.times)
                median, tail = statistics.median(taken), sorted(taken)[int(0.9 * len(taken))]
                print(f"| {name} | {median:.0f} ms | {tail:.0f} ms | {taken[0]:.0f} ms |", flush=True)
        begun = time.perf_counter()
        outcome = renew(f"sqlite:///{folder / 'archive.db'}", HOME, folder / "warc")
        taken_s = time.perf_counter() - begun
        print(f"\n{outcome.changed + outcome.same:,} posts were read again in {taken_s:.0f} s.")


if __name__ == "__main__":
    main()
