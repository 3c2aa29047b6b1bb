-- What posts and their comments say, for searching; PostgreSQL only. Statements are parted by empty lines.
-- No function calls another one of ours: dumps are read back without a search path.

-- JSON may hold NUL and halves of surrogate pairs, as escapes, at which PostgreSQL would refuse to read it.
CREATE FUNCTION post_said(title text, content_text text, comments json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(title, '') || E'\n' || coalesce(content_text, '') || E'\n' || coalesce((
        SELECT string_agg(coalesce(one ->> 'author', '') || E'\n' || coalesce(one ->> 'content_text', ''), E'\n')
        FROM json_array_elements(
            CASE WHEN comments::text ~* '\\u(0000|d[89a-f])' THEN regexp_replace(
                comments::text, '(\\[^u]|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|\\u0000|\\u[dD][89a-fA-F]..', '\1', 'g'
            )::json ELSE comments END
        ) AS one
    ), '')
$$;

-- Words in small letters, without diacritics; what parts words is a space, so that "a/b" is no file's name.
CREATE FUNCTION post_folded(said text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(
        normalize(regexp_replace(normalize(lower(left(said, 250000)), NFD), '[\u0300-\u036F]+', '', 'g'), NFC),
        '[^[:alnum:]\u0080-\U0010FFFF]+', ' ', 'g'
    )
$$;

-- Of a text that has more words than the database can index it is the beginning.
CREATE FUNCTION post_terms(folded text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    most integer := 250000;
BEGIN
    LOOP
        BEGIN
            RETURN to_tsvector('simple', left(folded, most));
        EXCEPTION WHEN program_limit_exceeded THEN
            most := most / 2;
        END;
    END LOOP;
END
$$;

ALTER TABLE post ADD COLUMN terms tsvector
GENERATED ALWAYS AS (post_terms(post_folded(post_said(title, content_text, comments)))) STORED;

CREATE INDEX ix_post_terms ON post USING gin (terms);
