CREATE TABLE blog (
    id INTEGER PRIMARY KEY,
    home TEXT NOT NULL UNIQUE,
    title TEXT,
    language TEXT,
    feed_url TEXT
);
CREATE TABLE post (
    id INTEGER PRIMARY KEY,
    blog_id INTEGER NOT NULL REFERENCES blog (id),
    url TEXT NOT NULL,
    guid TEXT,
    title TEXT,
    published TEXT,
    updated TEXT,
    language TEXT,
    content_html TEXT,
    content_text TEXT,
    comment_count INTEGER,
    fetched TEXT,
    status INTEGER,
    sha256 TEXT,
    rendered INTEGER NOT NULL,
    warc TEXT,
    generator TEXT,
    first_seen TEXT NOT NULL,
    last_changed TEXT NOT NULL,
    gone TEXT
);
CREATE TABLE author (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE post_author (
    post_id INTEGER NOT NULL REFERENCES post (id),
    position INTEGER NOT NULL,
    author_id INTEGER NOT NULL REFERENCES author (id),
    PRIMARY KEY (post_id, position)
);
CREATE TABLE tag (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
CREATE TABLE post_tag (
    post_id INTEGER NOT NULL REFERENCES post (id),
    position INTEGER NOT NULL,
    tag_id INTEGER NOT NULL REFERENCES tag (id),
    PRIMARY KEY (post_id, position)
);
CREATE TABLE comment (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL REFERENCES post (id),
    position INTEGER NOT NULL,
    comment_id TEXT,
    parent TEXT,
    parent_id INTEGER REFERENCES comment (id),
    kind TEXT NOT NULL,
    author TEXT,
    author_url TEXT,
    published TEXT,
    url TEXT,
    content_html TEXT,
    content_text TEXT
);
CREATE TABLE media (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL REFERENCES post (id),
    position INTEGER NOT NULL,
    url TEXT NOT NULL,
    path TEXT,
    sha256 TEXT,
    type TEXT,
    bytes INTEGER,
    role TEXT,
    error TEXT
);
CREATE TABLE field_source (
    post_id INTEGER NOT NULL REFERENCES post (id),
    field TEXT NOT NULL,
    source TEXT NOT NULL,
    rule TEXT,
    confidence REAL NOT NULL,
    PRIMARY KEY (post_id, field)
);
CREATE VIRTUAL TABLE post_fts USING fts5 (
    title, content_text, content = 'post', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE comment_fts USING fts5 (
    author, content_text, content = 'comment', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
