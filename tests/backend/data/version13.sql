BEGIN TRANSACTION;
CREATE TABLE blog (
	id INTEGER NOT NULL, 
	home TEXT NOT NULL, 
	title TEXT, 
	language TEXT, 
	feed_url TEXT, 
	feed_etag TEXT, 
	feed_last_modified TEXT, 
	wrapper JSON, 
	crawl_state JSON, 
	crawl_kind TEXT, 
	crawl_started VARCHAR(32), 
	crawl_finished VARCHAR(32), 
	crawl_complete BOOLEAN NOT NULL, 
	crawl_reason TEXT, 
	due VARCHAR(32), 
	failures INTEGER DEFAULT '0' NOT NULL, 
	is_followed BOOLEAN DEFAULT 1 NOT NULL, 
	CONSTRAINT pk_blog PRIMARY KEY (id), 
	CONSTRAINT uq_blog_home UNIQUE (home)
);
INSERT INTO "blog" VALUES(1,'http://example.org/',NULL,NULL,'http://example.org/feed','"x"',NULL,NULL,NULL,'newcrawl','2026-11-21T12:00:00+00:00','2026-11-21T12:00:00+00:00',1,'finished',NULL,0,1);
CREATE TABLE blog_address (
	"key" TEXT NOT NULL, 
	blog_id INTEGER NOT NULL, 
	CONSTRAINT pk_blog_address PRIMARY KEY ("key"), 
	CONSTRAINT fk_blog_address_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE claim (
	"key" TEXT NOT NULL, 
	who TEXT NOT NULL, 
	since VARCHAR(32) NOT NULL, 
	until VARCHAR(32) NOT NULL, 
	is_monitored BOOLEAN NOT NULL, 
	CONSTRAINT pk_claim PRIMARY KEY ("key")
);
CREATE TABLE comment_page (
	blog_id INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	told JSON NOT NULL, 
	body BLOB NOT NULL, 
	content_type TEXT, 
	status INTEGER NOT NULL, 
	fetched TEXT, 
	is_rendered BOOLEAN NOT NULL, 
	CONSTRAINT pk_comment_page PRIMARY KEY (blog_id, url), 
	CONSTRAINT fk_comment_page_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
INSERT INTO "comment_page" VALUES(1,'http://ann.example.org/c',0,'{}',X'789CB329B0735428484C4FD5B3D12FB003001FA10430','text/html',200,NULL,0);
CREATE TABLE corrected_field (
	blog_id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	field VARCHAR(16) NOT NULL, 
	path TEXT NOT NULL, 
	words TEXT, 
	moment VARCHAR(32) NOT NULL, 
	url TEXT NOT NULL, 
	entry JSON NOT NULL, 
	body BLOB NOT NULL, 
	content_type TEXT, 
	status INTEGER NOT NULL, 
	fetched TEXT, 
	is_rendered BOOLEAN NOT NULL, 
	CONSTRAINT pk_corrected_field PRIMARY KEY (blog_id, "key", field), 
	CONSTRAINT fk_corrected_field_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE deposited (
	post_id INTEGER NOT NULL, 
	repository TEXT NOT NULL, 
	marker TEXT NOT NULL, 
	stage VARCHAR(16) NOT NULL, 
	draft_id TEXT, 
	record_id TEXT, 
	sha256 TEXT, 
	page TEXT, 
	changed VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_deposited PRIMARY KEY (post_id, repository), 
	CONSTRAINT fk_deposited_post_id_post FOREIGN KEY(post_id) REFERENCES post (id) ON DELETE CASCADE
);
CREATE TABLE failure (
	blog_id INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	last_failed VARCHAR(32) NOT NULL, 
	is_temporary BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_failure PRIMARY KEY (blog_id, url), 
	CONSTRAINT fk_failure_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
INSERT INTO "failure" VALUES(1,'http://example.org/gone','404 Not Found','2026-11-21T12:00:00+00:00',0);
CREATE TABLE frontier_url (
	blog_id INTEGER NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	is_post BOOLEAN NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	depth INTEGER NOT NULL, 
	found_on TEXT, 
	bonus DOUBLE NOT NULL, 
	marks TEXT NOT NULL, 
	hints TEXT NOT NULL, 
	was_post BOOLEAN, 
	post_links INTEGER, 
	new_posts INTEGER, 
	reason TEXT, 
	CONSTRAINT pk_frontier_url PRIMARY KEY (blog_id, "key"), 
	CONSTRAINT fk_frontier_url_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE media_file (
	blog_id INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	path TEXT, 
	sha256 TEXT, 
	type TEXT, 
	bytes BIGINT, 
	error TEXT, 
	tried VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_media_file PRIMARY KEY (blog_id, url), 
	CONSTRAINT fk_media_file_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
INSERT INTO "media_file" VALUES(1,'http://example.org/a.png',NULL,NULL,NULL,NULL,'404 Not Found','2026-11-21T12:00:00+00:00');
CREATE TABLE post (
	id INTEGER NOT NULL, 
	blog_id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	url TEXT NOT NULL, 
	guid TEXT, 
	title TEXT, 
	authors JSON NOT NULL, 
	published TEXT, 
	updated TEXT, 
	tags JSON NOT NULL, 
	language TEXT, 
	content_html TEXT, 
	content_text TEXT, 
	comments JSON NOT NULL, 
	comment_count INTEGER, 
	media JSON NOT NULL, 
	provenance JSON NOT NULL, 
	content_sha256 TEXT NOT NULL, 
	first_seen VARCHAR(32) NOT NULL, 
	last_seen VARCHAR(32) NOT NULL, 
	last_changed VARCHAR(32) NOT NULL, 
	gone VARCHAR(32), 
	CONSTRAINT pk_post PRIMARY KEY (id), 
	CONSTRAINT uq_post_blog_id_key UNIQUE (blog_id, "key"), 
	CONSTRAINT fk_post_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
INSERT INTO "post" VALUES(1,1,'example.org/a','http://example.org/a','tag:1','Snow & “日本語”','["Ann", "Bob"]','2014-05-02',NULL,'["a"]',NULL,'<p>1</p>','1','[{"id": "1", "parent": null, "kind": "comment", "author": "Cy", "author_url": null, "published": null, "url": null, "content_html": null, "content_text": null}, {"id": "2", "parent": "1", "kind": "pingback", "author": null, "author_url": null, "published": null, "url": null, "content_html": null, "content_text": null}]',2,'[{"url": "http://example.org/a.png", "path": null, "sha256": null, "type": null, "bytes": 3, "role": null, "error": null}]','{"fetched": "2026-11-21T12:00:00+00:00", "status": 200, "sha256": null, "rendered": false, "warc": null, "generator": null, "fields": {"title": {"source": "rule", "rule": "//h1", "confidence": 0.9}}}','40afd52357ce1a621bfcfb065760ec802316c852137e2062c7c3ae7d48249bd7','2026-11-21T12:00:00+00:00','2026-11-21T12:00:00+00:00','2026-11-21T12:00:00+00:00',NULL);
CREATE VIRTUAL TABLE post_search USING fts5 (
    title, content_text, comments, content = 'post_words', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TABLE post_version (
	id INTEGER NOT NULL, 
	post_id INTEGER NOT NULL, 
	content_sha256 TEXT NOT NULL, 
	seen VARCHAR(32) NOT NULL, 
	replaced VARCHAR(32) NOT NULL, 
	body BLOB NOT NULL, 
	CONSTRAINT pk_post_version PRIMARY KEY (id), 
	CONSTRAINT fk_post_version_post_id_post FOREIGN KEY(post_id) REFERENCES post (id) ON DELETE CASCADE
);
CREATE TABLE purge (
	"key" TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	person VARCHAR(64) NOT NULL, 
	blog TEXT NOT NULL, 
	url TEXT NOT NULL, 
	addresses JSON NOT NULL, 
	passages BLOB NOT NULL, 
	reason TEXT, 
	asked VARCHAR(32) NOT NULL, 
	finished VARCHAR(32), 
	CONSTRAINT pk_purge PRIMARY KEY ("key", kind, person)
);
INSERT INTO "purge" VALUES('example.org/removed/','post','','http://example.org/','http://example.org/removed/','["example.org/removed/"]',X'0102030405060708','asked for by its author','2026-11-28T07:00:00+00:00','2026-11-28T07:00:01+00:00');
CREATE TABLE schema_version (
	version INTEGER NOT NULL, 
	CONSTRAINT pk_schema_version PRIMARY KEY (version)
);
INSERT INTO "schema_version" VALUES(13);
CREATE TABLE source_entry (
	blog_id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	entry JSON NOT NULL, 
	CONSTRAINT pk_source_entry PRIMARY KEY (blog_id, "key"), 
	CONSTRAINT fk_source_entry_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE source_state (
	blog_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	state JSON NOT NULL, 
	CONSTRAINT pk_source_state PRIMARY KEY (blog_id, name), 
	CONSTRAINT fk_source_state_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE told (
	blog_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	commands BLOB NOT NULL, 
	CONSTRAINT pk_told PRIMARY KEY (blog_id, number), 
	CONSTRAINT fk_told_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
INSERT INTO "told" VALUES(1,1,X'789C8B8E0500011500B9');
CREATE TABLE training_page (
	blog_id INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	entry JSON NOT NULL, 
	body BLOB NOT NULL, 
	content_type TEXT, 
	status INTEGER NOT NULL, 
	fetched TEXT, 
	is_rendered BOOLEAN NOT NULL, 
	CONSTRAINT pk_training_page PRIMARY KEY (blog_id, url), 
	CONSTRAINT fk_training_page_blog_id_blog FOREIGN KEY(blog_id) REFERENCES blog (id) ON DELETE CASCADE
);
CREATE TABLE verified (
	id INTEGER NOT NULL, 
	moment VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_verified PRIMARY KEY (id)
);
INSERT INTO "verified" VALUES(1,'2026-11-21T12:00:00+00:00');
CREATE TABLE wanted (
	"key" TEXT NOT NULL, 
	url TEXT NOT NULL, 
	added VARCHAR(32) NOT NULL, 
	due VARCHAR(32) NOT NULL, 
	tried VARCHAR(32), 
	reason TEXT, 
	failures INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_wanted PRIMARY KEY ("key")
);
CREATE INDEX ix_blog_due ON blog (due);
CREATE INDEX ix_wanted_due ON wanted (due, "key");
CREATE INDEX ix_post_published ON post (blog_id, published);
CREATE INDEX ix_post_first_seen ON post (first_seen);
CREATE INDEX ix_frontier_url_order ON frontier_url (blog_id, position);
CREATE INDEX ix_post_version_post_id ON post_version (post_id);
CREATE VIEW post_words AS
SELECT
    id,
    replace(replace(title, char(57344), ''), char(57345), '') AS title,
    replace(replace(content_text, char(57344), ''), char(57345), '') AS content_text,
    replace(replace((
        SELECT group_concat(
            coalesce(json_extract(value, '$.author'), '') || char(10) || coalesce(json_extract(value, '$.content_text'), ''),
            char(10)
        ) FROM json_each(
            CASE WHEN instr(post.comments, '\u0000')
            THEN replace(replace(post.comments, '\\', '\u005c'), '\u0000', '') ELSE post.comments END
        )
    ), char(57344), ''), char(57345), '') AS comments
FROM post;
INSERT INTO post_search (rowid, title, content_text, comments)
SELECT id, title, content_text, comments FROM post_words;
CREATE TRIGGER post_search_new AFTER INSERT ON post BEGIN
    INSERT INTO post_search (rowid, title, content_text, comments)
    SELECT id, title, content_text, comments FROM post_words WHERE id = new.id;
END;
CREATE TRIGGER post_search_before BEFORE UPDATE OF title, content_text, comments ON post
WHEN old.title IS NOT new.title OR old.content_text IS NOT new.content_text OR old.comments IS NOT new.comments BEGIN
    INSERT INTO post_search (post_search, rowid, title, content_text, comments)
    SELECT 'delete', id, title, content_text, comments FROM post_words WHERE id = old.id;
END;
CREATE TRIGGER post_search_after AFTER UPDATE OF title, content_text, comments ON post
WHEN old.title IS NOT new.title OR old.content_text IS NOT new.content_text OR old.comments IS NOT new.comments BEGIN
    INSERT INTO post_search (rowid, title, content_text, comments)
    SELECT id, title, content_text, comments FROM post_words WHERE id = new.id;
END;
CREATE TRIGGER post_search_gone BEFORE DELETE ON post BEGIN
    INSERT INTO post_search (post_search, rowid, title, content_text, comments)
    SELECT 'delete', id, title, content_text, comments FROM post_words WHERE id = old.id;
END;
COMMIT;
