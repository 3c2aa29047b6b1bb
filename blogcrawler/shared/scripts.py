"""What Redis does with the rows of a frontier, and for the spiders that share it: in Lua, each script whole or not.

KEYS[1] is the name of a frontier; its parts are named after it:

    rows        hash: key of a row, the row as JSON, without what stands elsewhere
    state:…     sorted set for each state: keys of rows by their position
    leases      sorted set: keys of rows that are claimed for a time, by its end
    tokens      hash: key of such a row, the token of its claim
    owners      hash: key of such a row, the spider that has claimed it
    lapses      hash: key of a row, how many of its claims have run out
    written     hash: a spider, the last writing of it
    log         stream: what each spider does to its frontier, for the others to do the same
    spiders     sorted set: those that are at work, by the end of their lease
    ready       the crawl that others may join
    terms       what its spiders agree on, as JSON
    asked       how many pages its spiders have asked for since the first of them began, or went on
    stop        the limit that has ended it, as JSON
    closing     the spider that writes down how it ended, for a while
    position    the place of the next row that is found
    token       the last one that was given
    lock:…      what one spider at a time may do

A token is the time of a claim in microseconds, and more than the one before. So none is given twice, not even by a
Redis that was started again and has forgotten its last second.
"""

from __future__ import annotations

STATES = ("pending", "shelved", "claimed", "done", "failed", "dropped")
PARTS = (
    "rows",
    *(f"state:{state}" for state in STATES),
    "leases",
    "tokens",
    "owners",
    "lapses",
    "written",
    "log",
    "spiders",
    "ready",
    "terms",
    "asked",
    "stop",
    "closing",
    "position",
    "token",
)
GIVEN_UP = "the spiders that asked for it died, several times"
"""Why a page failed."""
MOST_LAPSES = 2
"""Claims of a page that may run out before it is given up: it may be what its spiders died of."""
LOGGED = 4000
"""Entries of the log that are kept: a spider that is further behind has slept for long."""
KEPT_MS = 30 * 24 * 60 * 60 * 1000
"""For how long a frontier stays that nobody is at work on, as where its spiders were killed and none goes on."""
SWEPT = 1000
"""Claims that have run out and that one script ends, so that none takes long."""

