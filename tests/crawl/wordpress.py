"""A real WordPress: the server of the lab that may lie beside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
LAB = SHARED / "lab"
INSTALLED = Path("/usr/share/wordpress")
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(not LAB.exists(), reason="the lab's servers do not lie beside the checkout"),
    pytest.mark.skipif(not INSTALLED.is_dir(), reason="WordPress is not installed (apt-get install wordpress)"),
]
_PHP = """
foreach (array("HTTP_HOST", "SERVER_NAME", "REMOTE_ADDR") as $name) { $_SERVER[$name] = "127.0.0.1"; }
$_SERVER["REQUEST_URI"] = "/"; $_SERVER["REQUEST_METHOD"] = "GET"; $_SERVER["SERVER_PROTOCOL"] = "HTTP/1.1";
require getenv("WORDPRESS") . "/wp-load.php";
wp_set_current_user(1);
"""


class WordPress:
    """The server, with a folder and ports of its own; its content is the same each time that it is begun."""

    def __init__(self, folder: Path, ports: int) -> None:
        self._folder = folder
        self._options = ["--work", str(folder), "--port-base", str(ports)]
        self.url = f"http://127.0.0.1:{ports + 1}/"

    def __enter__(self) -> Self:
        self.run("lab.py", "up", "wordpress")
        return self

    def __exit__(self, *_: object) -> None:
        self.run("lab.py", "down", "wordpress")

    @property
    def requests(self) -> int:
        """How many connections it has accepted."""
        return (self._folder / "log" / "wordpress.log").read_text("utf-8", "replace").count(" Accepted\n")

    def use_theme(self, name: str) -> None:
        self.run("lab.py", "wordpress", "--theme", name)

    def write_truth(self, folder: Path) -> None:
        self.run("truth.py", "wordpress", "--out", str(folder))

    def truth(self, folder: Path) -> dict[str, dict[str, Any]]:
        """The posts as they are now, by their addresses."""
        self.write_truth(folder)
        lines = (folder / "truth.jsonl").read_text("utf-8").splitlines()
        return {post["url"]: post for post in map(json.loads, lines)}

    def do(self, verb: str, *arguments: str) -> dict[str, Any]:
        """Change something; what the lab says of it."""
        return json.loads(self.run("lab.py", "wordpress", verb, *arguments))

    def php(self, code: str) -> str:
        """Have WordPress do what it has no word for in the lab; what it prints."""
        environment = {**os.environ, "WORDPRESS": str(self._folder / "wordpress" / "htdocs")}
        command = ["php", "-r", _PHP + code]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, env=environment)
        return done.stdout

    def export(self) -> str:
        """Its posts in its own format, WXR."""
        return self.php('require ABSPATH . "wp-admin/includes/export.php"; export_wp(array("content" => "post"));')

    def run(self, program: str, *arguments: str) -> str:
        command = [sys.executable, str(LAB / program), *arguments, *self._options]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=400).stdout
