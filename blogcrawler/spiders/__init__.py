"""The spiders: each lists the steps of a kind of crawl, and yields one item a post."""