_BASIS = f"""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local name = KEYS[1]
local STATES = {{{", ".join(f"'{state}'" for state in STATES)}}}
local PARTS = {{{", ".join(f"'{part}'" for part in PARTS)}}}

local function whole(number) return string.format('%.0f', number) end

local function place(key)  -- state and position of a row; nil for one that nobody knows
    for _, state in ipairs(STATES) do
        local position = redis.call('ZSCORE', name .. ':state:' .. state, key)
        if position then return state, position end
    end
end

local function put(key, position, state)
    for _, other in ipairs(STATES) do
        if other ~= state then redis.call('ZREM', name .. ':state:' .. other, key) end
    end
    redis.call('ZADD', name .. ':state:' .. state, position, key)
end

local function new_place(wanted)
    local position = math.max(tonumber(wanted), tonumber(redis.call('GET', name .. ':position') or 0))
    redis.call('SET', name .. ':position', whole(position + 1))
    return whole(position)
end

local function tell(spider, text)
    redis.call('XADD', name .. ':log', 'MAXLEN', '~', {LOGGED}, '*', 'by', spider, 'did', text)
end

local function forget_claim(key)
    redis.call('ZREM', name .. ':leases', key)
    redis.call('HDEL', name .. ':tokens', key)
    redis.call('HDEL', name .. ':owners', key)
end

local function wait_again(key, state)
    local known, position = place(key)
    forget_claim(key)
    if known ~= 'claimed' then return end
    put(key, position, state)
    local row = cjson.decode(redis.call('HGET', name .. ':rows', key))
    local url, reason = row.url, state == 'failed' and '{GIVEN_UP}' or cjson.null
    if row.reason ~= reason then
        row.reason = reason
        redis.call('HSET', name .. ':rows', key, cjson.encode(row))
    end
    local told = state == 'failed' and {{'given_up', {{url, row.reason}}}} or {{'wait_again', {{url}}}}
    tell('', cjson.encode({{{{'frontier', told[1], told[2], {{}}}}}}))
end

local function sweep()
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', name .. ':leases', '-inf', whole(now), 'LIMIT', 0, {SWEPT})) do
        local lapses = redis.call('HINCRBY', name .. ':lapses', key, 1)
        wait_again(key, lapses > {MOST_LAPSES} and 'failed' or 'pending')
    end
end

local function holds(key, token)
    local until_ = redis.call('ZSCORE', name .. ':leases', key)
    return until_ and tonumber(until_) > now and redis.call('HGET', name .. ':tokens', key) == token
end

local function is_over(crawl, spider)  -- have others ended what a spider has joined, or are they at that?
    if crawl == '' then return false end
    if redis.call('GET', name .. ':ready') ~= crawl then return true end
    local closing = redis.call('GET', name .. ':closing')
    return closing and closing ~= spider
end

local function at_work()
    redis.call('ZREMRANGEBYSCORE', name .. ':spiders', '-inf', whole(now))
    return redis.call('ZCARD', name .. ':spiders')
end

local function keep()  -- for a while from now on
    for _, part in ipairs(PARTS) do
        if part ~= 'closing' then redis.call('PEXPIRE', name .. ':' .. part, {KEPT_MS}) end
    end
end

-- how many are at work, and when the last of them was heard of; who left last ends the crawl
local function last_one(spider, lease)
    local left = at_work()
    if left == 0 then
        keep()
        redis.call('SET', name .. ':closing', spider, 'PX', whole(lease / 1000))
    end
    return {{left, redis.call('ZRANGE', name .. ':spiders', -1, -1, 'WITHSCORES')[2] or '0'}}
end
"""
WRITE = f"""{_BASIS}
if is_over(ARGV[1], ARGV[2]) then return 'over' end
sweep()
local spider, last, is_late = ARGV[2], 3 + 5 * ARGV[3], false
if redis.call('HGET', name .. ':written', spider) == ARGV[last + 1] then return end  -- the answer was lost
redis.call('HSET', name .. ':written', spider, ARGV[last + 1])
for i = 4, last, 5 do
    local key, position, state, token, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
    local known, kept = place(key)
    local is_ours = token ~= '' and holds(key, token)
    local is_ended = known == 'done' or (known == 'failed' and state ~= 'done')
    local may = token == 'again' or (token == '' and not is_ended)
    if is_ours or (may and not redis.call('ZSCORE', name .. ':leases', key)) then
        if is_ours and state ~= 'claimed' then
            forget_claim(key)
            redis.call('HDEL', name .. ':lapses', key)
        end
        redis.call('HSET', name .. ':rows', key, text)
        put(key, known and kept or new_place(position), state)
    elseif token ~= '' then
        is_late = true
    end
end
for i = last + 2, is_late and 0 or #ARGV do tell(spider, ARGV[i]) end
keep()
"""
"""Rows: the crawl or '', the spider, how many there are, each with key, position, state, token of its claim or '', row.

What is claimed only its claimant changes, and what has ended nobody, but with the token 'again'. Behind the rows stand
a name of this writing, which counts once, and what is told to the others; they are not told by one whose claim has run
out, as whoever gets the page tells the same. 'over' when the crawl has ended.
"""
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
local crawl, lease, spider, key, position, text, told, again = unpack(ARGV)
if is_over(crawl, spider) then return 'over' end
sweep()
local known, kept = place(key)
if again == '' and (known == 'done' or known == 'failed') then return 'done' end
if redis.call('ZSCORE', name .. ':leases', key) then
    if redis.call('HGET', name .. ':owners', key) ~= spider then return 'claimed' end
    return redis.call('HGET', name .. ':tokens', key)  -- the answer was lost
end
local last = tonumber(redis.call('GET', name .. ':token') or 0)
local token = whole(math.max(now, last + 1))
redis.call('SET', name .. ':token', token)
redis.call('HSET', name .. ':rows', key, text)
put(key, known and kept or new_place(position), 'claimed')
redis.call('HSET', name .. ':tokens', key, token)
redis.call('HSET', name .. ':owners', key, spider)
redis.call('ZADD', name .. ':leases', whole(now + lease), key)
redis.call('INCR', name .. ':asked')
tell(spider, told)
keep()
return token
"""
"""A claim: the crawl or '', for so many microseconds, the spider, key, position, row, what the others are told,
'again' if it may have ended.

Its token; or 'done' or 'claimed', where the page is that; 'over' when the crawl has ended.
"""
BEAT = f"""{_BASIS}
local crawl, lease, spider = ARGV[1], ARGV[2], ARGV[3]
if is_over(crawl, spider) or redis.call('GET', name .. ':closing') == spider then return end
redis.call('ZADD', name .. ':spiders', whole(now + lease), spider)
for i = 4, #ARGV, 2 do
    if holds(ARGV[i], ARGV[i + 1]) then redis.call('ZADD', name .. ':leases', whole(now + lease), ARGV[i]) end
end
keep()
return at_work()
"""
"""The crawl or '': a spider is at work for so many microseconds from now on, and so are its claims (key, token).

How many are at work; nothing where it is over.
"""
JOIN = f"""{_BASIS}
if redis.call('GET', name .. ':ready') ~= ARGV[3] then return {{0}} end
if redis.call('EXISTS', name .. ':closing') == 1 then return {{-1}} end
redis.call('ZADD', name .. ':spiders', whole(now + ARGV[1]), ARGV[2])
local count = at_work()
if count == 1 then  -- whoever has claimed anything is dead
    redis.call('DEL', name .. ':asked', name .. ':stop')
    redis.call('SET', name .. ':terms', ARGV[4])
    for _, key in ipairs(redis.call('ZRANGE', name .. ':state:claimed', 0, -1)) do wait_again(key, 'pending') end
