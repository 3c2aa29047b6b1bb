PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  blog INTEGER NOT NULL,
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  published TEXT NOT NULL,
  month TEXT NOT NULL,
  language TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  comments INTEGER NOT NULL,
  changed TEXT NOT NULL,
  moment TEXT NOT NULL,
  place INTEGER,
  number INTEGER
);
CREATE TABLE address (key TEXT PRIMARY KEY, post INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE anchor (post INTEGER, fragment TEXT, anchor TEXT NOT NULL, PRIMARY KEY (post, fragment)) WITHOUT ROWID;
CREATE TABLE name (
  kind TEXT NOT NULL,
  blog INTEGER NOT NULL,
  folded TEXT NOT NULL,
  post INTEGER NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (kind, post, folded)
);
