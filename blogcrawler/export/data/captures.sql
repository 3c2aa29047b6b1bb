PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE capture (
  key TEXT NOT NULL, second INTEGER NOT NULL, url TEXT NOT NULL, mime TEXT NOT NULL, status TEXT NOT NULL,
  digest TEXT NOT NULL, length INTEGER NOT NULL, place INTEGER NOT NULL, file TEXT NOT NULL,
  earlier_key TEXT NOT NULL, earlier_second INTEGER NOT NULL
);
