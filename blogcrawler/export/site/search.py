"""The index of the search page: scripts of bounded size; a browser loads only those that a query needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from blogcrawler.export.text import encoded
from blogcrawler.export.words import LONGEST, rules, words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SHARD = 1 << 16
"""Largest script, in characters, unless a single word or post needs more."""
_SHOWN = 20_000
"""Characters of a post's text that are kept for excerpts."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TABLES = """
CREATE TABLE found (word TEXT NOT NULL, number INTEGER NOT NULL, is_named INTEGER NOT NULL);
CREATE TABLE shown (number INTEGER PRIMARY KEY, data TEXT NOT NULL);
"""


class SearchIndex:
    """An inverted index of words; posts are numbered, 0 for the newest."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        for statement in _TABLES.strip().splitlines():
            database.execute(statement)

    def add(self, number: int, result: dict[str, Any], names: Iterable[str], texts: Iterable[str]) -> None:
        """Add a post: the data of its search result, its title and names, and its texts."""
        texts = list(texts)
        named = words("\n".join(names))
        said = words("\n".join(texts))
        rows = [(word, number, word in named) for word in sorted(named | said)]
        self._database.executemany("INSERT INTO found VALUES (?, ?, ?)", rows)
        text = " ".join(" … ".join(texts)[:_SHOWN].split())
        data = _json({**result, "text": text})
        self._database.execute("INSERT INTO shown VALUES (?, ?)", (number, data))

    def write(self, folder: Path, blogs: list[str]) -> None:
        """Write the scripts: words, results, and a list of these scripts."""
        folder.mkdir()
        firsts = [
            _write(folder / f"words-{number}.js", "words", number, shard) for number, shard in _shards(self._words())
        ]
        posts = [
            _write(folder / f"posts-{number}.js", "posts", number, shard) for number, shard in _shards(self._posts())
        ]
        count = self._database.execute("SELECT count(*) FROM shown").fetchone()[0]
        index = {
            "words": [json.loads(first) for first in firsts],
            "posts": [int(json.loads(first)) for first in posts],
            "count": count,
            "blogs": blogs,
            "longest": LONGEST,
            "rules": rules(),
        }
        (folder / "index.js").write_bytes(encoded(f"searchIndex.start({_json(index)});\n"))

    def _words(self) -> Iterator[tuple[str, str]]:
        """Yield each word with its posts: differences of their numbers in base 36, with "!" if the word is in a title
        or name."""
        current, last, parts = "", 0, list[str]()
        for word, number, is_named in self._database.execute("SELECT * FROM found ORDER BY word, number"):
            if word != current:
                if parts:
                    yield _json(current), _json(" ".join(parts))
                current, last, parts = word, 0, []
            parts.append(f"{_base36(number - last)}{'!' if is_named else ''}")
            last = number
        if parts:
            yield _json(current), _json(" ".join(parts))

    def _posts(self) -> Iterator[tuple[str, str]]:
        for number, data in self._database.execute("SELECT * FROM shown ORDER BY number"):
            yield f'"{number}"', data


def _shards(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    number, shard, size = 0, list[tuple[str, str]](), 0
    for row in rows:
        if shard and size + len(row[0]) + len(row[1]) > _SHARD:
            yield number, shard
            number, shard, size = number + 1, [], 0
        shard.append(row)
        size += len(row[0]) + len(row[1])
    if shard:
        yield number, shard


def _write(file: Path, kind: str, number: int, shard: list[tuple[str, str]]) -> str:
    """Write a script and return its first key."""
    rows = ",\n".join(f"{key}:{value}" for key, value in shard)
    file.write_bytes(encoded(f'searchIndex.take("{kind}",{number},{{\n{rows}\n}});\n'))
    return shard[0][0]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
        if not number:
            return digits
