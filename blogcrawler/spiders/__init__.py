"""The spiders: they join feeds, wrapper and frontier, and yield one item a post."""
