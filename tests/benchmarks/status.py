"""How long `status` takes in an archive of many posts, without and with its index: python -m tests.benchmarks.status"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from blogcrawler.backend import Archive
from blogcrawler.items import Record
from blogcrawler.status import status_of
from tests.backend import postgresql

TEXT = "Nothing of this is worth reading, and each post has as much of it. " * 20
HOME = "http://example.org/"
NUMBERS = {
    "sqlite": "WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {count})",
    "postgresql": "WITH many (n) AS (SELECT generate_series(1, {count}))",
}
COLUMNS = (
    "blog_id, guid, title, authors, published, updated, tags, language, content_html, content_text, comments, "
    "comment_count, media, provenance, content_sha256, last_seen, last_changed"
)
INDEX = "CREATE INDEX ix_post_first_seen ON post (first_seen)"


def fill(archive: Archive, kind: str, count: int) -> None:
    """Copies of one post, which came in one a minute until now."""
    now = datetime.now(UTC)
    archive.save_record(Record(blog=HOME, url=f"{HOME}0", content_html=f"<p>{TEXT}</p>"), now=now)
    minutes = {
        "sqlite": "strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', '-' || n || ' minutes')",
        "postgresql": "to_char(now() at time zone 'UTC' - n * interval '1 minute', 'YYYY-MM-DD\"T\"HH24:MI:SS+00:00')",
    }[kind]
    with archive.transaction() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO post (key, url, first_seen, {COLUMNS}) "
            f"{NUMBERS[kind].format(count=count - 1)} "
            f"SELECT 'k' || n, 'http://example.org/' || n, {minutes}, {COLUMNS} FROM post, many WHERE post.id = 1"
        )
        connection.exec_driver_sql("ANALYZE")


def median_ms(call: Callable[[], object], times: int = 7) -> float:
    """Milliseconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        found.append(1000 * (time.perf_counter() - begin))
    return statistics.median(found)


def measure(url: str, kind: str, count: int) -> None:
    """Print two lines."""
    with Archive.open(url) as archive:
        fill(archive, kind, count)
        for name in ("without the index", "with it"):
            with archive.transaction() as connection:
                connection.exec_driver_sql("DROP INDEX IF EXISTS ix_post_first_seen")
                if name == "with it":
                    begin = time.perf_counter()
                    connection.exec_driver_sql(INDEX)
                    made_ms = 1000 * (time.perf_counter() - begin)
            now = datetime.now(UTC)
            hour = median_ms(lambda now=now: archive.count_new(since=now - timedelta(hours=1)))
            whole = median_ms(lambda now=now: status_of(archive, None, now=now, lost_after_s=60))
            print(f"{kind:10}  {count} posts, {name:17}  last hour {hour:8.1f} ms   status {whole:8.1f} ms")
        print(f"{kind:10}  the index is made in {made_ms:.0f} ms")


def main() -> None:
    """SQLite, and PostgreSQL where it is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=200_000)
    count = parser.parse_args().posts
    with tempfile.TemporaryDirectory() as folder:
        measure(f"sqlite:///{Path(folder) / 'archive.db'}", "sqlite", count)
    if postgresql.programs() is not None:
        with postgresql.cluster() as server, server.database() as url:
            measure(url, "postgresql", count)


if __name__ == "__main__":
    main()
