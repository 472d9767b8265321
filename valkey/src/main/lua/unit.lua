-- The unit of work. A call reads, decides and notes what it will write; everything is written at its end. Redis takes
-- nothing back, so a function that fails half way must not have written anything.

function unit.begin(declared, now, seen)
    for n = 1, #KEYS_OF_A_PARTITION do
        key[KEYS_OF_A_PARTITION[n]] = declared[n]
    end
    if not now then
        local time = redis.call('TIME')
        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    end
    unit.now = now
    unit.seen = seen
    -- By key and field, or by key and member; false is to be removed.
    unit.fields = {}
    unit.scores = {}
    unit.additions = {}
    unit.sums = {}
    unit.numbers = {}
end

-- The value of a field, as this call would leave it; false if there is none.
function unit.get(name, field)
    local changed = unit.fields[name]
    local value = changed and changed[field]
    if value == nil then
        return redis.call('HGET', key[name], field)
    end
    return value
end

-- So many values go with one command: the language has no room for many more.
local MOST_ARGUMENTS = 2000

-- The values of many fields that this call has not changed.
function unit.get_all(name, fields)
    if #fields == 0 then
        return {}
    end
    local values = redis.call('HMGET', key[name], unpack(fields, 1, math.min(#fields, MOST_ARGUMENTS)))
    for from = MOST_ARGUMENTS + 1, #fields, MOST_ARGUMENTS do
        local more = redis.call('HMGET', key[name], unpack(fields, from, math.min(#fields, from + MOST_ARGUMENTS - 1)))
        for n = 1, #more do
            values[from + n - 1] = more[n]
        end
    end
    return values
end

-- What this call has changed of a hash so far, by field; false is to be removed. Those who write much write here.
function unit.changed_fields(name)
    local changed = unit.fields[name]
    if not changed then
        changed = {}
        unit.fields[name] = changed
    end
    return changed
end

function unit.set(name, field, value)
    unit.changed_fields(name)[field] = value
end

function unit.remove(name, field)
    unit.changed_fields(name)[field] = false
end

-- What this call has changed of a sorted set so far: scores by member; false is to be removed.
function unit.changed_scores(name)
    local changed = unit.scores[name]
    if not changed then
        changed = {}
        unit.scores[name] = changed
    end
    return changed
end

function unit.add(name, score, member)
    unit.changed_scores(name)[member] = score
end

-- What this call adds to a sorted set, each score with its member behind it, and how long that list is. Those who add much that
-- nothing else of the call looks at write here: a list costs less than a table by member.
function unit.added_scores(name)
    local added = unit.additions[name]
    if not added then
        added = {count = 0}
        unit.additions[name] = added
    end
    return added
end

function unit.drop(name, member)
    unit.changed_scores(name)[member] = false
end

-- Adds to a number in a field, which nothing but this writes.
function unit.sum(name, field, more)
    local changed = unit.sums[name]
    if not changed then
        changed = {}
        unit.sums[name] = changed
    end
    changed[field] = (changed[field] or 0) + more
end

-- The last of the numbers of a kind that are given out once; 0 before the first.
function unit.last_number(kind)
    return unit.numbers[kind] or tonumber(unit.get('meta', kind) or '0')
end

function unit.next_number(kind)
    local number = unit.last_number(kind) + 1
    unit.numbers[kind] = number
    return number
end

local function send(command, whole, list, count)
    for from = 1, count, MOST_ARGUMENTS do
        redis.call(command, whole, unpack(list, from, math.min(count, from + MOST_ARGUMENTS - 1)))
    end
end

-- These two go through everything that a call writes. They count themselves how long their lists are: the language would look
-- for the end of a list each time.

local function write_fields(name, changed)
    local sets, removals, set, removed = {}, {}, 0, 0
    for field, value in pairs(changed) do
        if value then
            sets[set + 1] = field
            sets[set + 2] = value
            set = set + 2
        else
            removed = removed + 1
            removals[removed] = field
        end
    end
    send('HSET', key[name], sets, set)
    send('HDEL', key[name], removals, removed)
end

local function write_scores(name, changed)
    local additions, removals, added, removed = {}, {}, 0, 0
    for member, score in pairs(changed) do
        if score then
            -- Most scores are 0. A number is printed with seventeen digits on its way; a text goes as it is.
            additions[added + 1] = score == 0 and '0' or score
            additions[added + 2] = member
            added = added + 2
        else
            removed = removed + 1
            removals[removed] = member
        end
    end
    send('ZADD', key[name], additions, added)
    send('ZREM', key[name], removals, removed)
end

-- Writes what was noted so far.
function unit.write()
    for kind, number in pairs(unit.numbers) do
        unit.set('meta', kind, tostring(number))
    end
    for name, changed in pairs(unit.fields) do
        write_fields(name, changed)
    end
    for name, changed in pairs(unit.scores) do
        write_scores(name, changed)
    end
    for name, added in pairs(unit.additions) do
        send('ZADD', key[name], added, added.count)
    end
    for name, changed in pairs(unit.sums) do
        for field, more in pairs(changed) do
            if more ~= 0 and redis.call('HINCRBY', key[name], field, more) == 0 then
                redis.call('HDEL', key[name], field)
            end
        end
    end
    unit.fields = {}
    unit.scores = {}
    unit.additions = {}
    unit.sums = {}
    unit.numbers = {}
end
