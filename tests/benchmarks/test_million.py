"""Figures that are given to the reckoning of a million blogs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields

import pytest

from tests.benchmarks.million import Figures, main
from tests.containers.dockerfile import ROOT


def million(*arguments):
    command = [sys.executable, "-m", "tests.benchmarks.million", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("posts=abc", "posts must be a number from 0 on, and not 'abc'."),
        ("posts=nan", "posts must be a number from 0 on, and not 'nan'."),
        ("posts=-1", "posts must be a number from 0 on, and not '-1'."),
        ("days=0", "days must be a number above 0, and not '0'."),
        ("days", "'days' is no figure; give one as NAME=VALUE, such as posts=100."),
        ("colour=1", "There is no figure colour; there are posts, pages, "),
    ],
)
def test_what_is_no_figure_is_told(argument, said):
    done = million("media_bytes=0", argument)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(said)
    assert len(done.stderr.splitlines()) == 1


def test_the_docs_show_what_is_printed(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["million"])
    main()
    assert capsys.readouterr().out in (ROOT / "docs/million.md").read_text("utf-8")


def test_each_figure_may_be_small(capsys, monkeypatch):
    for field in fields(Figures):
        for value in ("0", "0.5"):
            monkeypatch.setattr(sys, "argv", ["million", f"{field.name}={value}"])
            try:
                main()
            except SystemExit as end:
                assert (value, "above 0" in str(end)) == ("0", True)  # noqa: PT017
            else:
                assert "new posts per day" in capsys.readouterr().out
