"""One blog crawled by several processes, one of which decides: how much faster.

    python -m tests.benchmarks.shared_blog [--posts N] [--spiders 1,2,4] [--latency MS,MS] [--links N]

The blog is a made-up one on loopback, with a sitemap, that answers each request after some time; there is no delay of
hosts, and each process asks for four pages at once. Its pages are small; with `--links` each has so many links to
other sites, each with a line of text, as the pages of real blogs have some hundreds. Redis, and the archive in
SQLite, are its own. Seconds are of the clock, from the first request to the last, the beginning included, in which one
process finds the feed and learns while the others wait. The time of the processor is that of all processes; where it
comes near the clock's, times the cores, more are of no use. That of the one that decides holds its start, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.crawl.blog import Blog, Site, make_posts
from tests.crawl.running import DATABASE, command, kept, start
from tests.shared.server import PROGRAM, Server
from tests.site import Reply

if TYPE_CHECKING:
    from aiohttp import web


@dataclass(frozen=True)
class Run:
    """What came of a crawl."""

    seconds: float
    processor_s: float
    #: of the process that took most of the processor: the one that decides
    deciding_s: float
    requests: int
    repeated: int


def slow_site(posts: int, latency_s: float, links: int = 0) -> Site:
    """A site with a blog that takes its time, whose pages have so many links to other sites."""
    line = '<li><a href="http://elsewhere.example/{0}/">Page {0} of elsewhere</a> and a few words on what it says</li>'
    foot = f"<ul>{''.join(map(line.format, range(links)))}</ul></body>"

    def late(reply: Reply) -> object:
        async def answer(request: web.BaseRequest) -> Reply:
            await asyncio.sleep(latency_s)
            return reply

        return answer

    site = Site({})
    site.__enter__()
    blog = Blog(make_posts(posts))
    urls = "".join(f"<url><loc>{url}</loc></url>" for url in blog.urls(site.url))
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    pages = {
        path: replace(one, body=str(one.body).replace("</body>", foot)) for path, one in blog.routes(site.url).items()
    }
    routes = pages | {"/sitemap.xml": Reply(sitemap, content_type="application/xml")}
    site.routes = {path: late(reply) for path, reply in routes.items()}
    return site


def crawl(site: Site, server: Server, spiders: int, posts: int) -> Run:
    """Crawl the blog by so many processes, which begin at once."""
    server.empty()
    site.log.clear()
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/{DATABASE}"
        arguments = command(
            f"{site.url}/", DATABASE_URL=database, ARCHIVE=f"{folder}/archive", FRONTIER_URL=server.url,
            GATE_SERVER_DELAY=0, LOG_LEVEL="INFO", COMMENTS=False,
        )  # fmt: skip
        places = [Path(folder, str(number)) for number in range(spiders)]
        for place in places:
            place.mkdir()
        processes = [start(place, arguments, anew=True) for place in places]
        usages = [os.wait4(process.pid, 0)[2] for process in processes]
        last = max(visit.at for visit in site.log)
        first = min(visit.at for visit in site.log)
        assert len(kept(Path(folder))) == posts, "not all posts were found"
    processor = [usage.ru_utime + usage.ru_stime for usage in usages]
    asked = [path for path in site.paths if path != "/robots.txt"]
    return Run(last - first, sum(processor), max(processor), len(asked), len(asked) - len(set(asked)))


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--posts", type=int, default=600, help="posts of the blog (600)")
    reader.add_argument("--spiders", default="1,2,4", help="numbers of processes (1,2,4)")
    reader.add_argument("--links", type=int, default=0, help="links of each page to other sites (0)")
    reader.add_argument("--latency", default="50,1000", help="milliseconds before each answer (50,1000)")
    arguments = reader.parse_args()
    if PROGRAM is None:
        raise SystemExit("Redis is not installed (apt-get install redis-server).")
    print(
        "| latency | processes | seconds | pages a second | times one's | cores | processor of the one that decides | asked twice |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for latency in map(int, arguments.latency.split(",")):
        site = slow_site(arguments.posts, latency / 1000, arguments.links)
        one = 0.0
        with Server() as server:
            for spiders in map(int, arguments.spiders.split(",")):
                run = crawl(site, server, spiders, arguments.posts)
                rate = run.requests / run.seconds
                one = one or rate
                cores = run.processor_s / run.seconds
                print(
                    f"| {latency} ms | {spiders} | {run.seconds:.1f} | {rate:.1f} | {rate / one:.2f} "
                    f"| {cores:.1f} of {os.cpu_count()} | {run.deciding_s:.1f} s | {run.repeated} |",
                    flush=True,
                )
        site.__exit__()


if __name__ == "__main__":
    main()
