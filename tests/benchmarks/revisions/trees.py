"""Copies of the package as it is in a revision or a folder, each named by a hash of what is in it."""

from __future__ import annotations

import atexit
import hashlib
import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.crawl.copies import Copy, copied

PACKAGE = "blogcrawler"
_HASH_DIGITS = 16


_STARTING = threading.Lock()


class NoSuchTree(Exception):
    """What was given is neither a revision nor a folder with the package."""


@dataclass(frozen=True)
class Tree:
    """A copy of the package; `folder` goes first on the path of programs that are to run it."""

    #: the revision or folder, as the user wrote it
    given: str
    folder: Path
    #: the same for the same files
    content: str

    def start(self, arguments: list[str], folder: Path, variables: dict[str, str], files: list[int]) -> Copy:
        """Run the program in a folder, with more variables of its environment, and these standard files."""
        with _STARTING:
            return copied(_preloaded(self), arguments, folder, self.environment() | variables, files)

    def environment(self) -> dict[str, str]:
        """Variables with which Python imports the package from here, and computes the same each time."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.lower().endswith("_proxy") and not name.startswith(("SCRAPY", "PYTHON"))
        }
        return inherited | {
            "PYTHONPATH": str(self.folder),
            "PYTHONPYCACHEPREFIX": str(self.folder.parent / "bytecode"),
            "PYTHONHASHSEED": "0",
            "PYTHONIOENCODING": "utf-8",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "TZ": "UTC",
        }


def copy_tree(given: str, trees: Path) -> Tree:
    """Copy the package from a folder or a git revision below `trees`.

    Raises NoSuchTree where there is none, or where Python would import the package from elsewhere.
    """
    trees.mkdir(parents=True, exist_ok=True)
    holder = Path(tempfile.mkdtemp(dir=trees))
    try:
        package = holder / PACKAGE
        if (Path(given) / PACKAGE / "__init__.py").is_file():
            shutil.copytree(Path(given) / PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            _extract(given, holder)
        content = _hash(package)
        folder = trees / content
        with suppress(OSError):  # it is there already
            holder.rename(folder)
    finally:
        shutil.rmtree(holder, ignore_errors=True)
    tree = Tree(given, folder.resolve(), content)
    _check(tree)
    return tree


def _extract(revision: str, target: Path) -> None:
    command = ["git", "archive", "--format=tar", revision, PACKAGE]
    here = Path(__file__).parents[3]
    archive = subprocess.run(command, cwd=here, capture_output=True, check=False)
    if archive.returncode:
        reason = archive.stderr.decode(errors="replace").strip()
        raise NoSuchTree(f"{revision} is neither a folder with {PACKAGE}/ nor a revision ({reason})")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(target, filter="data")


def _hash(package: Path) -> str:
    found = hashlib.sha256()
    for file in sorted(file for file in package.rglob("*") if file.is_file()):
        found.update(f"{file.relative_to(package)}\0".encode())
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:_HASH_DIGITS]


def _check(tree: Tree) -> None:
    command = [sys.executable, "-c", f"import {PACKAGE}; print({PACKAGE}.__file__)"]
    imported = subprocess.run(
        command, cwd=tree.folder, env=tree.environment(), capture_output=True, text=True, check=False
    )
    if not imported.stdout.startswith(str(tree.folder)):
        reason = imported.stdout.strip() or imported.stderr.strip()[-500:]
        raise NoSuchTree(f"{PACKAGE} of {tree.given} cannot be imported from {tree.folder}: {reason}")


@cache
def _preloaded(tree: Tree) -> socket.socket:
    """Leads to the process of which the runs of a copy of the package are copies (preloaded.py)."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, str(Path(__file__).with_name("preloaded.py")), str(theirs.fileno()), PACKAGE]
        process = subprocess.Popen(
            command,
            cwd=tree.folder,
            env=tree.environment(),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(process.wait, 10)
    atexit.register(ours.close)
    return ours
