"""Every regular expression of the package takes linear time, whatever a page holds.

Attacks are made of a pattern's own parts: what stands before a repetition, what is repeated, again and again, and
something that matches nothing.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import pkgutil
import re
import re._constants as kinds  # type: ignore[import-not-found]
import re._parser as sre  # type: ignore[import-not-found]
import signal
import time
from collections import defaultdict, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import blogcrawler

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(blogcrawler.__file__).parent
#: Characters of an attack: most take none of the time that is long, so that the smaller one is not asked for.
SMALL, LARGE = 2_500, 10_000
#: Seconds, and how much longer an attack takes that is four times as long.
LONG, GROWTH = 0.02, 9
SEARCHING = {"search", "finditer", "findall", "sub", "subn", "split"}
STEPS = {"__main__", "build_"}
#: In the order in which members of a class are tried: letters, white space of any kind, signs.
SIGNS = [*"a0 \n\xa0\u3000<>\"'=-/.,;:&%é\u4e00\u0431_|([{\x01", *map(chr, range(33, 127))]


class TooLongError(Exception):
    """A match that does not end."""


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages([str(ROOT)], "blogcrawler."):
        if not any(step in found.name for step in STEPS):
            yield importlib.import_module(found.name)


def compiled(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 3:
        for part in value.values():
            yield from compiled(part, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset) and depth < 3:
        for part in value:
            yield from compiled(part, depth + 1)


def of_modules() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Patterns that modules hold, or make in functions without parameters."""
    for module in modules():
        for name, value in list(vars(module).items()):
            if inspect.isroutine(value) or hasattr(value, "cache_info"):
                inner = inspect.unwrap(value)
                is_own = getattr(inner, "__module__", "") == module.__name__
                if not is_own or "Pattern" not in str(getattr(inner, "__annotations__", {}).get("return", "")):
                    continue
                if inspect.signature(inner).parameters:
                    continue
                made = value()
            else:
                made = value
            for pattern in compiled(made):
                yield f"{module.__name__}.{name}", pattern


def of_calls() -> Iterator[tuple[str, str, re.Pattern[Any]]]:
    """Patterns that are given to `re.search` and the like as they stand."""
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            of, pattern = node.func.value, node.args[0]
            if isinstance(of, ast.Name) and of.id == "re" and isinstance(pattern, ast.Constant):
                flags = re.IGNORECASE if any("IGNORECASE" in ast.unparse(each) for each in node.args) else 0
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node.func.attr, re.compile(pattern.value, flags)


