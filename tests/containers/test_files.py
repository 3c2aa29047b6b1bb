"""The files that make containers: held against each other, and against the program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from blogcrawler import settings
from tests.containers.dockerfile import ROOT, context, stages
from tests.containers.profile import OURS, PROFILE
from tests.test_docs import parser

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
PROGRAMS = {name: service for name, service in SERVICES.items() if service.get("build")}
BUILD, IMAGE = stages()
TOOLS = re.compile(r"\b(gcc|g\+\+|build-essential|python3-dev|python3-pip|python3-venv|make|git)\b")


def seconds(given):
    return sum(int(number) * {"s": 1, "m": 60}[unit] for number, unit in re.findall(r"(\d+)([sm])", given))


# ------------------------------------------------------------------------------------------------------------ the image


def test_the_image_is_nobodys_and_has_no_tools():
    assert {stage.base for stage in (BUILD, IMAGE)} == {"debian:12-slim"}
    assert IMAGE.last("USER").text == "blogcrawler"
    assert "--uid 10001" in " ".join(step.text for step in IMAGE.all("RUN"))
    assert not any(TOOLS.search(step.text) for step in IMAGE.all("RUN"))
    assert "pip uninstall" in BUILD.all("RUN")[-1].text
    assert IMAGE.last("ENTRYPOINT").words == ["/usr/bin/tini", "--", "blogcrawler"]
    assert "tini" in IMAGE.all("RUN")[0].text
    assert "apt-get upgrade --yes" in IMAGE.all("RUN")[0].text
    assert IMAGE.last("STOPSIGNAL").text == "SIGTERM"


def test_what_is_copied_is_sent_and_nothing_else():
    sent = {str(file) for file in context()}
    for stage in (BUILD, IMAGE):
        for step in stage.all("COPY"):
            if "--from" not in step.text:
                for name in step.words[:-1]:
                    may_lack = "[" in name
                    assert may_lack or any(file == name or file.startswith(name) for file in sent), name
    assert {name.partition("/")[0] for name in sent} - {"constraints.txt"} == {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "blogcrawler",
        "docs",
    }
    assert [name for name in sent if name.startswith("docs")] == ["docs/blogcrawler.1"]
    assert not any("__pycache__" in name for name in sent)


def test_versions_may_be_given_and_are_told():
    (copied,) = (step for step in BUILD.all("COPY") if "constraints" in step.text)
    (name,) = (name for name in copied.words if "constraints" in name)
    assert fnmatch("constraints.txt", name)
    assert "!constraints.txt" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    installing = BUILD.all("RUN")[-1].text
    assert "$(test ! -f constraints.txt || echo --constraint constraints.txt)" in installing
    assert installing.index("pip freeze") < installing.index("pip uninstall")


def test_what_is_installed_there_is():
    extras = re.search(r"'\.\[(.*?)\]'", BUILD.all("RUN")[-1].text)[1].split(",")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {"metrics", "postgresql", "queue", "redis"} <= set(extras) <= set(known)


def test_health_is_asked_for_where_metrics_are():
    port = PROGRAMS["worker"]["environment"]["BLOGCRAWLER_METRICS_PORT"]
    assert f"http://127.0.0.1:{port}/healthz" in IMAGE.last("HEALTHCHECK").text


def test_the_manual_s_command_gives_the_folder_in_which_the_program_works():
    (line,) = re.findall(
        r"^ +docker run .* archive http.*$", (ROOT / "docs/containers.md").read_text("utf-8"), re.MULTILINE
    )
    assert f'-v "$PWD":{IMAGE.last("WORKDIR").words[0]} {COMPOSE["x-blogcrawler"]["image"]} archive ' in line
    assert IMAGE.last("ENTRYPOINT").text.endswith('"blogcrawler"]')


# --------------------------------------------------------------------------------------------------------- the services


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_service_runs_a_command_that_there_is_with_no_rights(name):
    service = PROGRAMS[name]
    command, *options = service["command"]
    given, unknown = parser(command).parse_known_args(options)
    assert (unknown, getattr(given, "set", [])) == ([], [])
    assert service["user"] == "10001:10001"
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["security_opt"] == ["no-new-privileges:true", f"seccomp=./{PROFILE.relative_to(ROOT)}"]
    assert service["stop_signal"] == "SIGTERM"
    known = {f"BLOGCRAWLER_{setting}" for setting in vars(settings)} | {"HOME"}
    assert set(service["environment"]) <= known | {
        f"BLOGCRAWLER_{name}_PASSWORD_FILE" for name in ("DATABASE", "REDIS")
    }


def test_secrets_are_in_files_alone():
    text = (ROOT / "compose.yaml").read_text("utf-8")
    assert set(re.findall(r"\w*PASSWORD\w*", text)) == {
        "BLOGCRAWLER_DATABASE_PASSWORD_FILE", "BLOGCRAWLER_REDIS_PASSWORD_FILE", "POSTGRES_PASSWORD_FILE",
    }  # fmt: skip
    assert not re.search(r"://[^/@\s]*:[^/@\s]+@", text)
    names = {"postgres_password", "redis_password"}
    assert COMPOSE["secrets"] == {name: {"file": f"./secrets/{name}"} for name in names}
    given = {name: set(service["secrets"]) for name, service in SERVICES.items()}
    assert given == dict.fromkeys(PROGRAMS, names) | {
        "postgres": {"postgres_password"},
        "redis": {"redis_password"},
    }
    assert "/secrets/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()


def test_each_service_is_looked_after():
    for name, service in SERVICES.items():
        assert not service["image"].endswith(":latest")
        assert ":" in service["image"]
        if name == "migrate":
            assert (service["restart"], service["healthcheck"]) == ("no", {"disable": True})
            continue
        assert service["restart"] == "unless-stopped"
        assert service.get("healthcheck", {}).get("test") or name in PROGRAMS, name
    assert seconds(SERVICES["worker"]["stop_grace_period"]) == 300
    assert "--appendonly yes --maxmemory-policy noeviction" in SERVICES["redis"]["command"][-1]
    assert COMPOSE["networks"]["backend"] == {"internal": True}
    for name in ("postgres", "redis"):
        assert SERVICES[name]["networks"] == ["backend"]
        assert "ports" not in SERVICES[name]
    for service in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_workers_can_be_many():
    worker = SERVICES["worker"]
    assert "container_name" not in worker
    assert "ports" not in worker


def test_compose_understands_the_file(tmp_path):
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode
    ):
        pytest.skip("docker compose is not installed")
    arguments = [
        "docker",
        "compose",
        "--file",
        str(ROOT / "compose.yaml"),
        "--profile",
        "*",
        "config",
        "--format",
        "json",
    ]
    told = subprocess.run(arguments, capture_output=True, text=True, check=True, env={**os.environ, "CONTACT": "me"})
    found = json.loads(told.stdout)
    assert set(found["services"]) == set(SERVICES)
    assert found["services"]["worker"]["environment"]["BLOGCRAWLER_CONTACT"] == "me"


# --------------------------------------------------------------------------------------------- settings in the image


def told_by(names, **variables):
    code = (
        "from blogcrawler import settings; from blogcrawler.configuration import given_settings as given; "
        f"s = vars(settings) | {{one.name: one.value for one in given()}}; print(*(s[name] for name in {names!r}), sep='|')"
    )
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    return done.stdout.strip().split("|")


def test_settings_come_from_variables_and_secrets_from_files(tmp_path):
    (tmp_path / "password").write_text("a/b@c\n")
    (tmp_path / "contact").write_text("me@example.org\n")
    given = {
        "BLOGCRAWLER_DATABASE_URL": "postgresql://me@db/archive",
        "BLOGCRAWLER_QUEUE_URL": "postgresql://me@db/queue",
        "BLOGCRAWLER_DATABASE_PASSWORD_FILE": str(tmp_path / "password"),
        "BLOGCRAWLER_CONTACT_FILE": str(tmp_path / "contact"),
        "BLOGCRAWLER_PAGE_LIMIT": "7",
    }
    assert told_by(["DATABASE_URL", "QUEUE_URL", "CONTACT", "PAGE_LIMIT", "RENDER"], **given) == [
        "postgresql://me:a%2Fb%40c@db/archive", "postgresql://me:a%2Fb%40c@db/queue", "me@example.org", "7", "auto",
    ]  # fmt: skip
    assert told_by(["DATABASE_URL", "QUEUE_URL"], BLOGCRAWLER_QUEUE_URL="postgresql://a:b@c/d") == [
        settings.DATABASE_URL, "postgresql://a:b@c/d",
    ]  # fmt: skip


def status(**variables):
    """How the program ends in a container with these variables: code, and what it says."""
    given = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables,
    }  # fmt: skip
    command = [sys.executable, "-m", "blogcrawler", "status"]
    done = subprocess.run(command, env=given, capture_output=True, text=True)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.returncode, done.stderr


@pytest.mark.parametrize("setting", ["DATABASE_PASSWORD", "CONTACT"])
def test_a_file_that_cannot_be_read_is_told(tmp_path, setting):
    binary, variable = tmp_path / "binary", f"BLOGCRAWLER_{setting}_FILE"
    binary.write_bytes(b"\xff\xfe")
    for file, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory"), (binary, "not text in UTF-8")):
        code, said = status(BLOGCRAWLER_DATABASE_URL="postgresql://me@h/a", **{variable: str(file)})
        assert code == 2
        assert said.startswith(f"blogcrawler: The file {file} that {variable} names cannot be read: ")
        assert why in said


@pytest.mark.parametrize("address", ["archive", "postgresql://me@h:port/a", ""])
def test_an_address_that_is_none_is_told(tmp_path, address):
    (tmp_path / "password").write_text("sekret")
    given = {"BLOGCRAWLER_DATABASE_PASSWORD_FILE": str(tmp_path / "password")}
    code, said = status(BLOGCRAWLER_DATABASE_URL=address, **given)
    assert (code, f"{address!r} is not a database URL" in said) == (2, True)
    if address:
        code, said = status(BLOGCRAWLER_QUEUE_URL=address, BLOGCRAWLER_DATABASE_URL="sqlite:///a.db", **given)
        assert (code, f"{address!r} is not the URL of a queue" in said) == (2, True)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("redis://redis:6379/0", "redis://default:a%2Fb@redis:6379/0"),
        ("rediss://me@[::1]/1?socket_timeout=3", "rediss://me:a%2Fb@[::1]/1?socket_timeout=3"),
        ("redis://:other@redis/0", "redis://:other@redis/0"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
        ("redis", "redis"),
        ("", ""),
    ],
)
def test_addresses_of_redis_get_its_password(tmp_path, address, told):
    (tmp_path / "password").write_text("a/b\n")
    given = {"BLOGCRAWLER_REDIS_PASSWORD_FILE": str(tmp_path / "password")}
    addresses = {"BLOGCRAWLER_GATE_URL": address, "BLOGCRAWLER_FRONTIER_URL": address}
    assert told_by(["GATE_URL", "FRONTIER_URL"], **given, **addresses) == [told, told]


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_each_spelling_of_an_address_gets_the_password(tmp_path, scheme):
    (tmp_path / "password").write_text("sekret")
    given = {"BLOGCRAWLER_DATABASE_PASSWORD_FILE": str(tmp_path / "password")}
    told = told_by(["DATABASE_URL"], BLOGCRAWLER_DATABASE_URL=f"{scheme}://me@h/a", **given)
    assert told == [f"{scheme}://me:sekret@h/a"]


# ----------------------------------------------------------------------------------------------- the browser's sandbox


def test_the_profile_allows_what_a_sandbox_needs_and_no_more_than_that():
    rules = json.loads(PROFILE.read_text("utf-8"))["syscalls"]
    assert [rule for rule in rules if rule.get("comment") == OURS["comment"]] == [OURS] == rules[-1:]
    unconditional = {
        name for rule in rules[:-1] if not rule.get("includes") and not rule.get("args") for name in rule["names"]
    }
    assert not unconditional & {"mount", "umount2", "unshare", "setns", "bpf", "ptrace", "keyctl", "perf_event_open"}


@pytest.mark.slow
@pytest.mark.parametrize("is_ours", [True, False])
def test_the_browser_makes_its_sandbox_under_the_profile_and_not_under_the_engines_own(tmp_path, is_ours):
    pytest.importorskip("pyseccomp", reason="pyseccomp, which filters system calls, is not installed")
    browser = shutil.which("chromium-headless-shell")
    if browser is None or os.geteuid():
        pytest.skip("this needs root, to be somebody else, and Debian's chromium-headless-shell")
    profile = json.loads(PROFILE.read_text("utf-8"))
    if not is_ours:
        profile["syscalls"].remove(OURS)
    file, home = tmp_path / "profile.json", tmp_path / "home"
    file.write_text(json.dumps(profile))
    home.mkdir()
    shutil.chown(home, "nobody")
    page = "data:text/html,<script>document.write(6 * 7)</script>"
    somebody = [
        "setpriv",
        "--reuid=nobody",
        "--regid=nogroup",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ]
    shown = [browser, "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={home}", "--dump-dom", page]
    for folder in [tmp_path, *tmp_path.parents][:4]:
        if folder != Path("/") and folder.stat().st_uid == os.geteuid() and folder != Path("/tmp"):
            folder.chmod(0o711)
    confined = [sys.executable, "-m", "tests.containers.confined", str(file), "/", *somebody, *shown]
    done = subprocess.run(
        confined, cwd=ROOT, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, timeout=60
    )
    assert ("42" in done.stdout) == is_ours, done.stderr
    if not is_ours:
        assert "No usable sandbox" in done.stderr
