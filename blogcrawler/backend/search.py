"""Full text search over what posts and their comments say: FTS5 of SQLite, or PostgreSQL's own."""

from __future__ import annotations

import json
import re
import sqlite3
from importlib import resources
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, text

from blogcrawler.backend.rows import storable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, TextClause

__all__ = ["BEGIN_MARK", "END_MARK", "make_search", "matching", "words_of"]

BEGIN_MARK, END_MARK = "\ue000", "\ue001"
"""Around the words of an excerpt that were sought: characters for private use, which no text has."""
_WORDS = 24
"""Words of an excerpt."""
_TERM = re.compile(r'"([^"]*)"|(\S+)')
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
"""Letters of scripts that write no spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese)."""
_MOST_TERMS = 20

_FTS5 = """
SELECT post.id, snippet(post_search, -1, :begin, :end, '…', {words}) AS excerpt
FROM post_search JOIN post ON post.id = post_search.rowid
WHERE post_search MATCH :query {scope} ORDER BY rank, post.id LIMIT :most OFFSET :offset
"""
_FTS5_COUNT = """
SELECT count(*) FROM post_search JOIN post ON post.id = post_search.rowid WHERE post_search MATCH :query {scope}
"""
_LIKE = "SELECT post.id FROM post WHERE {terms} {scope} ORDER BY post.published DESC, post.id"
_LIKE_TERM = """
(post.title LIKE :{name} ESCAPE '\\' OR post.content_text LIKE :{name} ESCAPE '\\'
    OR post.comments LIKE :{name}_json ESCAPE '\\')
"""
_SAID = """
SELECT coalesce(title, '') || char(10) || coalesce(content_text, '') || char(10) || coalesce(comments, '')
FROM post_words WHERE id = :id
"""
_NO_TEXT = {
    "odd": r"\\u(0000|d[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2}))",
    "half": r"(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}",
}
"""Escapes that JSON can hold and texts of PostgreSQL cannot (NUL, halves of surrogate pairs): a comment with one of
them would keep all posts from being searched.
"""
_POSTGRESQL_FROM = """
FROM post, websearch_to_tsquery('simple', :query) AS wanted, LATERAL (
    SELECT coalesce(post.title, '') || E'\\n' || coalesce(post.content_text, '') || E'\\n' || coalesce((
        SELECT string_agg(coalesce(one ->> 'author', '') || E'\\n' || coalesce(one ->> 'content_text', ''), E'\\n')
        FROM json_array_elements(CAST(regexp_replace(regexp_replace(
            replace(CAST(post.comments AS text), '\\\\', '\\u005c'), :odd, '?', 'gi'), :half, '?', 'gi') AS json
        )) AS one
    ), '') AS words
) AS said, LATERAL (SELECT to_tsvector('simple', left(said.words, 250000)) AS terms) AS read
WHERE read.terms @@ wanted {scope}
"""
_POSTGRESQL = (
    "SELECT post.id, ts_headline('simple', left(said.words, 250000), wanted, "
    "'MaxFragments=1,MinWords=8,MaxWords={words},StartSel=' || :begin || ',StopSel=' || :end) AS excerpt"
    + _POSTGRESQL_FROM
    + "ORDER BY ts_rank(read.terms, wanted) DESC, post.id LIMIT :most OFFSET :offset"
)
_POSTGRESQL_COUNT = "SELECT count(*)" + _POSTGRESQL_FROM


def make_search(connection: Connection) -> None:
    """Make the index, and what keeps it as the posts are, in a database of SQLite; others search without one."""
    if connection.dialect.name == "sqlite":
        for statement in _statements(resources.files("blogcrawler.backend").joinpath("data/search.sql").read_text()):
            connection.exec_driver_sql(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def words_of(sought: str) -> list[str]:
    """The words and "quoted phrases" of what somebody seeks."""
    found = (phrase or word for phrase, word in _TERM.findall(str(storable(sought))))
    return [term for term in found if any(map(str.isalnum, term))][:_MOST_TERMS]


def matching(
    connection: Connection, sought: str, blog_id: int | None, *, most: int, offset: int = 0
) -> tuple[int, list[tuple[int, str]]]:
    """How many posts have all words that are sought, and those from `offset` on: ids, each with an excerpt, the best
    first. The words stand between `BEGIN_MARK` and `END_MARK`.
    """
    terms = words_of(sought)
    if not terms:
        return 0, []
    scope = "" if blog_id is None else "AND post.blog_id = :blog"
    values: dict[str, Any] = {} if blog_id is None else {"blog": blog_id}
    if connection.dialect.name == "postgresql":
        values["query"] = " ".join(f'"{term}"' for term in terms)
        values |= _NO_TEXT
        found, counted = _POSTGRESQL, _POSTGRESQL_COUNT
    elif any(map(_UNSPACED.search, terms)):
        return _containing(connection, terms, scope, values, most=most, offset=offset)
    else:
        values["query"] = " ".join('"' + term.replace('"', "") + '"' for term in terms)
        found, counted = _FTS5, _FTS5_COUNT
    total = connection.scalar(_bound(counted, values, scope=scope))
    page = {**values, "begin": BEGIN_MARK, "end": END_MARK, "most": most, "offset": offset}
    rows = connection.execute(_bound(found, page, scope=scope, words=_WORDS))
    return int(total or 0), [(row.id, row.excerpt) for row in rows]


def _bound(query: str, values: dict[str, Any], **parts: Any) -> TextClause:  # noqa: ANN401
    return text(query.format(**parts)).bindparams(*(bindparam(name, value) for name, value in values.items()))


def _containing(
    connection: Connection, terms: list[str], scope: str, values: dict[str, Any], *, most: int, offset: int
) -> tuple[int, list[tuple[int, str]]]:
    """The same for words that do not stand apart: all texts are read, comments as JSON has them."""
    tests = " AND ".join(_LIKE_TERM.format(name=f"term{number}") for number in range(len(terms)))
    sought = {f"term{number}": f"%{_escaped(term)}%" for number, term in enumerate(terms)}
    sought |= {f"term{number}_json": f"%{_escaped(json.dumps(term)[1:-1])}%" for number, term in enumerate(terms)}
    ids = list(connection.scalars(_bound(_LIKE, {**values, **sought}, terms=tests, scope=scope)))
    page = ids[offset : offset + most]
    said = {post_id: str(connection.scalar(text(_SAID), {"id": post_id})) for post_id in page}
    return len(ids), [(post_id, _excerpt(said[post_id], terms)) for post_id in page]


def _escaped(term: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", term)


def _excerpt(said: str, terms: list[str]) -> str:
    """What stands around the first of the words."""
    place = re.search("|".join(map(re.escape, terms)), said, re.IGNORECASE)
    if place is None:
        return said[: 4 * _WORDS]
    start, end = max(0, place.start() - 2 * _WORDS), place.end() + 2 * _WORDS
    beginning, rest = "…" if start else "", "…" if end < len(said) else ""
    return f"{beginning}{said[start : place.start()]}{BEGIN_MARK}{place[0]}{END_MARK}{said[place.end() : end]}{rest}"
