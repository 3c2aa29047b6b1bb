-- What posts and their comments say, for searching; SQLite only. The text itself is not kept twice.
-- Without U+E000 and U+E001, which mark in excerpts what was found, and NUL of comments, at which a text would end.
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

CREATE VIRTUAL TABLE post_search USING fts5 (
    title, content_text, comments, content = 'post_words', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 2'
);

INSERT INTO post_search (rowid, title, content_text, comments)
SELECT id, title, content_text, comments FROM post_words;

CREATE TRIGGER post_search_new AFTER INSERT ON post BEGIN
    INSERT INTO post_search (rowid, title, content_text, comments)
    SELECT id, title, content_text, comments FROM post_words WHERE id = new.id;
END;

-- the index is told what it had, while the view still shows that
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
