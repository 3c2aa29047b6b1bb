"""What Redis does with the rows of a frontier: in Lua, each script whole or not at all.

KEYS[1] is the name of a frontier; its parts are named after it:

    rows        hash: key of a row, the row as JSON, without what stands elsewhere
    state:…     sorted set for each state: keys of rows by their position
    ready       sorted set: keys of pending rows by their rank, lowest first
    leases      sorted set: keys of rows that are claimed for a time, by its end
    tokens      hash: key of such a row, the token of its claim
    lapses      hash: key of a row, how many of its claims have run out
    settled     sorted set: claims that were settled lately, by when
    position    the place of the next row that is found
    token       the last one that was given

A token is the time of a claim in microseconds, and more than the one before. So none is given twice, not even by a
Redis that was started again and has forgotten its last second.
"""

from __future__ import annotations

__all__ = ["ADD", "CLAIM", "CLEAR", "COUNT", "NAMES", "RANK", "READ", "RELEASE", "RENEW", "SAVE", "SETTLE", "STATES"]

STATES = ("pending", "shelved", "claimed", "done", "failed", "dropped")
NAMES = (
    "rows",
    *(f"state:{state}" for state in STATES),
    "ready",
    "leases",
    "tokens",
    "lapses",
    "settled",
    "position",
    "token",
)
POSTS_FIRST = 2**40
"""What the rank of a page is above that of a post, as long as nobody ranks them otherwise."""
MOST_LAPSES = 2
"""Claims of a page that may run out before it waits behind all others: it may be what its crawlers died of."""
LAST = 2**42
REMEMBERED_US = 10 * 60 * 10**6
"""For how long a claim is known to be settled: an answer that was lost is asked for again within seconds."""
SWEPT = 1000
"""Claims that have run out and that one script ends, so that none takes long."""