def uses() -> dict[tuple[str, str], set[str]]:
    """How patterns are used, by module and name; under "" in all modules."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file in ROOT.rglob("*.py"):
        text = file.read_text("utf-8")
        module = ".".join(("blogcrawler", *file.relative_to(ROOT).with_suffix("").parts))
        for name, method in re.findall(r"(\w+)(?:\(\))?(?:\[\w+\])?\.(\w+)(?=[(,)])", text):
            if method in SEARCHING or method in {"match", "fullmatch"}:
                found[module, name].add(method)
                found["", name].add(method)
    return found


def member(items: list[Any], *, negated: bool, text: str) -> str:
    """A character of a class, at best the one in `text`."""
    for sign in [*text, *SIGNS]:
        if any(fits(item, sign) for item in items) != negated:
            return sign
    return next((chr(argument) for kind, argument in items if kind is kinds.LITERAL), "a")


def fits(item: Any, sign: str) -> bool:
    kind, argument = item
    if kind is kinds.LITERAL:
        return chr(argument) == sign
    if kind is kinds.RANGE:
        return argument[0] <= ord(sign) <= argument[1]
    if kind is kinds.CATEGORY:
        name = str(argument).rpartition("_")[2].lower()
        is_in = {"space": sign.isspace(), "digit": sign.isdigit(), "word": sign.isalnum() or sign == "_"}[name]
        return is_in != ("_NOT_" in str(argument))
    return False


def sample(nodes: Any, wish: str = "") -> str:
    """A text that matches a parsed pattern, or nearly; classes take the character in `wish` where they have it."""
    text = ""
    for kind, argument in nodes:
        if kind is kinds.LITERAL:
            text += chr(argument)
        elif kind in (kinds.ANY, kinds.NOT_LITERAL):
            text += member([(kinds.LITERAL, argument)] if argument else [], negated=True, text=wish)
        elif kind is kinds.IN:
            negated = argument[0][0] is kinds.NEGATE
            text += member(argument[negated:], negated=negated, text=wish)
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            text += sample(argument[2], wish) * min(max(argument[0], 1), 40)
        elif kind is kinds.SUBPATTERN:
            text += sample(argument[3], wish)
        elif kind is kinds.BRANCH:
            text += sample(argument[1][0], wish)
        elif kind is kinds.ATOMIC_GROUP:
            text += sample(argument, wish)
    return text


def repeated(nodes: Any, before: str = "") -> Iterator[tuple[str, list[str]]]:
    """What stands before each repetition, and texts that it repeats."""
    for node in nodes:
        kind, argument = node
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            if argument[1] > 8:
                parts = dict.fromkeys(sample(argument[2], wish) for wish in ("", " ", "\xa0", "0", "<"))
                yield before, [part for part in parts if part]
            yield from repeated(argument[2], before)
        elif kind is kinds.SUBPATTERN:
            yield from repeated(argument[3], before)
        elif kind is kinds.ATOMIC_GROUP:
            yield from repeated(argument, before)
        elif kind is kinds.BRANCH:
            for branch in argument[1]:
                yield from repeated(branch, before)
        before += sample([node])


def attacks(pattern: re.Pattern[Any]) -> dict[str, tuple[str, str]]:
    """Beginnings, and what follows them many times."""
    parsed = sre.parse(pattern.pattern, pattern.flags)
    found = {}
    for before, parts in repeated(parsed):
        for part in parts:
            found[f"{before}\0{part}"] = before, part
            if before:
                found[f"\0{before}{part}"] = "", before + part
    whole = sample(parsed)
    if whole:
        found[f"\0{whole}"] = "", whole
    return found


def seconds(pattern: re.Pattern[Any], method: str, before: str, part: str, size: int) -> float:
    """Processor time of a match; infinite where it does not end."""
    text: Any = before + part * (size // len(part)) + "\x02"
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    signal.setitimer(signal.ITIMER_PROF, 1)
    begin = time.thread_time()
    try:
        found = getattr(pattern, method)(text)
        if method == "finditer":
            deque(found, maxlen=0)
    except TooLongError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.thread_time() - begin


def slow(pattern: re.Pattern[Any], method: str) -> str | None:
    """An attack that takes more than linear time."""
    for before, part in attacks(pattern).values():
        large = seconds(pattern, method, before, part, LARGE)
        if math.isinf(large):
            return f"{before!r} + {part!r} * n: no end"
        if large > LONG and large > GROWTH * (small := seconds(pattern, method, before, part, SMALL)):
            return f"{before!r} + {part!r} * n: {small:.4f} s, {large:.4f} s"
    return None


def abort(*_: object) -> None:
    raise TooLongError


def patterns() -> dict[tuple[str, Any, int], tuple[str, str]]:
    used = uses()
    found = {}
    for name, pattern in of_modules():
        module, _, short = name.rpartition(".")
        methods = used[module, short] or used["", short] or {"fullmatch"}
        for method in ("finditer" if each in SEARCHING else each for each in methods):
            found[method, pattern.pattern, pattern.flags] = name, pattern
    for name, method, pattern in of_calls():
        if method != "compile":
            found["finditer" if method in SEARCHING else method, pattern.pattern, pattern.flags] = name, pattern
    return found


def test_patterns_take_linear_time() -> None:
    found = patterns()
    assert len(found) > 300
    before = signal.signal(signal.SIGPROF, abort)
    try:
        told = [
            f"{name} ({key[0]}) {pattern.pattern!r:.120}: {told}"
            for key, (name, pattern) in found.items()
            if (told := slow(pattern, key[0]))
        ]
    finally:
        signal.signal(signal.SIGPROF, before)
    assert not told, "\n".join(told)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"(?:<!--.*?-->\s*)*<p", "match"), (r"\s*,", "finditer"), (r"a+b", "finditer"), (r"(?:a|a)*b", "match")],
)
def test_an_attack_is_found(pattern: str, method: str) -> None:
    before = signal.signal(signal.SIGPROF, abort)
    try:
        assert slow(re.compile(pattern, re.DOTALL), method)
    finally:
        signal.signal(signal.SIGPROF, before)
