"""Reads a Dockerfile, as far as ours goes."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["ROOT", "Stage", "Step", "context", "stages"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """An instruction and what it is given."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """What it is given, as JSON or as words of a shell."""
        return json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)


@dataclass
class Stage:
    """What stands between one FROM and the next."""

    base: str
    name: str | None
    steps: list[Step] = field(default_factory=list)

    def last(self, name: str) -> Step:
        """The step of that name that counts."""
        return [step for step in self.steps if step.name == name][-1]

    def all(self, name: str) -> list[Step]:
        """All steps of that name."""
        return [step for step in self.steps if step.name == name]


def stages(file: Path = ROOT / "Dockerfile") -> list[Stage]:
    """All of them, in order."""
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.lstrip().startswith("#")]
    found: list[Stage] = []
    arguments: dict[str, str] = {}
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        if not line.strip():
            continue
        name, _, text = line.strip().partition(" ")
        text = text.strip()
        if name == "ARG" and not found:
            key, _, value = text.partition("=")
            arguments[key] = value
        elif name == "FROM":
            words = re.sub(r"\$\{(\w+)\}", lambda given: arguments[given[1]], text).split()
            found.append(Stage(words[0], words[2] if len(words) > 1 else None))
        else:
            found[-1].steps.append(Step(name, text))
    return found


def context() -> list[Path]:
    """The files that a build is given, without the ones that .dockerignore leaves out; relative to the repository."""
    rules = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line and line[0] != "#"]
    return [file for file in _files(rules) if _is_sent(file, rules)]


def _files(rules: list[str]) -> list[Path]:
    """Those that may be sent: where all is left out first, what no rule takes in again need not be walked through."""
    taken = {rule[1:].split("/")[0] for rule in rules if rule.startswith("!")}
    places = [place for place in ROOT.iterdir() if rules[0] != "*" or place.name in taken]
    found = [path for place in places for path in [place, *place.rglob("*")] if path.is_file()]
    return sorted(path.relative_to(ROOT) for path in found)


def _is_sent(file: Path, rules: list[str]) -> bool:
    """The last rule that fits a file, or a folder above it, counts."""
    is_sent = True
    for rule in rules:
        pattern = rule.removeprefix("!").rstrip("/")
        names = [str(file), *map(str, file.parents)]
        loose = pattern.removeprefix("**/")
        if any(fnmatch(name, pattern) and name.count("/") == pattern.count("/") for name in names) or (
            loose != pattern and any(fnmatch(part, loose) for part in file.parts)
        ):
            is_sent = rule.startswith("!")
    return is_sent