end
local latest = redis.call('XREVRANGE', name .. ':log', '+', '-', 'COUNT', 1)[1]
local asked, stop = redis.call('GET', name .. ':asked'), redis.call('GET', name .. ':stop')
local terms = redis.call('GET', name .. ':terms')
return {{count, latest and latest[1] or '0-0', tonumber(asked or 0), stop or '', terms or ''}}
"""
"""A spider joins for so many microseconds a crawl, with its terms: how many it has then.

And the latest entry of the log, how many pages were asked for, the limit that has ended the crawl, and what its spiders
agree on (its own terms where it is the only one), or ''. Only 0 when there is none to be joined, -1 while the last of
its spiders writes down how it ended.
"""
READY = f"""{_BASIS}
redis.call('SET', name .. ':ready', ARGV[3])
redis.call('SET', name .. ':asked', ARGV[4])
redis.call('SET', name .. ':terms', ARGV[5])
redis.call('ZADD', name .. ':spiders', whole(now + ARGV[1]), ARGV[2])
"""
"""The crawl that others may join from now on: lease and name of its first spider, the crawl, pages
asked for, terms."""
STOP = f"""{_BASIS}
if is_over(ARGV[1], ARGV[2]) then return 'over' end
redis.call('SET', name .. ':stop', ARGV[3], 'NX')
tell(ARGV[2], ARGV[4])
"""
"""A limit ends a crawl: the crawl, the spider, what those are told that join later, what the others are told."""
LEAVE = f"""{_BASIS}
local crawl, spider = ARGV[1], ARGV[2]
if is_over(crawl, spider) then return {{-1, '0'}} end
local owners = redis.call('HGETALL', name .. ':owners')
for i = 1, #owners, 2 do
    if owners[i + 1] == spider then wait_again(owners[i], 'pending') end
end
redis.call('ZREM', name .. ':spiders', spider)
redis.call('HDEL', name .. ':written', spider)
return last_one(spider, ARGV[3])
"""
"""The crawl or '': a spider leaves, and what it has claimed waits again.

How many are left, -1 when others end the crawl, and when the last of them was heard of. The last one ends it, and is
taken to be at that for so many microseconds.
"""
LAST = f"""{_BASIS}
if is_over(ARGV[1], ARGV[2]) then return {{-1, '0'}} end
return last_one(ARGV[2], ARGV[3])
"""
"""The same for one that has left before, and from then on again and again for the one that ends the crawl."""
NEWS = f"""{_BASIS}
if is_over(ARGV[3], ARGV[4]) then return 'over' end
sweep()
local log = name .. ':log'
local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
local found = redis.call('XRANGE', log, '(' .. ARGV[1], '+', 'COUNT', ARGV[2])
local parts = {{}}
for i, entry in ipairs(found) do parts[i] = {{entry[1], entry[2][2], entry[2][4]}} end
return {{oldest and oldest[1] or '', parts}}
"""
"""What was told after an entry of the log, so many entries, of a crawl or '': the oldest that is kept; id, spider, text
of each. 'over' when the crawl has ended.
"""
STILL = f"""{_BASIS}
sweep()
local claimed = {{}}
local owners = redis.call('HGETALL', name .. ':owners')
for i = 1, #owners, 2 do
    if owners[i + 1] ~= ARGV[1] then claimed[#claimed + 1] = owners[i] end
end
local waiting = {{}}
for _, state in ipairs({{'pending', 'shelved'}}) do
    local part = redis.call('ZRANGE', name .. ':state:' .. state, 0, ARGV[2], 'WITHSCORES')
    for i = 1, #part, 2 do
        waiting[#waiting + 1] = {{part[i], part[i + 1], redis.call('HGET', name .. ':rows', part[i])}}
    end
end
return {{claimed, waiting}}
"""
"""What is still to be done: keys that others than a spider have claimed, and rows that wait, so many of them."""
LOCK = """
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
"""A lock for a spider, for so many milliseconds, unless another one has it. Its owner may take it again."""
UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
REOPEN = f"""{_BASIS}
if redis.call('GET', name .. ':closing') == ARGV[1] then redis.call('DEL', name .. ':closing') end
"""
"""The last spider could not write down how the crawl ended: others may go on."""
CLEAR = f"""{_BASIS}
if ARGV[1] and redis.call('GET', name .. ':closing') ~= ARGV[1] then return end
for _, part in ipairs(PARTS) do redis.call('UNLINK', name .. ':' .. part) end
"""
