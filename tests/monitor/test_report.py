"""What monitors and workers tell of their crawls, where nobody is there any more to read it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from blogcrawler.monitor import forking

if TYPE_CHECKING:
    from pathlib import Path

TELLING = """
from pathlib import Path
from blogcrawler.monitor import Report
report = Report(is_shown=True)
for _ in range(2):
    report.stopped("http://blog.example.org/")
    report.failed("The crawl of http://blog.example.org/ ended.")
Path("went_on").touch()
"""


def test_work_goes_on_where_nobody_reads_what_is_told(tmp_path: Path) -> None:
    """As when the terminal is closed, or the program ends that its output goes to."""
    read, written = os.pipe()
    os.close(read)
    code = subprocess.call(
        [sys.executable, "-c", TELLING], stdout=written, stderr=written, cwd=tmp_path, env=forking.environment()
    )
    os.close(written)
    assert (code, (tmp_path / "went_on").exists()) == (0, True)
