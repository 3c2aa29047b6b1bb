"""Settings that few users need: how the program sets Scrapy up, and its constants.

They can be given like those of `settings`, but are no part of what blogcrawler promises to keep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.setting_types import PositiveCount

# --- Parts of the program ---------------------------------------------------------------------------------------------

# Where `scrapy crawl NAME` finds spiders.
SPIDER_MODULES = ["blogcrawler.spiders"]
# Where the program finds its commands.
COMMANDS_MODULE = "blogcrawler.commands"
# The event loop: asyncio's.
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
# Adds CONTACT to USER_AGENT, and leaves parts of Scrapy's out that other settings have off.
ADDONS = {"blogcrawler.downloader.useragent.ContactAddon": 0, "blogcrawler.component.UnusedPartsAddon": 0}
# The stages that a post passes, lowest number first.
ITEM_PIPELINES = {
    "blogcrawler.pipelines.render.RenderPipeline": 100,
    "blogcrawler.pipelines.content.ContentPipeline": 200,
    "blogcrawler.pipelines.comments.CommentsPipeline": 300,
    "blogcrawler.pipelines.media.MediaPipeline": 400,
    "blogcrawler.pipelines.warc.WarcPipeline": 450,
    "blogcrawler.pipelines.propagate.PropagatePipeline": 500,
}
# What a request passes on its way to the server, lowest number first, and its response on the way back.
DOWNLOADER_MIDDLEWARES = {
    "blogcrawler.downloader.kept.KeptPageMiddleware": 5,
    "blogcrawler.downloader.guard.GuardMiddleware": 10,
    "blogcrawler.downloader.removed.RemovedPostsMiddleware": 15,
    "blogcrawler.downloader.redirects.RedirectMiddleware": 20,
    "blogcrawler.downloader.kept.DelegateMiddleware": 25,
    "blogcrawler.downloader.render.RenderMiddleware": 30,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "blogcrawler.downloader.robots.RobotsTxtMiddleware": 100,
    "blogcrawler.downloader.patience.PatienceMiddleware": 540,
    "blogcrawler.downloader.foreign.ForeignHostsMiddleware": 555,
    "blogcrawler.downloader.backoff.BackoffMiddleware": 560,
    "blogcrawler.downloader.revalidation.RevalidationMiddleware": 585,
    "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "blogcrawler.downloader.redirects.MetaRefreshMiddleware": 580,
    "blogcrawler.downloader.exchanges.CaptureMiddleware": 593,
    "blogcrawler.downloader.truncation.TruncationMiddleware": 595,
    "blogcrawler.downloader.redirects.CookieWallMiddleware": 602,
    "blogcrawler.downloader.exchanges.RedirectCaptureMiddleware": 605,
}
# What watches the whole crawl; Pace corrects AutoThrottle and so comes after it.
EXTENSIONS = {
    "scrapy.extensions.throttle.AutoThrottle": None,
    "blogcrawler.downloader.pace.AutoThrottle": 0,
    "blogcrawler.downloader.pace.Pace": 10,
    "blogcrawler.downloader.gate.FleetGate": 15,
    "blogcrawler.browser.Renderer": 20,
    "blogcrawler.capture.Capture": 30,
    "blogcrawler.reporting.progress.Progress": 500,
    "blogcrawler.report.CrawlReport": 505,
    "blogcrawler.reporting.summary.Summary": 510,
    "blogcrawler.reporting.counts.CountsTeller": 520,
    "scrapy.extensions.logstats.LogStats": None,
}
# What keeps requests until they may begin.
DOWNLOADER = "blogcrawler.downloader.slots.Downloader"
# What fetches a URL of which scheme: the web and nothing else.
DOWNLOAD_HANDLERS = {
    "http": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "https": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
# Looks names up, IPv4 and IPv6, and leaves out addresses that a crawl must not reach.
TWISTED_DNS_RESOLVER = "blogcrawler.downloader.resolver.GuardedResolver"
# Which pages are kept, and when they count as unchanged: only when the server says so.
HTTPCACHE_POLICY = "blogcrawler.downloader.revalidation.RevalidationPolicy"
# Where and how they are kept.
HTTPCACHE_STORAGE = "blogcrawler.downloader.http_cache.SqliteCacheStorage"
# Where the counters are kept.
STATS_CLASS = "blogcrawler.reporting.stats.Stats"
# What writes files of JSON Lines, with -o and -O.
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "blogcrawler.pipelines.output.JsonLines")

# --- Requests ---------------------------------------------------------------------------------------------------------

# Requests under way at once to one host.
CONCURRENT_REQUESTS_PER_DOMAIN: PositiveCount = 4
# Whether cookies are kept: a visitor without them sees the same page each time. Sites that ask for consent may need
# them.
COOKIES_ENABLED = False
# Seconds that one download may take.
DOWNLOAD_TIMEOUT = 60
# Name of the program in Scrapy's logs.
BOT_NAME = "blogcrawler"
# The name by which robots.txt addresses the crawler.
ROBOTSTXT_USER_AGENT = "blogcrawler"
# Seconds for which a robots.txt serves later crawls unasked; updatecrawl sets 86400, the most that there is (RFC 9309).
ROBOTSTXT_LIFETIME = 0
# Sent with every request. No Accept-Language: a blog in several languages answers in its own.
# Only encodings that archives of web pages can be read back from.
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}
# Part by which the delay varies at random.
DOWNLOAD_DELAY_JITTER = 0.5
# Seconds between two requests of the whole fleet to hosts of one registered domain (blogspot.com), which may be one
# server, however many blogs it has.
GATE_SERVER_DELAY = 0.1
# Seconds between the first requests to a host, until its answering time is known.
AUTOTHROTTLE_START_DELAY = 1.0
# Seconds, the longest delay that AutoThrottle sets.
AUTOTHROTTLE_MAX_DELAY = 60.0
# Requests that a host should be answering at any time, on average.
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
# Whether what was fetched before is sent again by the server only if it has changed (If-None-Match, If-Modified-Since);
# pages are kept for that in the file http-cache.db of ARCHIVE.
HTTPCACHE_ENABLED = True

# --- Failures ---------------------------------------------------------------------------------------------------------

# Times that a request is tried again after an error of network or server, or a body that breaks off: of a server that
# fails one time in ten, one page in a hundred thousand is lost. A file of a post is tried again once, at most.
RETRY_TIMES = 4
# Statuses that are tried again at once; 429 and 503 are the back-off's.
RETRY_HTTP_CODES = [500, 502, 504, 522, 524, 408]
# Times that a request is tried again, each time later, after 429 (too many requests) or 503 (unavailable).
BACKOFF_TIMES = 3
# Times that a repository is asked again after an error that may pass: after a second, then twice as long each time.
DEPOSIT_RETRIES = 4
# Whether pages of every status reach the spider, which counts why a page could not be used.
HTTPERROR_ALLOW_ALL = True
# Redirects that are followed in a row.
REDIRECT_MAX_TIMES = 5
# Seconds: a page that refreshes itself to another address sooner than this is a redirect.
METAREFRESH_MAXDELAY = 10
# Seconds that looking a name up may take.
DNS_TIMEOUT = 15
# Bytes of a body that is worth a warning; 0 never warns.
DOWNLOAD_WARNSIZE = 16 * 1024 * 1024
# Whether a body that is shorter than announced is an error; we retry it, then keep it with the flag "truncated".
DOWNLOAD_FAIL_ON_DATALOSS = False

# --- Bounds -----------------------------------------------------------------------------------------------------------

# Seconds of processor time that reading one page, file or feed may take before it is given up; 0 for no limit.
PAGE_TIME_LIMIT = 20.0
# Characters of the longest URL that is followed.
URLLENGTH_LIMIT = 2083
# Pages that are in the browser at once; each mostly waits, so there may be twice as many as there are cores.
RENDER_CONCURRENCY: PositiveCount = 4
# Bytes of pages in work above which no further page is fetched.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 3_000_000
# A Python console over telnet into the running crawl.
TELNETCONSOLE_ENABLED = False
# A server on localhost that runs Python in the crawl.
REMOTE_CONTROL_ENABLED = False
# Whether Scrapy warns of generators that return a value, for which it reads the source of callbacks for each page.
WARN_ON_GENERATOR_RETURN_VALUE = False

# --- Output -----------------------------------------------------------------------------------------------------------

# How important it is that a page could not be fetched however often; what that means for the crawl is logged besides.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
# Whether all counters are logged at the end; the summary has those that matter.
STATS_DUMP = False
# Encoding of files that -o and -O write.
FEED_EXPORT_ENCODING = "utf-8"
# Whether -o and -O also write a file when the crawl found no post: an empty file is an answer, too.
FEED_STORE_EMPTY = True
