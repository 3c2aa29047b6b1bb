"""WXR: what WordPress imports, so that a blog can be put online again."""
