"""One file a field of a post: what its target is, how nodes score against it, and how the learned rules are applied."""
