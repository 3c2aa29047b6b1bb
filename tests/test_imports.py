"""Who may know whom: the rooms of the design, and the only imports between them."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from importlib.util import resolve_name
from pathlib import Path

import networkx as nx
import pytest

PACKAGE = Path(__file__).parents[1] / "blogcrawler"
GROUND = {
    "items",
    "errors",
    "addresses",
    "dom",
    "dates",
    "similarity",
    "routes",
    "serialise",
    "urls",
    "people",
    "purposes",
    "time_limit",
    "language_model",
    "templates",
    "choices",
    "lazy",
}
MAY_KNOW = {
    "items": {"serialise"}, "errors": set(), "choices": set(), "lazy": set(), "sentences": set(), "addresses": set(), "similarity": set(), "people": {"serialise", "similarity"}, "dates": {"serialise", "errors"},
    "routes": set(), "serialise": set(), "purposes": set(), "component": set(), "urls": {"errors", "routes", "serialise"}, "time_limit": {"errors"}, "language_model": set(), "templates": {"urls"},
    "dom": {"serialise", "errors", "items", "routes", "time_limit", "urls"},
    "feeds": GROUND, "wrapper": GROUND, "frontier": GROUND,
    "backend": {"items", "errors", "addresses", "serialise", "urls", "lazy"},
    "export": GROUND | {"backend", "gaps", ""},
    "deposit": {"items", "errors", "templates", "urls", "backend", "export", ""},
    "browser": GROUND | {"component"},
    "capture": {"errors", "backend", "component", ""},
    "shared": {"errors", "addresses"},
    "sources": GROUND,
    "downloader": {"component", "purposes", "items", "errors", "urls", "browser", "backend", "capture", "shared", "sources", ""},
    "reporting": {"errors", "addresses", "component", "lazy", "sentences"},
    "comments": GROUND | {"feeds", "wrapper", "backend", "browser"},
    "file_store": {"errors", "addresses", "backend"},
    "pipelines": GROUND | {"file_store", "comments", "crawl", "deposit", "feeds", "wrapper", "frontier", "backend", "browser", "capture", "component", "downloader"},
    "reextraction": GROUND | {"wrapper", "backend", "pipelines", "crawl", "spiders"},
    "gaps": {"backend"},
    "purge": {"errors", "urls", "backend", "downloader", "export", "feeds", "report", "sources", "reporting"},
    "browse": {"serialise", "choices", "templates", "errors", "items", "urls", "dom", "wrapper", "backend", "export", "gaps", "reextraction", "status"},
    "report": GROUND | {"backend", "component", "export", "gaps", "reporting", ""},
    "crawl": GROUND
    | {"feeds", "wrapper", "frontier", "backend", "browser", "capture", "downloader", "reporting", "sources", ""},
    "shared_crawl": GROUND | {"backend", "crawl", "downloader", "shared", "wrapper", ""},
    "spiders": GROUND
    | {"crawl", "shared_crawl", "feeds", "wrapper", "frontier", "backend", "browser", "capture", "downloader", "reporting", ""},
    "demo": {"templates"},
    "monitor": {"errors", "backend", "reporting", ""},
    "queue": {"errors", "addresses", "backend", "monitor", "reporting"},
    "status": {"backend", "queue"},
    "metrics": {"serialise", "errors", "backend", "monitor", "queue", "reporting", "status"},
    "fork_server": {"monitor", "reporting", "wrapper", ""},
    "command": {"configuration", "errors", "reporting", "settings", "urls", "usage"}, "configuration": {"advanced_settings", "environment", "errors", "setting_types", "settings", "usage", ""}, "setting_types": set(), "setting_checks": {"browser", "configuration", "downloader", "errors", "file_store", "pipelines", "sentences", "setting_types", "settings", "shared", ""}, "environment": {"errors"}, "usage": {"advanced_settings", "choices", "errors", "metrics", "sentences", "settings", ""}, "settings": {"advanced_settings", "early_signals", "setting_types", ""}, "advanced_settings": {"setting_types", ""}, "early_signals": set(),
}  # fmt: skip
NO_ENGINE = GROUND | {"feeds", "wrapper", "frontier"}
ENGINE = {"scrapy", "twisted", "sqlalchemy"}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.name not in {"__main__.py", "cli.py"})


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_knows_only_the_rooms_that_it_may(path: Path) -> None:
    room = room_of(path)
    if room in {"commands", "__init__"}:
        return
    known = {(name + ".").split(".")[1] for name in imports(path) if name.split(".")[0] == "blogcrawler"}
    assert known - {room} <= MAY_KNOW[room]
    if room in NO_ENGINE:
        assert not {name.split(".")[0] for name in imports(path)} & ENGINE


def test_the_library_of_metrics_is_imported_on_request_alone() -> None:
    using = {path for path in modules() if any(name.split(".")[0] == "prometheus_client" for name in imports(path))}
    assert {room_of(path) for path in using} == {"metrics"}
    code = "import sys, blogcrawler.commands.worker; print('prometheus_client' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == "False\n"


def test_the_driver_of_queues_has_one_importer() -> None:
    using = {
        path.relative_to(PACKAGE).parent.name
        for path in modules()
        if any(name.split(".")[0] == "psycopg" for name in imports(path))
    }
    assert using == {"queue"}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def modules_known_to(name: str, path: Path, known: set[str]) -> set[str]:
    """The modules of the package that a module imports, also for types alone."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            found |= {one if (one := f"{base}.{alias.name}") in known else base for alias in node.names}
    return found & known


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    known = set(paths)
    graph = nx.DiGraph(
        (name, other) for name, path in paths.items() for other in modules_known_to(name, path, known) - {name}
    )
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_class_has_at_most_two_ancestors_of_ours(path: Path) -> None:
    name = module_name(path)
    module = importlib.import_module(name)
    for one in vars(module).values():
        if inspect.isclass(one) and one.__module__ == name:
            assert sum(above.__module__.startswith("blogcrawler") for above in one.__mro__[1:]) <= 2, one
