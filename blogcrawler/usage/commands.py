"""The usage of each command: its options, and checks of the arguments that need no settings or archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.choices import CORRECTABLE, FORMATS, SCHEMA_NAME
from blogcrawler.errors import BadArgument
from blogcrawler.metrics import PORT as METRICS_PORT
from blogcrawler.usage.suggestion import did_you_mean
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
        help="append records to FILE, or - for standard output; the file name gives the format, or -o FILE:FORMAT",
    ),
    option(
        "-O",
        "--overwrite-output",
        metavar="FILE",
        action="append",
        help="write records to FILE and replace what was in it; formats as with -o",
    ),
)
"""Files to which a crawl writes its records, in addition to the archive."""
VERBOSE = option("-v", "--verbose", action="store_true", help="list in the summary how each field was found")


def _refuse_archive(args: list[str], opts: Namespace) -> None:
    if not args:
        raise BadArgument("Name a blog, as in: blogcrawler archive http://blog.example.org/")
    if len(args) > 1 and (opts.output or opts.overwrite_output):
        raise BadArgument(
            "-o and -O work with one blog only. Archive the blogs, then run: blogcrawler export jsonl posts.jsonl"
        )
    if len(args) > 1 and opts.entries:
        raise BadArgument("--entries works with one blog only: an export has the posts of one.")
    if opts.at and not opts.source:
        raise BadArgument("--at chooses among captures; say with --from where they are.")


ARCHIVE = Usage(
    "archive",
    "Archive blogs, or update them",
    ("blogcrawler archive http://blog.example.org/", "blogcrawler http://blog.example.org/ -O posts.jsonl"),
    "[options] URL…",
    "Archives all posts of each blog. A blog that is already in the archive is updated: new and changed posts are "
    "fetched, and a first crawl that was stopped continues. Several blogs are crawled one after another. With --from, "
    "pages come from captures, and no request reaches the blog.",
    (
        option(
            "--from",
            dest="source",
            metavar="PLACE",
            help="read captures instead of the web: a WARC or WACZ file, a folder of them, or the address of a web "
            "archive",
        ),
        option("--at", metavar="TIME", help="with --from: archive the blog as of a day such as 2014-06-30"),
        option(
            "--entries",
            metavar="FILE",
            help="add the posts and comments of an export of the blog by WordPress (WXR), Blogger or Medium: a file, a "
            "ZIP package or a folder",
        ),
        *OUTPUTS,
        VERBOSE,
    ),
    _refuse_archive,
)


def _refuse_blogs(args: list[str], opts: Namespace) -> None:
    is_adding, is_finding = args[:1] == ["add"], args[:1] == ["find"]
    has_addresses = len(args) > 1 or (is_adding and opts.opml)
    if is_finding and len(args) != 2:
        raise BadArgument("Name one WARC or WACZ file, or a folder of them, as in: blogcrawler blogs find captures/")
    if args and not (args[0] in {"add", "find", "remove"} and has_addresses):
        raise BadArgument(
            "Use one of: blogcrawler blogs, blogcrawler blogs add URL, blogcrawler blogs add --opml feeds.opml, "
            "blogcrawler blogs remove URL, blogcrawler blogs find PLACE"
        )
    if opts.opml and not is_adding:
        raise BadArgument("Use --opml as in: blogcrawler blogs add --opml FILE")
    if opts.json and not is_finding:
        raise BadArgument("Use --json as in: blogcrawler blogs find PLACE --json")


BLOGS = Usage(
    "blogs",
    "List, add or remove blogs",
    ("blogcrawler blogs add http://blog.example.org/", "blogcrawler blogs find captures/"),
    "[options] [add URL… | remove URL… | find PLACE]",
    "Without arguments, lists the blogs of the archive. find lists the blogs in a collection of captures: a WARC, ARC "
    "or WACZ file, a CDX or CDXJ index, or a folder of them.",
    options=(
        option("--opml", metavar="FILE", help="add the blogs of an OPML file, as exported by a feed reader"),
        option("--json", action="store_true", help="with find: print each blog as a JSON object on a line"),
    ),
    refuse=_refuse_blogs,
)


BROWSE_HOST, BROWSE_PORT = "127.0.0.1", 8765


def _refuse_browse(_args: list[str], opts: Namespace) -> None:
    if not 0 <= opts.port <= LAST_PORT:
        raise BadArgument(f"--port must be a number from 0 to {LAST_PORT}, not {opts.port}.")


BROWSE = Usage(
    "browse",
    "Show the archive in a web browser",
    ("blogcrawler browse",),
    options=(
        option("--host", default=BROWSE_HOST, help=f"address to listen on (default: {BROWSE_HOST})"),
        option(
            "--port",
            type=int,
            default=BROWSE_PORT,
            help=f"port (default: {BROWSE_PORT}); 0 for any free port",
        ),
        option("--no-open", action="store_true", help="do not open a web browser"),
    ),
    refuse=_refuse_browse,
)


SHELLS = ("bash", "zsh", "fish")


def _refuse_completion(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1 or args[0] not in SHELLS:
        raise BadArgument(f"Name a shell ({', '.join(SHELLS)}), as in: blogcrawler completion bash")


COMPLETION = Usage(
    "completion",
    "Print the completion script for a shell",
    (
        "source <(blogcrawler completion bash)",
        "blogcrawler completion fish > ~/.config/fish/completions/blogcrawler.fish",
    ),
    "[options] bash|zsh|fish",
    refuse=_refuse_completion,
)


def _refuse_completeness(args: list[str], opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name one blog, as in: blogcrawler completeness http://blog.example.org/")
    if opts.json and opts.verify:
        raise BadArgument("--json and --verify exclude each other.")


COMPLETENESS = Usage(
    "completeness",
    "State which posts of a blog are known, archived and missing",
    (
        "blogcrawler completeness http://blog.example.org/",
        "blogcrawler completeness http://blog.example.org/ --json > completeness.json",
        "blogcrawler completeness http://blog.example.org/ --verify completeness.json",
    ),
    "[options] URL",
    "States what named the posts, which are archived, which are missing and why, the captures that they come from, the "
    "confidence of the fields, and the SHA-256 of each record. WACZ, BagIt and METS packages include the statement.",
    (
        option("--json", action="store_true", help="print the statement as JSON"),
        option("--verify", metavar="FILE", help="compare an earlier statement (JSON) with the archive"),
    ),
    _refuse_completeness,
)


def _refuse_config(args: list[str], _opts: Namespace) -> None:
    if args not in ([], ["check"]):
        raise BadArgument("Use blogcrawler config to show the settings, or blogcrawler config check to validate them.")


CONFIG = Usage(
    "config",
    "Show the settings in effect and where each comes from",
    ("blogcrawler config", "blogcrawler config check"),
    "[options] [check]",
    "Shows the value and the source of each setting. The source is the default, a blogcrawler.toml (in this folder "
    "or in the user's configuration folder), an environment variable, or -s. With check, it reports errors in them.",
    refuse=_refuse_config,
)


def _refuse_copy(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name the database to copy to, as in: blogcrawler copy postgresql://me@localhost/archive")


COPY = Usage(
    "copy",
    "Copy the archive into another database",
    ("blogcrawler copy postgresql://me@localhost/archive",),
    "[options] DATABASE",
    "Copies the whole database of DATABASE_URL into an empty SQLite or PostgreSQL database, in one transaction. "
    "Media files, WARC files and reports stay where they are.",
    refuse=_refuse_copy,
)


def _refuse_crawl(args: list[str], opts: Namespace) -> None:
    if args and "/" in args[0]:
        raise BadArgument(f"Name the spider, as in: blogcrawler crawl updatecrawl -a url={args[0]}")
    if len(args) != 1:
        raise BadArgument(
            "Name one spider, and the blog with -a, as in: blogcrawler crawl newcrawl -a url=http://blog.example.org/"
        )
    given = [argument.partition("=") for argument in opts.spargs]
    if not all(sign for _, sign, _ in given):
        raise BadArgument(f"-a takes NAME=VALUE, as in: blogcrawler crawl {args[0]} -a url=http://blog.example.org/")
    values = {name: value for name, _, value in given}
    if len(values) < len(given):
        raise BadArgument("Give each -a once. To crawl several blogs: blogcrawler archive URL URL")
    if not values.get("url"):
        for name in values.keys() - {"url"}:
            if meant := did_you_mean(name, ["url"]):
                raise BadArgument(f"{args[0]} has no argument {name!r}.{meant}")
        raise BadArgument(f"Say which blog, as in: blogcrawler crawl {args[0]} -a url=http://blog.example.org/")


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
            help="set an argument of the spider; may be repeated",
        ),
        *OUTPUTS,
        VERBOSE,
    ),
    refuse=_refuse_crawl,
)


def _refuse_demo(args: list[str], _opts: Namespace) -> None:
    if len(args) > 1:
        raise BadArgument("Name one folder at most, as in: blogcrawler demo my-folder")


DEMO = Usage(
    "demo",
    "Crawl a small example blog that is served on this machine",
    ("blogcrawler demo",),
    "[options] [FOLDER]",
    refuse=_refuse_demo,
)


REPOSITORIES = {"dspace": "collection", "invenio": "community"}
"""The part of a repository that receives posts, by kind of repository."""
_INVENIO = "as in: blogcrawler deposit invenio --url https://repository.example.org --community my-community"
_DSPACE = (
    "as in: blogcrawler deposit dspace --url https://repository.example.org/server --collection "
    "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb"
)


def _refuse_deposit(args: list[str], opts: Namespace) -> None:
    if len(args) != 1 or args[0] not in REPOSITORIES:
        raise BadArgument(f"Name the kind of repository, {_INVENIO}")
    if not opts.url:
        raise BadArgument(f"Name the repository with --url, {_INVENIO}")
    place = REPOSITORIES[args[0]]
    for other in REPOSITORIES.values():
        if other != place and getattr(opts, other):
            raise BadArgument(f"{args[0]} has no option --{other}. Use --{place}.")
    if args[0] == "dspace" and not opts.collection:
        raise BadArgument(f"Name the collection with --collection, {_DSPACE}")
    if opts.limit is not None and opts.limit < 1:
        raise BadArgument("--limit must be 1 or more.")
    if opts.publish and opts.draft:
        raise BadArgument("--publish and --draft exclude each other.")


DEPOSIT = Usage(
    "deposit",
    "Deposit the posts of the archive in a repository",
    ("blogcrawler deposit invenio --url URL",),
    "[options] invenio|dspace",
    "Deposits each post with its files as a record in InvenioRDM or DSpace (7 to 10); a changed post becomes a new "
    "version of its record. Unchanged posts cost no request. Credentials come from environment variables: "
    "INVENIO_TOKEN, or DSPACE_USER and DSPACE_PASSWORD, or DSPACE_TOKEN.",
    (
        option("--url", metavar="URL", help="URL of the repository"),
        option("--community", metavar="NAME", help="InvenioRDM only: name or ID of the community"),
        option("--collection", metavar="UUID", help="DSpace only: UUID of the collection"),
        option("--blog", metavar="URL", action="append", default=[], help="deposit only this blog; may be repeated"),
        option("--since", metavar="DATE", help="deposit only posts that are new or changed since DATE"),
        option("--limit", metavar="N", type=int, help="deposit at most N posts"),
        option("--no-media", action="store_true", help="deposit posts without their files"),
        option(
            "--publish",
            action="store_true",
            help="publish the deposited records, or submit them for review (the default)",
        ),
        option("--draft", action="store_true", help="leave the records as drafts, which only you can see"),
        option("--dry-run", action="store_true", help="list what would be deposited, without sending any request"),
    ),
    _refuse_deposit,
)


def _refuse_export(args: list[str], opts: Namespace) -> None:
    if len(args) != 2 or not all(args):
        raise BadArgument("Name a format and a file or folder, as in: blogcrawler export jsonl posts.jsonl")
    known = (*FORMATS, SCHEMA_NAME)
    if args[0] not in known and args[1] in known:
        raise BadArgument(f"Name the format before the target, as in: blogcrawler export {args[1]} {args[0]}")
    if args[0] not in known:
        meant = did_you_mean(args[0], known) or f" Formats: {', '.join(known)}."
        raise BadArgument(f"There is no format {args[0]!r}.{meant}")
    if opts.bag_info and args[0] != "bagit":
        raise BadArgument("--bag-info works with the format bagit only.")
    if opts.media_url is not None and args[0] != "wxr":
        raise BadArgument("--media-url works with the format wxr only.")


EXPORT = Usage(
    "export",
    "Export the posts of the archive",
    ("blogcrawler export jsonl posts.jsonl",),
    "[options] FORMAT TARGET",
    "Exports the posts of the archive to TARGET in one of these formats: "
    f"{', '.join(f'{name} ({summary})' for name, summary in FORMATS.items())}. TARGET is a file or a folder, "
    f"depending on the format, or - for standard output if the format is text. {SCHEMA_NAME} as FORMAT writes the "
    "JSON Schema of a record.",
    (
        option("--blog", metavar="URL", action="append", default=[], help="export only this blog; may be repeated"),
        option("--since", metavar="DATE", help="export only posts that are new or changed since DATE"),
        option(
            "--bag-info",
            metavar="LABEL=VALUE",
            action="append",
            default=[],
            help="add a line to the bag-info.txt of a bag; may be repeated",
        ),
        option(
            "--media-url",
            metavar="URL",
            help="URL where you will publish the media files that wxr writes next to its XML",
        ),
    ),
    _refuse_export,
)


GAPS = Usage(
    "gaps",
    "List posts, comments, files and fields that are missing",
    ("blogcrawler gaps http://blog.example.org/",),
    "[options] [URL…]",
    options=(option("--jsonl", action="store_true", help="print each gap as a line of JSON"),),
)


METRICS = Usage(
    "metrics",
    "Serve metrics of the archive and its queue to Prometheus",
    ("blogcrawler metrics",),
    options=(
        option("--queue", metavar="URL", help="the queue of the workers (default: QUEUE_URL)"),
        option("--host", help="address to listen on (default: METRICS_ADDRESS)"),
        option(
            "--port",
            type=int,
            help=f"port (default: METRICS_PORT or {METRICS_PORT}); 0 for any free port",
        ),
    ),
)


def _refuse_monitor(args: list[str], opts: Namespace) -> None:
    if args:
        raise BadArgument(
            "monitor takes no arguments: it crawls all blogs that are due. To add a blog: blogcrawler blogs add URL"
        )
    if opts.metrics is not None and opts.every is None:
        raise BadArgument("--metrics needs --every, as in: blogcrawler monitor --queue URL --every 900 --metrics 9466")


MONITOR = Usage(
    "monitor",
    "Crawl all blogs that are due, then exit",
    ("blogcrawler monitor", "*/15 * * * * blogcrawler monitor"),
    options=(
        option("--queue", metavar="URL", help="put the crawls into this queue, for workers"),
        option("--every", metavar="SECONDS", help="with a queue: repeat every SECONDS, until a signal comes"),
        option("--metrics", metavar="PORT", help="with --every: serve metrics to Prometheus at this port"),
    ),
    refuse=_refuse_monitor,
)


def _refuse_purge(args: list[str], opts: Namespace) -> None:
    if len(args) > 1 or not (args or opts.list):
        raise BadArgument(
            "Name one post, as in: blogcrawler purge http://blog.example.org/2014/a-post/, or list what was purged: "
            "blogcrawler purge --list"
        )
    if opts.list + opts.forget + opts.in_advance > 1 or (opts.dry_run and (opts.list or opts.forget)):
        raise BadArgument(
            "Give one of --list, --forget and --in-advance. Of these, --dry-run works only with --in-advance."
        )
    if opts.list and (opts.blog or opts.comments_by is not None):
        raise BadArgument("--list takes only a URL, or nothing; it lists posts, blogs and comments.")
    if opts.yes and opts.comments_by is None:
        raise BadArgument("--yes works only with --comments-by.")
    if opts.blog and opts.comments_by is not None:
        raise BadArgument("--blog removes all comments of the blog; leave --comments-by out.")
    if opts.comments_by is not None and not any(map(str.isalnum, opts.comments_by)):
        raise BadArgument(
            "--comments-by takes the name under which somebody commented, as in: --comments-by 'Bob Hill'"
        )


PURGE = Usage(
    "purge",
    "Remove a post or a blog permanently, and never archive it again",
    (
        "blogcrawler purge http://blog.example.org/2014/a-post/ --dry-run",
        "blogcrawler purge http://blog.example.org/2014/a-post/ --reason 'asked for by its author'",
        "blogcrawler purge http://blog.example.org/ --comments-by 'Bob Hill'",
        "blogcrawler purge http://blog.example.org/2014/a-post/ --forget --reason 'the request was withdrawn'",
    ),
    "[options] URL",
    "Removes a post, with --blog a blog, or with --comments-by the comments of a person, from the database, the files, "
    "the search, the caches and the WARC files, where they are replaced by short notes. Captures of feeds, lists and "
    "pages that quote them go as well. Later crawls leave them out, until --forget. An audit record without the text "
    "stays. A removal that was interrupted is finished by the same command.",
    (
        option("--blog", action="store_true", help="remove the whole blog at URL"),
        option("--comments-by", metavar="NAME", help="remove the comments under a name on the blog at URL"),
        option("--reason", metavar="TEXT", help="why, for the audit record"),
        option("--dry-run", action="store_true", help="list what would be removed, and change nothing"),
        option("-v", "--verbose", action="store_true", help="list each address, also of a blog or a person's comments"),
        option("--yes", action="store_true", help="remove captures, too, that have NAME but no comment under it"),
        option("--in-advance", action="store_true", help="keep crawls from archiving URL, which is not in the archive"),
        option("--forget", action="store_true", help="revoke a removal: crawls may archive URL again"),
        option("--list", action="store_true", help="list what was removed, when and why; with URL, only its removals"),
    ),
    _refuse_purge,
)


def _refuse_reextract(args: list[str], opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name one blog, as in: blogcrawler reextract http://blog.example.org/")
    for _, field, *_ in (*opts.correct, *opts.forget):
        if field not in CORRECTABLE:
            raise BadArgument(f"No field {field!r} can be corrected. Fields: {', '.join(CORRECTABLE)}.")
    if opts.keep_rules and (opts.correct or opts.forget):
        raise BadArgument("--keep-rules cannot be combined with --correct or --forget.")


REEXTRACT = Usage(
    "reextract",
    "Extract a blog's posts again from their archived pages",
    ("blogcrawler reextract http://blog.example.org/",),
    "[options] URL",
    options=(
        option(
            "--correct",
            nargs=3,
            metavar=("POST", "FIELD", "XPATH"),
            action="append",
            default=[],
            help=f"select the element that holds a field of a post ({', '.join(CORRECTABLE)}); may be repeated",
        ),
        option(
            "--forget",
            nargs=2,
            metavar=("POST", "FIELD"),
            action="append",
            default=[],
            help="undo a correction; may be repeated",
        ),
        option("--keep-rules", action="store_true", help="use the current rules; do not learn"),
    ),
    refuse=_refuse_reextract,
)


def _refuse_rules(args: list[str], _opts: Namespace) -> None:
    if len(args) != 1:
        raise BadArgument("Name one blog, as in: blogcrawler rules http://blog.example.org/")


RULES = Usage(
    "rules",
    "Show the learned rules of a blog",
    ("blogcrawler rules http://blog.example.org/",),
    "[options] URL",
    refuse=_refuse_rules,
)


STATUS = Usage(
    "status",
    "Show the state of the archive, its queue and its workers",
    ("blogcrawler status",),
    options=(
        option("--queue", metavar="URL", help="the queue of the workers (default: QUEUE_URL)"),
        option("--failed", action="store_true", help="list the blogs whose crawls fail"),
        option("--json", action="store_true", help="print the state as JSON"),
    ),
)


VERIFY = Usage(
    "verify",
    "Check the archive against its checksums and its schema",
    ("blogcrawler verify",),
    details=(
        "Reads all stored files and WARC files and compares them with their checksums, checks that the files named in "
        "records exist, and validates the records against their schema. Stops after the first kind of fault."
    ),
    options=(option("--all", action="store_true", help="report all kinds of faults"),),
)


WORKER_EXAMPLE = "Name the queue, as in: blogcrawler worker --queue postgresql://me@localhost/archive"


def _refuse_worker(args: list[str], _opts: Namespace) -> None:
    if args:
        raise BadArgument(WORKER_EXAMPLE)


WORKER = Usage(
    "worker",
    "Crawl the blogs of a queue",
    ("blogcrawler worker --queue postgresql://me@localhost/archive",),
    "[options] --queue URL",
    options=(
        option("--queue", metavar="URL", help="the queue, a PostgreSQL database (default: QUEUE_URL)"),
        option("--jobs", metavar="N", help="number of concurrent crawls (default: MONITOR_CRAWLS)"),
        option("--burst", action="store_true", help="exit when no job can begin now or soon"),
        option("--metrics", metavar="PORT", help="serve metrics to Prometheus at this port"),
        option(
            "--retry",
            metavar="BLOG",
            action="append",
            help="put a blog that was given up back into the queue, and exit",
        ),
    ),
    refuse=_refuse_worker,
)


USAGES = {
    usage.name: usage
    for usage in (
        ARCHIVE,
        BLOGS,
        BROWSE,
        COMPLETENESS,
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
"""The usage of each command, by its name."""

MEANT = {
    "add": "blogs add",
    "backup": "copy",
    "check": "verify",
    "delete": "purge",
    "download": "archive",
    "failed": "status --failed",
    "import": "blogs add --opml",
    "info": "status",
    "ls": "blogs",
    "new": "archive",
    "newcrawl": "archive",
    "queue": "status --queue",
    "remove": "purge",
    "report": "browse",
    "reports": "browse",
    "search": "browse",
    "serve": "browse",
    "update": "archive",
    "updatecrawl": "archive",
}
"""Command names that users may expect, each with ours for the same purpose."""
VALUES = {
    name: 0 if how.get("action", "append") != "append" else how.get("nargs", 1)
    for names, how in (
        *(option for usage in USAGES.values() for option in usage.options),
        *GLOBAL_OPTIONS,
        *DEVELOPER_OPTIONS,
        option("-h", "--help", action="help"),
        option("--help-all", action="help"),
    )
    for name in names
}
"""The number of values of each option, for options that come before the command."""
