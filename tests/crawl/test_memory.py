"""Where memory runs out, a crawl says so, and goes on later."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, environment

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="limits address space")
@pytest.mark.parametrize("megabytes", [250, 350, 450])
def test_too_little_memory(tmp_path, megabytes):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    with serve(Blog(make_posts(6))) as site:
        done = subprocess.run(
            command(f"{site.url}/"), cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=90,
            preexec_fn=limit, check=False,
        )  # fmt: skip
    assert done.returncode == 75, done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("blogcrawler: There is not enough memory")
