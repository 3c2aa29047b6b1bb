"""What differs between the crawls of two revisions, in lines for people."""

from __future__ import annotations

import difflib
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from tests.benchmarks.revisions.crawls import ARCHIVE_AFTER_KILL, ARCHIVE_UNDISTURBED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.benchmarks.revisions.crawls import Crawl

EXAMPLES = 3
"""Records or requests that are shown of each difference."""
_CHARACTERS = 160
_CONTEXT = 20
_LINES = 8


def differences(old: Crawl, new: Crawl) -> list[str]:
    """What differs; nothing if the crawls are the same."""
    found = [
        f"{what}: {before!r}, now {after!r}"
        for what, before, after in (
            ("exit code", old.exit_code, new.exit_code),
            ("items", old.items, new.items),
            ("finish reason", old.finish_reason, new.finish_reason),
        )
        if before != after
    ]
    found += record_differences(old.records, new.records)
    found += request_differences(old.requests, new.requests)
    if old.log != new.log:
        found += ["log:", *_diff(old.log, new.log)]
    return found


# --------------------------------------------------------------------------------------------------------- records


def record_differences(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[str]:
    """Which records are missing or new, and which say something else, field by field; their order is left out."""
    before, after = _numbered(old), _numbered(new)
    found = _only("records only in old", before, after)
    found += _only("records only in new", after, before)
    fields: dict[str, list[tuple[str, Any, Any]]] = defaultdict(list)
    for key in before.keys() & after.keys():
        for path, one, other in changed(before[key], after[key]):
            fields[path].append((key, one, other))
    for path, changes in sorted(fields.items()):
        found.append(f"field {path}: differs in {len({key for key, *_ in changes})} of {len(after)} records")
        for key, one, other in sorted(changes, key=lambda change: change[0])[:EXAMPLES]:
            found += [f"  {key}", *_shown(one, other)]
    return found


def _numbered(records: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Records by URL, with a number at those that are not the first of their URL."""
    seen: Counter[str] = Counter()
    found = {}
    for record in records:
        url = str(record.get("url"))
        seen[url] += 1
        found[url if seen[url] == 1 else f"{url} (record {seen[url]} of it)"] = record
    return found


def changed(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The paths of leaves that differ, with both values; a list whose length differs is a leaf."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from changed(old.get(name, MISSING), new.get(name, MISSING), f"{path}.{name}" if path else name)
    elif (
        isinstance(old, list)
        and isinstance(new, list)
        and len(old) == len(new)
        and any(isinstance(x, dict) for x in old)
    ):
        for one, other in zip(old, new, strict=True):
            yield from changed(one, other, f"{path}[]")
    elif old != new or type(old) is not type(new):
        yield path, old, new


class _Missing:
    def __repr__(self) -> str:
        return "no such key"


MISSING = _Missing()


def _shown(old: Any, new: Any) -> list[str]:
    """Two values side by side, shortened to where they differ."""
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return [f"    {line}" for line in _diff(old.splitlines(), new.splitlines())]
    one, other = _text(old), _text(new)
    start = _first_difference(one, other)
    return [f"    old {_cut(one, start)}", f"    new {_cut(other, start)}"]


def _text(value: Any) -> str:
    return repr(value) if value is MISSING else json.dumps(value, ensure_ascii=False)


def _cut(text: str, start: int) -> str:
    begin = max(0, start - _CONTEXT) if len(text) > _CHARACTERS else 0
    end = begin + _CHARACTERS
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"


def _first_difference(one: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))


def _diff(old: Sequence[str], new: Sequence[str]) -> list[str]:
    lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    shown = [line if len(line) <= _CHARACTERS else f"{line[:_CHARACTERS]}…" for line in lines[:_LINES]]
    return shown + ([f"… and {len(lines) - _LINES} lines more"] if len(lines) > _LINES else [])


def _only(what: str, these: Any, others: Any) -> list[str]:
    only = [key for key in these if key not in others]
    return [f"{what}: {len(only)}", *_listed(only)] if only else []


# ----------------------------------------------------------------------------------------------- a crawl that is killed


def kill_differences(crawls: Sequence[Crawl]) -> list[str]:
    """What a crawl that was killed, and begun again, archived otherwise than one that was not; sureness left out."""
    named = {crawl.name: crawl for crawl in crawls}
    whole, killed = (named[name].records for name in (ARCHIVE_UNDISTURBED, ARCHIVE_AFTER_KILL))
    return record_differences(*([_without_confidence(record) for record in records] for records in (whole, killed)))


def _without_confidence(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what depends on the order in which pages came in, as rules get surer with each page."""
    provenance = record["provenance"]
    fields = {
        name: {key: value for key, value in field.items() if key != "confidence"}
        for name, field in provenance.get("fields", {}).items()
    }
    return {**record, "provenance": {**provenance, "fields": fields}}


# -------------------------------------------------------------------------------------------------------- requests


def request_differences(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[str]:
    """Requests that only one crawl sent, or sent more often, and from where on their order differs."""
    if old == new:
        return []
    usual = set.intersection(*({*request["headers"].items()} for request in (*old, *new)))
    before, after = ([_line(request, usual) for request in requests] for requests in (old, new))
    found = []
    for what, these, others in (("old", before, after), ("new", after, before)):
        if only := list((Counter(these) - Counter(others)).elements()):
            found += [f"requests only in {what}: {len(only)}", *_listed(only)]
    place = _first_difference(before, after)
    one, other = (lines[place] if place < len(lines) else "the end" for lines in (before, after))
    found.append(f"order of requests: differs from request {place + 1} on ({len(before)} and {len(after)} requests):")
    return [*found, f"    old {one}", f"    new {other}"]


def _line(request: dict[str, Any], usual: set[tuple[str, str]]) -> str:
    """A request, without the headers that all requests have."""
    headers = [f" [{name}: {value}]" for name, value in request["headers"].items() if (name, value) not in usual]
    body = f" {request['body']}" if request.get("body") else ""
    return f"{request['method']} {request['url']}{body}{''.join(headers)}"


def _listed(lines: Sequence[str]) -> list[str]:
    more = [f"  … and {len(lines) - EXAMPLES} more"] if len(lines) > EXAMPLES else []
    return [*(f"  {line}" for line in lines[:EXAMPLES]), *more]
