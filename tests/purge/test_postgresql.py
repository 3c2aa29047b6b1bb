"""`blogcrawler purge` with an archive in PostgreSQL."""

from __future__ import annotations

import zlib
from contextlib import suppress

import pytest
import sqlalchemy as sa

from blogcrawler.backend.tables import METADATA
from tests.backend import earlier
from tests.crawl.blog import serve
from tests.crawl.running import PROGRAM, crawl, has_traceback, run
from tests.purge.test_purge import LONG, PERSON, REMARK, SETTINGS, WORDS, holds, posts, talk

pytestmark = pytest.mark.slow


def told(url):
    """All that the rows of the database hold, decompressed."""
    engine = earlier.engine(url)
    with engine.connect() as connection:
        values = [
            value for table in METADATA.sorted_tables for row in connection.execute(sa.select(table)) for value in row
        ]
    engine.dispose()
    texts = []
    for value in values:
        packed = bytes(value) if isinstance(value, bytes) else b""
        with suppress(zlib.error):
            packed = zlib.decompress(packed)
        texts.append(packed.decode("utf-8", "replace") or str(value))
    return "\n".join(texts).lower()


def test_posts_and_comments_are_removed_and_removals_revoked(tmp_path, postgresql_url):
    settings = SETTINGS | {"DATABASE_URL": postgresql_url}

    def program(*arguments):
        given = ["-s", f"DATABASE_URL={postgresql_url}", "-s", "ARCHIVE=archive"]
        done = run(tmp_path, [*PROGRAM, *arguments, *given])
        assert (done.code, has_traceback(done)) == (0, False), done.stderr
        return done

    with serve(talk()) as site:
        home, url = f"{site.url}/", f"{site.url}{posts()[1].path}"
        assert crawl(tmp_path, home, **settings).code == 0
        (tmp_path / "posts.jsonl").unlink()
        assert all(word in told(postgresql_url) for word in (PERSON.lower(), REMARK.lower(), LONG.lower(), *WORDS))
        assert "2 comments" in program("purge", home, "--comments-by", PERSON, "--dry-run").stdout
        assert "VACUUM FULL" in program("purge", home, "--comments-by", PERSON, "--reason", "a wish").stdout
        for words in ((PERSON.lower(), REMARK.lower(), LONG.lower()), WORDS):
            assert not [word for word in words if word in told(postgresql_url)]
            assert holds(tmp_path, *words) == set()
            program("verify")
            for spider in ("updatecrawl", "newcrawl"):
                assert crawl(tmp_path, home, spider=spider, **settings).code == 0
            (tmp_path / "posts.jsonl").unlink()
            assert not [word for word in words if word in told(postgresql_url)]
            program("purge", url)
        program("purge", url, "--forget")
        done = crawl(tmp_path, home, spider="updatecrawl", **settings)
        assert [one["author"] for one in done.record(url)["comments"]] == ["Ann Other", "Bo Reed"]
        assert "a wish" in program("purge", home, "--list").stdout
        program("purge", home, "--blog")
        assert not [word for word in WORDS if word in told(postgresql_url)]
