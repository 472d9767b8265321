-- What counts against quotas. A quota is known by its namespace and its name, what counts under one of its keys by the key,
-- too; what has no key has an empty one.

function quotas.begin()
    quotas.defined = {}
    quotas.meters = {}
    quotas.changed = {}
    quotas.taken = {}
    quotas.starts = {}
    quotas.started = {}
end

-- The name of the quota of a meter.
function quotas.name_of(meter)
    local last = string.find(meter, '\0', 1, true)
    last = string.find(meter, '\0', last + 1, true)
    return string.sub(meter, 1, last - 1)
end

-- What a quota bounds; false when it was never defined, or deleted since.
local function definition(meter)
    local name = quotas.name_of(meter)
    local quota = quotas.defined[name]
    if quota == nil then
        local packed = unit.get('quota', name)
        quota = packed and cmsgpack.unpack(packed)
        quotas.defined[name] = quota
    end
    return quota
end

function quotas.meter(name)
    local meter = quotas.meters[name]
    if not meter then
        local packed = unit.get('meter', name)
        meter = packed and cmsgpack.unpack(packed) or {0, '', 0}
        quotas.meters[name] = meter
    end
    return meter
end

-- When a start of a moment counts as made: the same as Quota.Rate.counted.
local function counted(quota, moment)
    local slice = quota[RATE] <= 10000 and 1 or math.max(1, math.floor(quota[WINDOW] / 1000))
    return math.ceil(moment / slice) * slice
end

