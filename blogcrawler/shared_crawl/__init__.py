"""Several processes crawl one blog: the crawl decides which pages are fetched; workers fetch and parse them."""
