"""How addresses are shown."""

from __future__ import annotations

import pytest

from blogcrawler.addresses import without_password


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann:sekret@h:5432/a?sslmode=require", "postgresql://ann:***@h:5432/a?sslmode=require"),
        ("postgresql+psycopg://ann:sekret@[::1]:5432/a", "postgresql+psycopg://ann:***@[::1]:5432/a"),
        ("postgresql://ann@h/a", "postgresql://ann@h/a"),
        ("postgresql://ann:@h/a", "postgresql://ann:***@h/a"),
        ("postgresql:///a?host=/run&user=ann", "postgresql:///a?host=/run&user=ann"),
        ("redis://:sekret@h:6379/0", "redis://:***@h:6379/0"),
        ("s3://key:sekret@bucket/files/", "s3://key:***@bucket/files/"),
        ("sqlite:////home/ann@work/a:b@c/archive.db", "sqlite:////home/ann@work/a:b@c/archive.db"),
        ("sqlite:///archive.db", "sqlite:///archive.db"),
        # in the query
        ("postgresql://h/a?user=x&password=sekret", "postgresql://h/a?user=x&password=***"),
        ("postgresql://h/a?password=sekret&user=x", "postgresql://h/a?password=***&user=x"),
        ("postgresql://h/a?Password=sekret&sslpassword=sekret", "postgresql://h/a?Password=***&sslpassword=***"),
        ("postgresql://h/a?password=", "postgresql://h/a?password=***"),
        ("postgresql:///a?password=sekret", "postgresql:///a?password=***"),
        ("postgresql://h/a?oauth_client_secret=sekret", "postgresql://h/a?oauth_client_secret=***"),
        ("postgresql://ann@h/a?user=me@work", "postgresql://***@work"),
        # with characters that were to be escaped
        ("postgresql://ann:sek@ret@h/a", "postgresql://ann:***@h/a"),
        ("postgresql://ann:sek/r@et@h/a", "postgresql://ann:***@h/a"),
        ("postgresql://ann:12/sek?r#et@h/a", "postgresql://ann:***@h/a"),
        ("postgresql://ann@work:sekret@h/a", "postgresql://***@h/a"),
        ("postgresql://sekret@sekret@h/a", "postgresql://***@h/a"),
        ("postgresql://h/a?password=se@kr&et&user=x", "postgresql://h/a?password=***&user=x"),
        ("postgresql://h/a?password=sek&r&et", "postgresql://h/a?password=***"),
        # what is no address
        ("postgresql://ann:sekret/a?x=1", "postgresql://ann:***/a?x=1"),
        ("postgresql://ann:12sekret", "postgresql://ann:***"),
        ("postgresql://h:5432", "postgresql://h:5432"),
        ("postgresql://h:5432,g:5433/a", "postgresql://h:5432,g:5433/a"),
        ("postgresql://h:/a", "postgresql://h:/a"),
        ("redis://[::1]:6379/0", "redis://[::1]:6379/0"),
        ("", ""),
        ("queue", "queue"),
        ("postgresql://[abc/x", "postgresql://[abc/x"),
        ("postgresql://ann:sekret@[abc/x", "postgresql://ann:***@[abc/x"),
        ("ann:sekret@h/a", "ann:***@h/a"),
        ("host=h password=sekret", "host=h password=***"),
        ("host=h password = 'sek ret' user=x", "host=h password =***"),
    ],
)
def test_passwords_are_hidden(address, shown):
    assert without_password(address) == shown
