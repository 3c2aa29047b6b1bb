"""The services of compose.yaml as processes of this machine, by their own commands and environment."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from blogcrawler.backend import Archive
from blogcrawler.queue import open_jobs
from tests.backend.conftest import postgresql_server, postgresql_url
from tests.containers.dockerfile import ROOT
from tests.containers.test_files import PROGRAMS, SERVICES
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import environment
from tests.crawl.test_errors import closed_port
from tests.crawl.test_monitor import waits_for
from tests.metrics.scraping import Scrape, health

__all__ = ["postgresql_server", "postgresql_url"]

pytestmark = pytest.mark.slow

BLOGS = 4
POSTS = 5
#: of Scrapy and ours, for loopback; the rest is as the file has it
FAST = {
    "AUTOTHROTTLE_ENABLED": "False", "DOWNLOAD_DELAY": "0", "GATE_SERVER_DELAY": "0.01", "HTTPPROXY_ENABLED": "False",
}  # fmt: skip


class Machine:
    """One on which the services run; each has what it writes in a file of its own."""

    def __init__(self, folder, postgresql, redis_port, redis_password):
        self.folder, self.redis_port, self.redis_password = folder, redis_port, redis_password
        self.archive = folder / "archive"
        self.archive.mkdir()
        parts = urlsplit(postgresql)
        self.password = folder / "postgres_password"
        self.password.write_text(f"{parts.password}\n")
        self.address = f"postgresql://{parts.username}@{parts.hostname}:{parts.port}{parts.path}"
        self.url = postgresql

    def variables(self, name, port):
        """The environment of a service, with addresses of this machine for those of other services."""
        given = dict(PROGRAMS[name]["environment"])
        assert (
            given["BLOGCRAWLER_DATABASE_URL"]
            == given["BLOGCRAWLER_QUEUE_URL"]
            == "postgresql://blogcrawler@postgres/archive"
        )
        given |= {
            "BLOGCRAWLER_DATABASE_URL": self.address,
            "BLOGCRAWLER_QUEUE_URL": self.address,
            "BLOGCRAWLER_GATE_URL": given["BLOGCRAWLER_GATE_URL"].replace("redis:6379", f"127.0.0.1:{self.redis_port}"),
            "BLOGCRAWLER_DATABASE_PASSWORD_FILE": str(self.password),
            "BLOGCRAWLER_REDIS_PASSWORD_FILE": str(self.redis_password),
            "BLOGCRAWLER_ARCHIVE": str(self.archive),
            "BLOGCRAWLER_METRICS_PORT": str(port),
            "BLOGCRAWLER_METRICS_ADDRESS": "127.0.0.1",
            "BLOGCRAWLER_CONTACT": "",
            "HOME": str(self.folder),
        }
        fast = {f"BLOGCRAWLER_{key}": value for key, value in FAST.items()}
        return environment() | fast | given | {"PYTHONPATH": str(ROOT)}

    def command(self, name, *other):
        """The command of a service, or another one in its container."""
        return [sys.executable, "-m", "blogcrawler", *(other or PROGRAMS[name]["command"])]

    def run(self, name, *other):
        """What a service, or another command in its container, prints."""
        done = subprocess.run(
            self.command(name, *other), env=self.variables(name, 0), cwd=self.archive, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    @contextmanager
    def running(self, name, label=None):
        """A service until it is stopped, in the time that it is given; its address."""
        port, file = closed_port(), self.folder / f"{label or name}.txt"
        with file.open("w") as written:
            process = subprocess.Popen(
                self.command(name), env=self.variables(name, port), cwd=self.archive, stdout=written, stderr=written
            )
        try:
            yield f"http://127.0.0.1:{port}/"
            process.send_signal(getattr(signal, PROGRAMS[name]["stop_signal"]))
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
        said = file.read_text().splitlines()
        assert name == "metrics" or all(
            line.startswith("Stopping after ") for line in said
        )  # the signal is acknowledged


@contextmanager
def redis(folder):
    """As the file starts it, at a port of ours; the port, and the file with its password."""
    if shutil.which("redis-server") is None:
        pytest.skip("Redis is not installed (apt-get install redis-server)")
    port, password = closed_port(), folder / "redis_password"
    password.write_text(f"{secrets.token_hex(24)}\n")

    def here(script):
        """A script of the service, as engines give it to its shell, with places of this machine."""
        script = script.replace("$$", "$").replace("/run/secrets/redis_password", str(password))
        server = f"redis-server - --port {port} --bind 127.0.0.1 --dir '{folder}'"
        return script.replace("docker-entrypoint.sh redis-server -", server).replace(
            "redis-cli", f"redis-cli -p {port}"
        )

    *shell, script = SERVICES["redis"]["command"]
    process = subprocess.Popen([*shell, here(script)], stdout=subprocess.DEVNULL)
    try:
        check = ["sh", "-c", here(SERVICES["redis"]["healthcheck"]["test"][1])]
        waits_for(lambda: subprocess.run(check).returncode == 0, most_s=20)
        ask = ["redis-cli", "-p", str(port), "config", "get", "maxmemory-policy"]
        assert "NOAUTH" in subprocess.run(ask, capture_output=True, text=True).stdout
        known = {**os.environ, "REDISCLI_AUTH": password.read_text().strip()}
        told = subprocess.run(ask, capture_output=True, text=True, env=known).stdout
        assert told.split() == ["maxmemory-policy", "noeviction"]
        yield port, password
    finally:
        process.terminate()
        process.wait()


def is_well(address):
    with suppress(OSError):
        return health(address) == 200
    return False


def test_blogs_that_are_taken_in_are_crawled_to_the_end(tmp_path, postgresql_url):
    found = [Blog(make_posts(POSTS, seed=number), folder=f"/blog{number}") for number in range(BLOGS)]
    with redis(tmp_path) as (port, redis_password), serve() as site, ExitStack() as stack:
        site.reset(*found)
        machine = Machine(tmp_path, postgresql_url, port, redis_password)
        machine.run("migrate")
        machine.run("monitor", "blogs", "add", *(f"{site.url}{blog.folder}/" for blog in found))
        metrics, monitor, ann, bo = (
            stack.enter_context(machine.running(name, label))
            for name, label in (("metrics", None), ("monitor", None), ("worker", "ann"), ("worker", "bo"))
        )
        for address in (metrics, monitor, ann, bo):
            waits_for(lambda address=address: is_well(address))
        with Archive.open(postgresql_url) as archive:
            waits_for(lambda: sum(blog.crawl_complete for blog in archive.blogs()) == BLOGS)
            with open_jobs(postgresql_url) as jobs:
                waits_for(lambda: jobs.depths().running == jobs.depths().waiting == 0)
            urls = {record.url for blog in archive.blogs() for record in archive.records(blog.home)}
        assert urls == {url for blog in found for url in blog.urls(site.url)}
        told = Scrape(metrics)
        assert told.value("blogcrawler_up") == 1
        assert told.value("blogcrawler_posts") == BLOGS * POSTS
        assert told.by("blogcrawler_workers", "state") == {"living": 2}
        ended = [
            Scrape(address).value("blogcrawler_worker_crawls_ended_total", outcome="done") for address in (ann, bo)
        ]
        assert sum(ended) == BLOGS
        assert Scrape(monitor).value("blogcrawler_monitor_jobs_total") == BLOGS
        told = json.loads(machine.run("monitor", "status", "--json"))
        assert (told["blogs"]["in_archive"], told["blogs"]["posts"], len(told["workers"])) == (BLOGS, BLOGS * POSTS, 2)
        lines = " ".join(file.read_text() for file in tmp_path.glob("archive/logs/*.log"))
        for file in (machine.password, redis_password):
            assert file.read_text().strip() not in lines
            assert file.read_text().strip() not in _commands()
    assert list((tmp_path / "archive/warc").glob("**/*.warc.gz"))


def _commands():
    """All that is seen of processes by others."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return "\n".join(found)
