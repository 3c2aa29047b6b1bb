"""What shells complete, and the manual page."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from blogcrawler import __version__
from blogcrawler.usage.completion import completion, manual_page
from tests.crawl.running import PROGRAM, run
from tests.manual_page import PAGE

if TYPE_CHECKING:
    from pathlib import Path

COMPLETED = {
    "exp": {"export"},
    "export js": {"jsonl", "jsonld"},
    "crawl upd": {"updatecrawl"},
    "verify --al": {"--all", "--allow-unknown"},
    "archive -s DOWNLOAD_D": {"DOWNLOAD_DELAY="},
    "crawl newcrawl --set RENDER_B": {"RENDER_BROWSER=", "RENDER_BLOCKED="},
    "crawl updatecrawl -a si": {"since="},
    "verify --log-format j": {"json"},
    "verify -L W": {"WARNING"},
    "-s RENDER=never exp": {"export"},
    "--nolog --set RENDER=never export js": {"jsonl", "jsonld"},
    "-s RENDER=never export jsonl exp": {"exports"},
    "-s RENDER=never --nolog config che": {"check"},
    "--log-form": {"--log-format"},
    "--log-format j": {"json"},
    "exports": set(),
    "config exp": set(),
    "config che": {"check"},
    "verify exp": set(),
    "export jsonl exp": {"exports"},
    "demo exp": {"exports"},
    "archive -O exp": {"exports"},
    "blogs add --opml exp": {"exports"},
    "status --logfile exp": {"exports"},
}
"""What is typed, and what it may become in a folder with a file `exports`."""
#: functions of zsh's completion system, which need an editor of lines; what they are given is printed
ZSH = """
compdef() { }
_files() { print -rl -- *(N) }
_describe() { print -rl -- "${(@P)2%%:*}" }
compadd() { while [[ "$1" != -- ]]; do shift; done; shift; print -rl -- "$@" }
"""


def told_by(shell: str, script: Path, typed: str) -> set[str]:
    """What a shell offers."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    words = ["blogcrawler", *typed.split()]
    ask = {
        "bash": f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _blogcrawler; "
        'printf "%s\\n" "${COMPREPLY[@]}"',
        "zsh": f"{ZSH}; source {script}; words=({' '.join(words)}); CURRENT={len(words)}; _blogcrawler",
        "fish": f"source {script}; complete -C '{' '.join(words)}'",
    }[shell]
    done = subprocess.run([shell, "-c", ask], cwd=script.parent, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {word for line in done.stdout.splitlines() if (word := line.split("\t")[0]).startswith(words[-1])}


@pytest.mark.parametrize("typed", COMPLETED)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_commands_options_and_formats_are_completed(tmp_path: Path, shell: str, typed: str) -> None:
    script = tmp_path / f"blogcrawler.{shell}"
    script.write_text(completion(shell))
    (tmp_path / "exports").touch()
    assert told_by(shell, script, typed) == COMPLETED[typed]


def test_zsh_reads_its_script(tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not here")
    script = tmp_path / "blogcrawler.zsh"
    script.write_text(completion("zsh"))
    ask = f"autoload -U compinit; compinit -u -d {tmp_path}/dump; source {script}; print ${{_comps[blogcrawler]}}"
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("_blogcrawler\n", "")


def test_the_command_writes_the_script(tmp_path: Path) -> None:
    assert run(tmp_path, [*PROGRAM, "completion", "bash"]).stdout == completion("bash")
    assert run(tmp_path, [*PROGRAM, "completion", "tcsh"]).code == 2


def test_the_manual_page_is_that_of_the_commands() -> None:
    assert PAGE.read_text("utf-8") == manual_page(__version__), "write it anew: python -m tests.manual_page"


def test_the_manual_page_is_roff() -> None:
    if shutil.which("groff") is None:
        pytest.skip("groff is not here")
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(PAGE)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "blogcrawler archive http://blog.example.org/" in done.stdout
