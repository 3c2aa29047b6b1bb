"""Settings of a file and of the environment, and the command that tells which hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import default_settings

from blogcrawler import advanced_settings, settings
from blogcrawler.configuration import known_settings, setting_type
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import PROGRAM, kept, run

if TYPE_CHECKING:
    from tests.crawl.running import Outcome


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands are given; the user's own configurations are beside it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "blogcrawler").mkdir(parents=True)
    here = tmp_path / "here"
    here.mkdir()
    return here


def config(folder: Path, *arguments: str) -> Outcome:
    return run(folder, [*PROGRAM, "config", *arguments])


def shown(folder: Path, name: str, *arguments: str) -> list[str]:
    """The value of a setting, and where it comes from."""
    done = config(folder, *arguments)
    assert done.code == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in done.stdout.splitlines() if "│" in line]
    return next(rest for first, *rest in rows if first == name)


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(folder, "PAGE_LIMIT") == ["0", "default"]
    (folder / "blogcrawler.toml").write_text("[limits]\nPAGE_LIMIT = 1\n")
    assert shown(folder, "PAGE_LIMIT") == ["1", "blogcrawler.toml"]
    monkeypatch.setenv("BLOGCRAWLER_PAGE_LIMIT", "2")
    assert shown(folder, "PAGE_LIMIT") == ["2", "BLOGCRAWLER_PAGE_LIMIT"]
    assert shown(folder, "PAGE_LIMIT", "-s", "PAGE_LIMIT=3") == ["3", "-s"]


def test_settings_are_shown_in_the_groups_of_the_manual(folder: Path) -> None:
    lines = config(folder, "-s", "DEPTH_LIMIT=3").stdout.splitlines()
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if "│" in line]
    manual = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    documented = re.findall(r"^## (.+)$|^\| `([A-Z_]+)` \|", manual, re.MULTILINE)
    expected = [[heading or name] for heading, name in documented]
    assert [row[:1] for row in rows] == [*expected, ["Others"], ["DEPTH_LIMIT"]]
    assert sum(row[1:] == ["", ""] for row in rows) >= 8


def test_the_file_of_the_folder_holds_in_place_of_the_user_s(folder: Path) -> None:
    own = folder.parent / "home" / "blogcrawler" / "blogcrawler.toml"
    own.write_text('CONTACT = "me@example.org"\nPAGE_LIMIT = 1\n')
    assert shown(folder, "CONTACT")[0] == "me@example.org"
    (folder / "blogcrawler.toml").write_text("PAGE_LIMIT = 4\n")
    assert shown(folder, "PAGE_LIMIT") == ["4", "blogcrawler.toml"]
    assert shown(folder, "CONTACT") == ["", "default"]


def test_passwords_are_not_shown(folder: Path) -> None:
    (folder / "blogcrawler.toml").write_text('DATABASE_URL = "postgresql://me:secret@localhost/archive"\n')
    assert "secret" not in config(folder).stdout


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("PAGE_LIMIT = many", "blogcrawler.toml"),
        ('PAGE_LIMIT = "many"', "PAGE_LIMIT (blogcrawler.toml) must be a whole number, 0 or more, not 'many'"),
        ("FEEDS = 3", "must be a table"),
        ("DATABASE_URL = 5", "must be a text"),
        ("MEDIA_TYPES = 5", "must be a list"),
        ("LOG_LEVEL = 'LOUD'", "must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL"),
        ("PAGE_LIMIT = true", "must be a whole number"),
        ("PAGE_LIMIT = 1.5", "must be a whole number"),
        ("DOWNLOAD_DELAY = -1", "must be a number of seconds, 0 or more"),
        ("MEDIA = 'perhaps'", "must be True or False"),
        ("LOG_FORMAT = 'xml'", "must be one of text, json, or a format"),
        ("RENDER = 'often'", "must be one of auto, always, never"),
        ("METRICS_PORT = 70000", "must be a whole number from 0 to 65535"),
        ("RETRY_ENABLED = 'perhaps'", "must be True or False"),
        ("DEPTH_LIMIT = 'deep'", "must be a number, not"),
        ("PAGE_LIMITS = 5", "Did you mean PAGE_LIMIT?"),
        ("[crawl]\nRENDER = 'often'", "RENDER"),
        ("\udcff", "blogcrawler.toml"),
    ],
)
def test_what_is_wrong_with_a_file(folder: Path, text: str, wrong: str) -> None:
    (folder / "blogcrawler.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = config(folder, "check")
    assert (done.code, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    assert wrong in sentence


def test_all_errors_are_reported_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "blogcrawler.toml").write_text("PAGE_LIMITS = 5\nMEDIA = 'perhaps'\nUPDATE_INTERVAL_MAX = 9\n")
    monkeypatch.setenv("BLOGCRAWLER_TIME_LIMIT", "soon")
    done = config(
        folder, "check", *(f"-s{one}" for one in ("CONCURRENT_REQUESTS=0", "RENDR=never", "RENDER_BLOCKED=x"))
    )
    assert (done.code, done.stdout) == (2, "")
    wrong = [
        "There is no setting 'PAGE_LIMITS' (blogcrawler.toml). Did you mean PAGE_LIMIT?",
        "There is no setting 'RENDR'. Did you mean RENDER?",
        "MEDIA (blogcrawler.toml) must be True or False, not 'perhaps'.",
        "TIME_LIMIT (BLOGCRAWLER_TIME_LIMIT) must be a number of seconds, 0 or more, not 'soon'.",
        "CONCURRENT_REQUESTS must be a whole number, 1 or more, not '0'.",
        "UPDATE_INTERVAL_MIN must not be more than UPDATE_INTERVAL_MAX.",
        "RENDER_BLOCKED does not know 'x'",
    ]
    assert len(done.sentences) == len(wrong) == len(done.stderr.splitlines())
    for part in wrong:
        assert any(part in sentence for sentence in done.sentences), part


@pytest.mark.parametrize(
    "command", [["status"], ["verify"], ["config"], ["crawl", "newcrawl", "-aurl=http://127.0.0.1:9/"]]
)
def test_every_command_refuses_a_value_of_another_type(folder: Path, command: list[str]) -> None:
    done = run(folder, [*PROGRAM, *command, "-s", "DOWNLOAD_DELAY=-1"])
    assert (done.code, done.stdout) == (2, "")
    assert done.sentences == [
        "blogcrawler: The setting DOWNLOAD_DELAY must be a number of seconds, 0 or more, not '-1'."
    ]


def test_each_documented_setting_has_a_type_that_its_default_fits() -> None:
    for name, default in vars(settings).items():
        if name.isupper() and not hasattr(advanced_settings, name):
            assert (known := setting_type(name)) is not None
            assert known.accepts(default), name


def test_variables_of_others_that_begin_alike_are_none_of_ours(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOGCRAWLER_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("BLOGCRAWLER_PORT", "tcp://10.0.0.1:80")
    monkeypatch.setenv("BLOGCRAWLER_REDIS_PORT_80_TCP_ADDR", "10.0.0.1")
    assert config(folder, "check").code == 0


@pytest.mark.parametrize(
    ("variable", "wrong"),
    [
        ("RENDR", "There is no setting 'RENDR' (BLOGCRAWLER_RENDR). Did you mean RENDER?"),
        ("RENDR_FILE", "There is no setting 'RENDR' (BLOGCRAWLER_RENDR_FILE). Did you mean RENDER?"),
        ("METRIC_PORT", "There is no setting 'METRIC_PORT' (BLOGCRAWLER_METRIC_PORT). Did you mean METRICS_PORT?"),
    ],
)
def test_a_variable_that_names_no_setting(
    folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, wrong: str
) -> None:
    monkeypatch.setenv(f"BLOGCRAWLER_{variable}", "90")
    done = config(folder, "check")
    assert (done.code, done.stdout, done.sentences) == (2, "", [f"blogcrawler: {wrong}"])
    assert config(folder, "check", "--allow-unknown").code == 0


def test_a_setting_with_two_values_in_a_file(folder: Path) -> None:
    (folder / "blogcrawler.toml").write_text("[one]\nPAGE_LIMIT = 5\n[two]\nPAGE_LIMIT = 6\n")
    done = config(folder, "check")
    assert (done.code, done.stdout) == (2, "")
    assert "blogcrawler.toml gives PAGE_LIMIT two different values" in done.stderr
    (folder / "blogcrawler.toml").write_text("[one]\nPAGE_LIMIT = 5\n[two]\nPAGE_LIMIT = 5\n")
    assert config(folder, "check").code == 0


def test_a_user_without_a_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/proc/1/root/none")
    assert config(folder, "check").code == 0


def test_settings_that_can_be_used(folder: Path) -> None:
    (folder / "blogcrawler.toml").write_text("PAGE_LIMIT = 5\n")
    assert config(folder, "check").stdout == "All settings are valid (blogcrawler.toml).\n"


def test_a_crawl_is_as_the_file_says(folder: Path) -> None:
    lines = ["DOWNLOAD_DELAY = 0", "MEDIA = false", "WARC = false", "PAGE_LIMIT = 8", "HARVEST_WINDOW = 0"]
    (folder / "blogcrawler.toml").write_text("\n".join([*lines, 'DATABASE_URL = "sqlite:///archive.db"']))
    with serve(Blog(make_posts(20))) as site:
        done = run(folder, [*PROGRAM, f"{site.url}/"], server=site)
    assert done.code == 0, done.stderr
    assert 0 < len(kept(folder)) < 20
    assert "limit of 8 pages" in done.stderr


def test_all_settings_of_scrapy_are_known() -> None:
    assert {name for name in dir(default_settings) if name.isupper()} <= known_settings()
