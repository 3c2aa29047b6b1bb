"""WXR: the import format of WordPress, to put a blog online again."""