-- The starts that count against a quota: moments, each with how many; and how many there are in all. They are kept packed,
-- because most calls do not look at them.
local function starts_of(name)
    local starts = quotas.starts[name]
    if not starts then
        local quota = definition(name)
        local packed = quotas.meter(name)[METER_STARTS]
        local all = packed ~= '' and cmsgpack.unpack(packed) or {}
        local kept, sum = {}, 0
        for n = 1, #all, 2 do
            if quota and quota[RATE] and all[n] + quota[WINDOW] > unit.now then
                kept[#kept + 1] = all[n]
                kept[#kept + 1] = all[n + 1]
                sum = sum + all[n + 1]
            end
        end
        starts = {list = kept, sum = sum}
        quotas.starts[name] = starts
    end
    return starts
end

-- For how many more there is room.
function quotas.room(name)
    local quota = definition(name)
    local room = math.huge
    if quota and quota[CONCURRENCY] then
        room = quota[CONCURRENCY] - quotas.meter(name)[METER_RUNNING]
    end
    if quota and quota[RATE] then
        room = math.min(room, quota[RATE] - starts_of(name).sum)
    end
    return math.max(0, room)
end

function quotas.has_room(name)
    return quotas.room(name) > 0
end

-- What is full of a quota, without what this call has taken.
function quotas.blocks(name, words)
    local quota = definition(name)
    if not quota then
        return
    end
    local meter = quotas.meter(name)
    local taken = quotas.taken[name] or {0, 0}
    if quota[CONCURRENCY] and meter[METER_RUNNING] - taken[1] >= quota[CONCURRENCY] then
        words.c = true
    end
    if quota[RATE] and starts_of(name).sum - taken[2] >= quota[RATE] then
        words.r = true
    end
end

-- When a full rate has room again; false while it is not full.
function quotas.opens(name)
    local quota = definition(name)
    if not quota or not quota[RATE] then
        return false
    end
    local starts = starts_of(name).list
    local sum = 0
    for n = #starts - 1, 1, -2 do
        sum = sum + starts[n + 1]
        if sum >= quota[RATE] then
            return starts[n] + quota[WINDOW]
        end
    end
    return false
end

-- Counts a lease or a grant.
function quotas.take(name, begins_attempt)
    local quota = definition(name)
    local meter = quotas.meter(name)
    local taken = quotas.taken[name] or {0, 0}
    quotas.taken[name] = taken
    taken[1] = taken[1] + 1
    meter[METER_RUNNING] = meter[METER_RUNNING] + 1
    if begins_attempt and quota and quota[RATE] then
        taken[2] = taken[2] + 1
        local all = starts_of(name)
        all.sum = all.sum + 1
        quotas.started[name] = true
        local starts = all.list
        local at = counted(quota, unit.now)
        local last = #starts - 1
        if last > 0 and starts[last] == at then
            starts[last + 1] = starts[last + 1] + 1
        else
            starts[last + 2] = at
            starts[last + 3] = 1
        end
    end
    quotas.changed[name] = true
end

-- Takes back what a lease or a grant counted.
function quotas.give(name)
    local meter = quotas.meter(name)
    meter[METER_RUNNING] = math.max(0, meter[METER_RUNNING] - 1)
    quotas.changed[name] = true
    gates.reopen('q' .. name, meter[METER_SHUT] > 0)
end

-- Forgets a start that came to nothing.
function quotas.unstart(name, moment)
    local quota = definition(name)
    if not quota or not quota[RATE] then
        return
    end
    local at = counted(quota, moment)
    local kept, sum = {}, 0
    local starts = starts_of(name).list
    for n = 1, #starts, 2 do
        local count = starts[n] == at and starts[n + 1] - 1 or starts[n + 1]
        sum = sum + count
        if count > 0 then
            kept[#kept + 1] = starts[n]
            kept[#kept + 1] = count
        end
    end
    quotas.starts[name] = {list = kept, sum = sum}
    quotas.changed[name] = true
end

-- Notes that so many gates more, or fewer, are shut by it.
function quotas.shuts(name, more)
    local meter = quotas.meter(name)
    meter[METER_SHUT] = meter[METER_SHUT] + more
    quotas.changed[name] = true
end

-- So many rates are looked at in one call.
local MOST_DUE = 256

-- Reopens what is behind full rates that have room by now, and says whether there was any.
function quotas.open_due()
    local due = redis.call('ZRANGEBYSCORE', key.due, '-inf', unit.now, 'LIMIT', 0, MOST_DUE)
    local any = false
    for n = 1, #due do
        if string.sub(due[n], 1, 1) == 'q' then
            quotas.look_again(string.sub(due[n], 2))
            any = true
        end
    end
    return any
end

-- What was full may be so no longer, or for another time.
function quotas.look_again(name)
    local opens = quotas.opens(name)
    if opens and opens > unit.now then
        unit.add('due', opens, 'q' .. name)
    else
        unit.drop('due', 'q' .. name)
        gates.reopen('q' .. name, quotas.meter(name)[METER_SHUT] > 0)
    end
end

-- The names of what counts under a name: of a namespace, or of a quota.
function quotas.names(prefix)
    local all = redis.call('HKEYS', key.meter)
    local names = {}
    for n = 1, #all do
        if string.sub(all[n], 1, #prefix) == prefix then
            names[#names + 1] = all[n]
        end
    end
    return names
end

-- A quota has another definition: it forgets the starts that this one does not count.
function quotas.redefined(quota)
    local names = quotas.names(quota .. '\0')
    for n = 1, #names do
        starts_of(names[n])
        quotas.changed[names[n]] = true
        quotas.look_again(names[n])
    end
    gates.reopen_all('q' .. quota .. '\0')
end

-- Puts right how much runs.
function quotas.correct(name, running)
    quotas.meter(name)[METER_RUNNING] = running
    quotas.changed[name] = true
    gates.reopen('q' .. name, quotas.meter(name)[METER_SHUT] > 0)
end

function quotas.finish()
    for name in pairs(quotas.started) do
        local opens = quotas.opens(name)
        if opens then
            unit.add('due', opens, 'q' .. name)
        end
    end
    for name in pairs(quotas.changed) do
        local meter = quotas.meters[name]
        local starts = quotas.starts[name]
        if starts then
            meter[METER_STARTS] = #starts.list > 0 and cmsgpack.pack(starts.list) or ''
        end
        if meter[METER_RUNNING] == 0 and meter[METER_SHUT] == 0 and #meter[METER_STARTS] == 0 then
            unit.remove('meter', name)
        else
            unit.set('meter', name, cmsgpack.pack(meter))
        end
    end
end
