"""The commands, each with its options and what is refused of them at first sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.choices import CORRECTABLE, FORMATS, SCHEMA_NAME
from blogcrawler.errors import BadArgument
from blogcrawler.metrics import PORT as METRICS_PORT
from blogcrawler.usage.usage import DEVELOPER_OPTIONS, GLOBAL_OPTIONS, Usage, option

if TYPE_CHECKING:
    from argparse import Namespace

LAST_PORT = 65_535


OUTPUTS = (
    option(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        help="append records to the end of FILE; - is standard output; its ending names the format, or -o FILE:FORMAT",
    ),
    option(
        "-O",
        "--overwrite-output",
        metavar="FILE",
        action="append",
        help="write records to FILE, over what was in it; formats as with -o",
    ),
)
"""Where a crawl writes records to, besides the archive."""
VERBOSE = option("-v", "--verbose", action="store_true", help="tell at the end how all was found, field by field")


def _refuse_archive(args: list[str], opts: Namespace) -> None:
    if not args:
        raise BadArgument("Name a blog, as in: archive http://blog.example.org/")
    if len(args) > 1 and (opts.output or opts.overwrite_output):
        raise BadArgument("-o and -O are for one blog; archive all, and write them by: export jsonl posts.jsonl")


ARCHIVE = Usage(
    "archive",
    "Archive blogs, or bring them up to date",
    ("blogcrawler archive http://blog.example.org/", "blogcrawler http://blog.example.org/ -O posts.jsonl"),
    "[options] URL…",
    "Archives each blog: every post of it becomes a record of the archive. A blog that is in the archive is brought up "
    "to date: what is new and changed since the last crawl; a first crawl that was stopped goes on. Several blogs are "
    "crawled one after the other.",
    (*OUTPUTS, VERBOSE),
    _refuse_archive,
)


def _refuse_blogs(args: list[str], opts: Namespace) -> None:
    is_adding = args[:1] == ["add"]
    has_addresses = len(args) > 1 or (is_adding and opts.opml)
    if args and not (args[0] in {"add", "remove"} and has_addresses):
        raise BadArgument(
            "Say what to do, as in: blogs, or: blogs add http://blog.example.org/, or: blogs add --opml feeds.opml, "
            "or: blogs remove http://blog.example.org/"
        )
    if opts.opml and not is_adding:
        raise BadArgument("Say: blogs add --opml FILE")


BLOGS = Usage(
    "blogs",
    "List the blogs of the archive, or take in others",
    ("blogcrawler blogs add http://blog.example.org/",),
    "[options] [add URL… | remove URL…]",
    options=(option("--opml", metavar="FILE", help="take in the blogs of a list that a feed reader has exported"),),
    refuse=_refuse_blogs,
)


BROWSE_HOST, BROWSE_PORT = "127.0.0.1", 8765


def _refuse_browse(_args: list[str], opts: Namespace) -> None:
    if not 0 <= opts.port <= LAST_PORT:
        raise BadArgument(f"--port takes a number from 0 to {LAST_PORT}, and not {opts.port}.")


BROWSE = Usage(
    "browse",
    "Look at the archive in the web browser",
    ("blogcrawler browse",),
    options=(
        option("--host", default=BROWSE_HOST, help=f"the address to listen on; {BROWSE_HOST} if none is given"),
        option(
            "--port",
            type=int,
            default=BROWSE_PORT,
            help=f"the port; {BROWSE_PORT} if none is given, 0 for any that is free",
        ),
        option("--no-open", action="store_true", help="open no web browser"),
    ),
    refuse=_refuse_browse,
)


SHELLS = ("bash", "zsh", "fish")


def _refuse_completion(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1 or args[0] not in SHELLS:
        raise BadArgument(f"Name a shell ({', '.join(SHELLS)}), as in: completion bash")


COMPLETION = Usage(
    "completion",
    "Write the script by which a shell completes commands and options",
    (
        "source <(blogcrawler completion bash)",
        "blogcrawler completion fish > ~/.config/fish/completions/blogcrawler.fish",
    ),
    "[options] bash|zsh|fish",
    refuse=_refuse_completion,
)


def _refuse_config(args: list[str], _opts: Namespace) -> None:
    if args not in ([], ["check"]):
        raise BadArgument(
            "Say: config, which shows the settings, or: config check, which tells what is wrong with them"
        )


CONFIG = Usage(
    "config",
    "Show which settings hold here, and where each comes from",
    ("blogcrawler config", "blogcrawler config check"),
    "[options] [check]",
    "Shows each setting with its value, and where that comes from: the default, blogcrawler.toml in this folder or in "
    "the user's folder of configurations, a variable of the environment, or -s. With check it tells what is wrong.",
    refuse=_refuse_config,
)


def _refuse_copy(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name the database to copy to, as in: copy postgresql://me@localhost/archive")


COPY = Usage(
    "copy",
    "Copy the archive into another database",
    ("blogcrawler copy postgresql://me@localhost/archive",),
    "[options] DATABASE",
    "Copies all that the database of DATABASE_URL holds into another one, SQLite's or PostgreSQL's, that holds "
    "nothing yet: all of it, or nothing. Files of posts, WARC files and reports stay where they are.",
    refuse=_refuse_copy,
)


def _refuse_crawl(args: list[str], opts: Namespace) -> None:
    if args and "/" in args[0]:
        raise BadArgument(f"Name the spider, as in: crawl updatecrawl -a url={args[0]}")
    if len(args) != 1:
        raise BadArgument("Name one spider, as in: crawl newcrawl -a url=http://blog.example.org/")
    given = [argument.partition("=") for argument in opts.spargs]
    if all(sign for _, sign, _ in given) and not {name: value for name, _, value in given}.get("url"):
        raise BadArgument(f"Say which blog, as in: crawl {args[0]} -a url=http://blog.example.org/")


CRAWL = Usage(
    "crawl",
    "Archive a blog",
    ("blogcrawler crawl newcrawl -a url=http://blog.example.org/ -O posts.jsonl",),
    "[options] SPIDER -a url=URL",
    options=(
        option(
            "-a",
            dest="spargs",
            metavar="NAME=VALUE",
            action="append",
            default=[],
            help="set an argument of the spider; may be given again",
        ),
        *OUTPUTS,
        VERBOSE,
    ),
    refuse=_refuse_crawl,
)


def _refuse_demo(args: list[str], _opts: Namespace) -> None:
    if len(args) > 1:
        raise BadArgument("Name one folder at most, as in: demo my-folder")


DEMO = Usage(
    "demo",
    "See it work: crawl a small blog that comes along, on this machine",
    ("blogcrawler demo",),
    "[options] [FOLDER]",
    refuse=_refuse_demo,
)


REPOSITORIES = {"dspace": "collection", "invenio": "community"}
"""By kind, where in a repository posts go."""
_INVENIO = "as in: deposit invenio --url https://repository.example.org --community my-community"
_DSPACE = (
    "as in: deposit dspace --url https://repository.example.org/server --collection "
    "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb"
)


def _refuse_deposit(args: list[str], opts: Namespace) -> None:
    if len(args) != 1 or args[0] not in REPOSITORIES:
        raise BadArgument(f"Name the kind of repository, {_INVENIO}")
    if not opts.url:
        raise BadArgument(f"Say which repository with --url, {_INVENIO}")
    place = REPOSITORIES[args[0]]
    for other in REPOSITORIES.values():
        if other != place and getattr(opts, other):
            raise BadArgument(f"{args[0]} has no --{other}; it has --{place}.")
    if args[0] == "dspace" and not opts.collection:
        raise BadArgument(f"Say into which collection with --collection, {_DSPACE}")
    if opts.limit is not None and opts.limit < 1:
        raise BadArgument("--limit must be a number from 1 on.")
    if opts.publish and opts.draft:
        raise BadArgument("--publish and --draft exclude each other.")


DEPOSIT = Usage(
    "deposit",
    "Deposit the posts of the archive in a repository",
    ("blogcrawler deposit invenio --url URL",),
    "[options] invenio|dspace",
    "Deposits the posts of the archive in an InvenioRDM or a DSpace (7 to 10), each as one record with its "
    "files; new ones as records, changed ones as versions of theirs. What is there already costs no request. "
    "The secret comes from the environment: INVENIO_TOKEN; DSPACE_USER and DSPACE_PASSWORD, or DSPACE_TOKEN.",
    (
        option("--url", metavar="URL", help="the repository's address"),
        option("--community", metavar="NAME", help="of InvenioRDM: the community, by its name or number"),
        option("--collection", metavar="UUID", help="of DSpace: the collection, by its number"),
        option(
            "--blog", metavar="URL", action="append", default=[], help="deposit this blog alone; may be given again"
        ),
        option("--since", metavar="DATE", help="deposit what is new or was changed since then alone"),
        option("--limit", metavar="N", type=int, help="deposit no more posts than these"),
        option("--no-media", action="store_true", help="deposit posts without their files"),
        option("--publish", action="store_true", help="publish what is deposited, or hand it in; so it is by itself"),
        option("--draft", action="store_true", help="leave drafts, which nobody else sees"),
        option("--dry-run", action="store_true", help="tell what would be deposited, and ask nobody"),
    ),
    _refuse_deposit,
)


def _refuse_export(args: list[str], opts: Namespace) -> None:
    if len(args) != 2 or not all(args):
        raise BadArgument("Name a format and a file or folder, as in: export jsonl posts.jsonl")
    if args[0] not in (*FORMATS, SCHEMA_NAME):
        raise BadArgument(f"There is no format {args[0]!r}; there are {', '.join(FORMATS)}, and {SCHEMA_NAME}.")
    if opts.bag_info and args[0] != "bagit":
        raise BadArgument("--bag-info is for the format bagit alone.")
    if opts.media_url is not None and args[0] != "wxr":
        raise BadArgument("--media-url is for the format wxr alone.")


EXPORT = Usage(
    "export",
    "Export the posts of the archive",
    ("blogcrawler export jsonl posts.jsonl",),
    "[options] FORMAT TARGET",
    "Exports the posts of the archive to TARGET, in a FORMAT: "
    f"{', '.join(f'{name} ({summary})' for name, summary in FORMATS.items())}. TARGET is a file or a folder as the "
    f"format is, or - for standard output where the format is text. {SCHEMA_NAME} instead of a format writes "
    "the JSON Schema of a record.",
    (
        option("--blog", metavar="URL", action="append", default=[], help="export this blog alone; may be given again"),
        option("--since", metavar="DATE", help="export what is new or was changed since then alone"),
        option(
            "--bag-info",
            metavar="LABEL=VALUE",
            action="append",
            default=[],
            help="what the bag-info.txt of a bag is to say; may be given again",
        ),
        option(
            "--media-url",
            metavar="URL",
            help="where the files of the posts will be online: wxr has them beside it, and names them there",
        ),
    ),
    _refuse_export,
)


GAPS = Usage(
    "gaps",
    "List what the archive lacks, and what tries again",
    ("blogcrawler gaps http://blog.example.org/",),
    "[options] [URL…]",
    options=(option("--jsonl", action="store_true", help="each gap as a line of JSON, for other programs"),),
)


METRICS = Usage(
    "metrics",
    "Tell Prometheus how the archive stands, and its queue",
    ("blogcrawler metrics",),
    options=(
        option("--queue", metavar="URL", help="the queue of the archive's workers; else QUEUE_URL"),
        option("--host", help="the address to listen on; METRICS_ADDRESS if none is given"),
        option(
            "--port",
            type=int,
            help=f"the port; METRICS_PORT or {METRICS_PORT} if none is given, 0 for any that is free",
        ),
    ),
)


def _refuse_monitor(args: list[str], opts: Namespace) -> None:
    if args:
        raise BadArgument(
            "The monitor crawls what is due, and takes no arguments; blogs are taken in by: blogs add URL"
        )
    if opts.metrics is not None and opts.every is None:
        raise BadArgument("--metrics needs --every, as in: monitor --queue URL --every 900 --metrics 9466")


MONITOR = Usage(
    "monitor",
    "Crawl the blogs that are due, and return",
    ("blogcrawler monitor", "*/15 * * * * blogcrawler monitor"),
    options=(
        option("--queue", metavar="URL", help="leave the crawls to the workers of this queue"),
        option("--every", metavar="SECONDS", help="with a queue: look again and again, until a signal comes"),
        option("--metrics", metavar="PORT", help="with --every: tell Prometheus at this port what it does"),
    ),
    refuse=_refuse_monitor,
)


def _refuse_purge(args: list[str], opts: Namespace) -> None:
    if len(args) != (0 if opts.list else 1):
        raise BadArgument("Name one post, as in: purge http://blog.example.org/2014/a-post/, or say: purge --list")
    if opts.blog and opts.comments_by is not None:
        raise BadArgument("--blog removes all comments of the blog; leave --comments-by out.")
    if opts.comments_by is not None and not any(map(str.isalnum, opts.comments_by)):
        raise BadArgument(
            "--comments-by takes the name under which somebody commented, as in: --comments-by 'Bob Hill'"
        )


PURGE = Usage(
    "purge",
    "Remove a post or a blog from the archive for good, and do not take it in again",
    (
        "blogcrawler purge http://blog.example.org/2014/a-post/ --dry-run",
        "blogcrawler purge http://blog.example.org/2014/a-post/ --reason 'asked for by its author'",
    ),
    "[options] URL",
    "Removes a post, with --blog a blog, or with --comments-by the comments of a person, from the database, the files, "
    "the search, the caches and the WARC files, in which notes take their place. Captures of feeds, lists and pages "
    "that quote them go as well. Later crawls leave them out. An audit record without the text stays. A removal that "
    "was interrupted is finished by the same command.",
    (
        option("--blog", action="store_true", help="remove the whole blog at URL"),
        option("--comments-by", metavar="NAME", help="remove the comments under a name on the blog at URL"),
        option("--reason", metavar="TEXT", help="why, for the audit record"),
        option("--dry-run", action="store_true", help="list what would be removed, and change nothing"),
        option("--list", action="store_true", help="list what was removed, and when"),
    ),
    _refuse_purge,
)


def _refuse_reextract(args: list[str], opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name one blog, as in: reextract http://blog.example.org/")
    if opts.keep_rules and (opts.correct or opts.forget):
        raise BadArgument("--keep-rules learns nothing from corrections; leave one of them out.")


REEXTRACT = Usage(
    "reextract",
    "Read a blog's posts again from their archived pages",
    ("blogcrawler reextract http://blog.example.org/",),
    "[options] URL",
    options=(
        option(
            "--correct",
            nargs=3,
            metavar=("POST", "FIELD", "XPATH"),
            action="append",
            default=[],
            help=f"the element of a post's page that has a field ({', '.join(CORRECTABLE)}); may be given again",
        ),
        option(
            "--forget",
            nargs=2,
            metavar=("POST", "FIELD"),
            action="append",
            default=[],
            help="take a correction back; may be given again",
        ),
        option("--keep-rules", action="store_true", help="use the rules as they are; learn none"),
    ),
    refuse=_refuse_reextract,
)


def _refuse_rules(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name one blog, as in: rules http://blog.example.org/")


RULES = Usage(
    "rules",
    "Show the learned rules of a blog",
    ("blogcrawler rules http://blog.example.org/",),
    "[options] URL",
    refuse=_refuse_rules,
)


STATUS = Usage(
    "status",
    "Show how the archive stands, its queue and its workers",
    ("blogcrawler status",),
    options=(
        option("--queue", metavar="URL", help="the queue of the archive's workers; else QUEUE_URL"),
        option("--failed", action="store_true", help="the blogs that were given up, or that fail"),
        option("--json", action="store_true", help="the same as JSON, for other programs"),
    ),
)


VERIFY = Usage(
    "verify",
    "Read the archive again, and compare it with its digests and its schema",
    ("blogcrawler verify",),
    details=(
        "Reads the archive's files and WARC files again and compares them with their digests, looks for what "
        "records name, and holds the records against their schema. Ends after the first class of faults that is "
        "found."
    ),
    options=(option("--all", action="store_true", help="look for all classes of faults, whatever is found"),),
)


WORKER_EXAMPLE = "Say which queue, as in: worker --queue postgresql://me@localhost/archive"


def _refuse_worker(args: list[str], _opts: Namespace) -> None:
    if args:
        raise BadArgument(WORKER_EXAMPLE)


WORKER = Usage(
    "worker",
    "Crawl the blogs of a queue",
    ("blogcrawler worker --queue postgresql://me@localhost/archive",),
    "[options] --queue URL",
    options=(
        option("--queue", metavar="URL", help="the queue: a database of PostgreSQL; else QUEUE_URL"),
        option("--jobs", metavar="N", help="crawls under way at once; MONITOR_CRAWLS if not given"),
        option("--burst", action="store_true", help="return when no job could begin now or soon"),
        option("--metrics", metavar="PORT", help="tell Prometheus at this port what it does"),
        option("--retry", metavar="BLOG", action="append", help="crawl nothing, but put back a blog that was given up"),
    ),
    refuse=_refuse_worker,
)


USAGES = {
    usage.name: usage
    for usage in (
        ARCHIVE,
        BLOGS,
        BROWSE,
        COMPLETION,
        CONFIG,
        COPY,
        CRAWL,
        DEMO,
        DEPOSIT,
        EXPORT,
        GAPS,
        METRICS,
        MONITOR,
        PURGE,
        REEXTRACT,
        RULES,
        STATUS,
        VERIFY,
        WORKER,
    )
}
"""All of them, by name."""

NAMES_WITH_VALUE = frozenset(
    name
    for names, how in (*GLOBAL_OPTIONS, *DEVELOPER_OPTIONS, *OUTPUTS, *CRAWL.options)
    if "metavar" in how
    for name in names
)
"""Of options that may stand before a command, or a blog: the argument after them is their value."""
