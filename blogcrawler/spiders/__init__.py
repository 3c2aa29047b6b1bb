"""The spiders: each defines the steps of a kind of crawl, and yields one item per post."""
