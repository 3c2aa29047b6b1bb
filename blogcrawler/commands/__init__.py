"""Scrapy commands, one file each; `crawl` stands in for Scrapy's own."""