_BASIS = f"""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local name = KEYS[1]
local STATES = {{{", ".join(f"'{state}'" for state in STATES)}}}

local function whole(number) return string.format('%.0f', number) end

local function put(key, position, state, rank)
    for _, other in ipairs(STATES) do
        if other ~= state then redis.call('ZREM', name .. ':state:' .. other, key) end
    end
    redis.call('ZADD', name .. ':state:' .. state, position, key)
    if state == 'pending' then redis.call('ZADD', name .. ':ready', rank, key)
    else redis.call('ZREM', name .. ':ready', key) end
end

local function forget_claim(key)
    redis.call('ZREM', name .. ':leases', key)
    redis.call('HDEL', name .. ':tokens', key)
end

local function wait_again(key, rank)
    local position = redis.call('ZSCORE', name .. ':state:claimed', key)
    forget_claim(key)
    if position then put(key, position, 'pending', whole(position + rank)) end
end

local function sweep()
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', name .. ':leases', '-inf', whole(now), 'LIMIT', 0, {SWEPT})) do
        local lapses = redis.call('HINCRBY', name .. ':lapses', key, 1)
        wait_again(key, lapses > {MOST_LAPSES} and {LAST} or -{POSTS_FIRST})  -- first: it was the best once
    end
end

local function holds(key, token)
    local until_ = redis.call('ZSCORE', name .. ':leases', key)
    return until_ and tonumber(until_) > now and redis.call('HGET', name .. ':tokens', key) == token
end

local function add(first)  -- arguments in threes from there on: key, rank without position, row; how many are new
    local new = 0
    for i = first, #ARGV, 3 do
        if redis.call('HSETNX', name .. ':rows', ARGV[i], ARGV[i + 2]) == 1 then
            local position = redis.call('INCR', name .. ':position') - 1
            put(ARGV[i], position, 'pending', whole(ARGV[i + 1] + position))
            new = new + 1
        end
    end
    return new
end
"""
SAVE = f"""{_BASIS}
for i = 1, #ARGV, 5 do
    local key, position, state = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    forget_claim(key)
    redis.call('HSET', name .. ':rows', key, ARGV[i + 4])
    put(key, position, state, whole(ARGV[i + 3] + position))
    if tonumber(redis.call('GET', name .. ':position') or 0) <= tonumber(position) then
        redis.call('SET', name .. ':position', whole(position + 1))
    end
end
"""
"""Rows as they are: key, position, state, rank without position, row."""
ADD = f"{_BASIS} return add(1)"
"""Rows as long as nobody knows them: key, rank without position, row. How many are new."""
READ = f"""{_BASIS}
local found = {{}}
local state = name .. ':state:' .. ARGV[1]
local part = redis.call('ZRANGEBYSCORE', state, ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
for i = 1, #part, 2 do
    found[#found + 1] = {{part[i], part[i + 1], redis.call('HGET', name .. ':rows', part[i])}}
end
return found
"""
"""The rows in a state from a position on: key, position, row."""
CLAIM = f"""{_BASIS}
sweep()
local found = {{}}
for _ = 1, tonumber(ARGV[2]) do
    local key = redis.call('ZPOPMIN', name .. ':ready')[1]
    if not key then break end
    local position = redis.call('ZSCORE', name .. ':state:pending', key)
    local last = tonumber(redis.call('GET', name .. ':token') or 0)
    local token = whole(math.max(now, last + 1))
    redis.call('SET', name .. ':token', token)
    put(key, position, 'claimed')
    redis.call('HSET', name .. ':tokens', key, token)
    redis.call('ZADD', name .. ':leases', whole(now + ARGV[1]), key)
    found[#found + 1] = {{key, position, redis.call('HGET', name .. ':rows', key), token}}
end
return found
"""
"""The best rows that wait, for so many microseconds, at most so many: key, position, row, token."""
RENEW = f"""{_BASIS}
local lost = {{}}
for i = 2, #ARGV, 2 do
    if holds(ARGV[i], ARGV[i + 1]) then redis.call('ZADD', name .. ':leases', whole(now + ARGV[1]), ARGV[i])
    else lost[#lost + 1] = ARGV[i] end
end
return lost
"""
"""Claims (key, token) for so many microseconds from now on; the keys of those that hold no more."""
SETTLE = f"""{_BASIS}
local key, token, state, rank, row = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local claim = key .. ' ' .. token
if redis.call('ZSCORE', name .. ':settled', claim) then return add(6) end  -- the answer was lost
if not holds(key, token) then return -1 end
local position = redis.call('ZSCORE', name .. ':state:claimed', key)
forget_claim(key)
redis.call('HDEL', name .. ':lapses', key)
redis.call('HSET', name .. ':rows', key, row)
put(key, position, state, whole(rank + position))
redis.call('ZADD', name .. ':settled', whole(now), claim)
redis.call('ZREMRANGEBYSCORE', name .. ':settled', '-inf', whole(now - {REMEMBERED_US}))
return add(6)
"""
"""A claim (key, token) ends with state, rank without position and row, and what was found besides is added.

How much of that is new; -1 when the claim holds no more.
"""
RELEASE = f"""{_BASIS}
for i = 1, #ARGV, 2 do
    if holds(ARGV[i], ARGV[i + 1]) then wait_again(ARGV[i], -{POSTS_FIRST}) end
end
"""
"""Claims (key, token) are given back."""
RANK = f"""{_BASIS}
for i = 1, #ARGV, 2 do redis.call('ZADD', name .. ':ready', 'XX', ARGV[i], ARGV[i + 1]) end
"""
"""New ranks of rows that wait: rank, key."""
COUNT = f"""{_BASIS}
sweep()
local found = {{}}
for i, state in ipairs(STATES) do found[i] = redis.call('ZCARD', name .. ':state:' .. state) end
return found
"""
"""How many rows are in each of `STATES`."""
CLEAR = f"""{_BASIS}
for _, part in ipairs({{{", ".join(f"'{name}'" for name in NAMES)}}}) do
    redis.call('UNLINK', name .. ':' .. part)
end
"""
