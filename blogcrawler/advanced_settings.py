"""Settings that few users need: the configuration of Scrapy, and constants.

They are set like those of `settings`, but may change in any version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler import setting_types as types

# --- Parts of the program ---------------------------------------------------------------------------------------------

# Where `scrapy crawl NAME` finds spiders.
SPIDER_MODULES = ["blogcrawler.spiders"]
# Where the program finds its commands.
COMMANDS_MODULE = "blogcrawler.commands"
# The event loop: asyncio's.
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
# These add CONTACT to USER_AGENT, and remove the parts of Scrapy that other settings turn off.
ADDONS = {"blogcrawler.downloader.useragent.ContactAddon": 0, "blogcrawler.component.UnusedPartsAddon": 0}
# The stages that each post passes, lowest number first.
ITEM_PIPELINES = {
    "blogcrawler.pipelines.render.RenderPipeline": 100,
    "blogcrawler.pipelines.content.ContentPipeline": 200,
    "blogcrawler.pipelines.comments.CommentsPipeline": 300,
    "blogcrawler.pipelines.media.MediaPipeline": 400,
    "blogcrawler.pipelines.warc.WarcPipeline": 450,
    "blogcrawler.pipelines.propagate.PropagatePipeline": 500,
}
# The middlewares between the crawl and the servers. Requests pass them by ascending numbers, responses by descending
# ones.
DOWNLOADER_MIDDLEWARES = {
    "blogcrawler.downloader.supplied_pages.KeptPageMiddleware": 5,
    "blogcrawler.downloader.guard.GuardMiddleware": 10,
    "blogcrawler.downloader.removed.RemovedPostsMiddleware": 15,
    "blogcrawler.downloader.redirects.RedirectMiddleware": 20,
    "blogcrawler.downloader.supplied_pages.DelegateMiddleware": 25,
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
# Components for the whole crawl. Pace corrects AutoThrottle, so it comes after it.
EXTENSIONS = {
    "scrapy.extensions.throttle.AutoThrottle": None,
    "blogcrawler.downloader.pace.AutoThrottle": 0,
    "blogcrawler.downloader.pace.Pace": 10,
    "blogcrawler.downloader.gate.FleetGate": 15,
    "blogcrawler.browser.Renderer": 20,
    "blogcrawler.capture.Capture": 30,
    "blogcrawler.downloader.captured.CapturedPages": 35,
    "blogcrawler.reporting.progress.Progress": 500,
    "blogcrawler.report.CrawlReport": 505,
    "blogcrawler.reporting.summary.Summary": 510,
    "blogcrawler.reporting.counts.CountsWriter": 520,
    "scrapy.extensions.logstats.LogStats": None,
}
# Holds requests until they may start.
DOWNLOADER = "blogcrawler.downloader.slots.Downloader"
# The handler of each URL scheme. Only http and https are fetched.
DOWNLOAD_HANDLERS = {
    "http": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "https": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
# Resolves host names to IPv4 and IPv6 addresses, except those that a crawl must not reach.
TWISTED_DNS_RESOLVER = "blogcrawler.downloader.resolver.GuardedResolver"
# Decides which responses are cached, and revalidates each of them with its server.
HTTPCACHE_POLICY = "blogcrawler.downloader.revalidation.RevalidationPolicy"
# Stores cached responses.
HTTPCACHE_STORAGE = "blogcrawler.downloader.http_cache.SqliteCacheStorage"
# Collects the counters of a crawl.
STATS_CLASS = "blogcrawler.reporting.stats.Stats"
# Writes the JSON Lines files of -o and -O.
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "blogcrawler.pipelines.output.JsonLines")

# --- Requests ---------------------------------------------------------------------------------------------------------

# Maximum concurrent requests to one host.
CONCURRENT_REQUESTS_PER_DOMAIN: types.PositiveCount = 4
# Keep cookies. Without them, the same page is served each time; sites that ask for consent may need them.
COOKIES_ENABLED = False
# Maximum seconds for one download.
DOWNLOAD_TIMEOUT = 60
# Name of the program in Scrapy's logs.
BOT_NAME = "blogcrawler"
# The crawler's name in robots.txt.
ROBOTSTXT_USER_AGENT = "blogcrawler"
# Seconds for which later crawls reuse a robots.txt without a request. updatecrawl uses 86400, the maximum of RFC 9309.
ROBOTSTXT_LIFETIME = 0
# Headers of every request. There is no Accept-Language, so that blogs answer in their own language. Only encodings that
# WARC readers support are accepted.
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}
# Fraction by which the delay varies at random.
DOWNLOAD_DELAY_JITTER = 0.5
# With GATE_URL: minimum seconds between two requests of all crawls to the hosts of one registered domain (such as
# blogspot.com), which may be one server.
GATE_SERVER_DELAY = 0.1
# Seconds between the first requests to a host, before its response time is known.
AUTOTHROTTLE_START_DELAY = 1.0
# Longest delay that AutoThrottle sets, in seconds.
AUTOTHROTTLE_MAX_DELAY = 60.0
# Average number of concurrent requests that AutoThrottle aims at for each host.
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
# Send conditional requests for pages that were fetched before (If-None-Match, If-Modified-Since). Their bodies are in
# http-cache.db in the folder of ARCHIVE.
HTTPCACHE_ENABLED = True

# Read pages from WARC or WACZ files, a folder of them or a web archive, instead of from the web: set by -a source=.
CAPTURES: types.Text = ""
# The first and last time of the captures that are read: set by -a from=, to= and at=.
CAPTURES_SINCE: types.Text = ""
CAPTURES_UNTIL: types.Text = ""

# --- Failures ---------------------------------------------------------------------------------------------------------

# Maximum retries after a network or server error or a truncated body. If every tenth request fails, one page in a
# hundred thousand is lost. Media files are retried once.
RETRY_TIMES = 4
# Statuses that are retried at once. 429 and 503 are retried later (BACKOFF_TIMES).
RETRY_HTTP_CODES = [500, 502, 504, 522, 524, 408]
# Maximum retries after 429 (too many requests) or 503 (unavailable), each after a longer pause.
BACKOFF_TIMES = 3
# Maximum retries of a request to a repository after a temporary error: after a second, then twice as long each time.
DEPOSIT_RETRIES = 4
# Pass responses of every status to the spider, which counts why a page could not be used.
HTTPERROR_ALLOW_ALL = True
# Maximum redirects in a row.
REDIRECT_MAX_TIMES = 5
# A page that refreshes to another URL within this many seconds is a redirect.
METAREFRESH_MAXDELAY = 10
# Maximum seconds to resolve a host name.
DNS_TIMEOUT = 15
# Log a warning for larger response bodies, in bytes; 0 logs none.
DOWNLOAD_WARNSIZE = 16 * 1024 * 1024
# Whether a body shorter than announced is an error. It is retried instead, then kept with the flag "truncated".
DOWNLOAD_FAIL_ON_DATALOSS = False

# --- Bounds -----------------------------------------------------------------------------------------------------------

# Maximum seconds of processor time to read one page, file or feed; 0 for no limit.
PAGE_TIME_LIMIT = 20.0
# Longest URL that is fetched, in characters.
URLLENGTH_LIMIT = 2083
# Maximum pages open in the browser. Each mostly waits, so this may be twice the number of cores.
RENDER_CONCURRENCY: types.PositiveCount = 4
# Fetch no further page while responses of more than this many bytes are being processed.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 3_000_000
# Serve a Python console of the running crawl over telnet.
TELNETCONSOLE_ENABLED = False
# Serve on localhost an interface that runs Python in the crawl.
REMOTE_CONTROL_ENABLED = False
# Let Scrapy warn of generators that return a value. Scrapy then reads the source of callbacks for each page.
WARN_ON_GENERATOR_RETURN_VALUE = False

# --- Output -----------------------------------------------------------------------------------------------------------

# Level of the log message when all retries of a page failed. The crawl logs separately what that means.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
# Log all counters at the end. The summary has the important ones.
STATS_DUMP = False
# Encoding of the files of -o and -O.
FEED_EXPORT_ENCODING = "utf-8"
# Also write the file of -o or -O if the crawl found no post.
FEED_STORE_EMPTY = True
