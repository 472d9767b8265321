-- What happened, as it is read.

-- At most so many entries are read at a time, and one by one behind one that is larger than this.
local STRIDE = 32
local LARGE = 8192

-- How many events an entry has.
local function events_in(packed)
    local _, _, count = log.head(packed)
    return count or (packed and 1 or 0)
end

-- The stamp of an entry, if it is kept and can be read.
local function stamp_of(number)
    local _, stamp = log.head(number > 0 and unit.get('log', bytes.six(number)))
    return stamp or 0
end

-- follow: entries of the log, from a number on.
-- asked: the number, or false for the first that is kept; how many events and how many bytes make an end, about: an entry is
--     never cut
-- answers: the last number that was dropped, the last there is, the first that was asked for, the entries, false where
--     there is none; the stamps of the entry before the first and of the last there is, 0 where they are not known; whether work
--     with an id of this partition ever lay elsewhere
register_reading('follow', function(asked)
    local from, most, most_bytes = unpack(asked)
    local dropped, last = log.dropped(), log.last()
    from = from or dropped + 1
    local entries, events, size, stride = {}, 0, 0, 1
    while from > dropped and events < most and size < most_bytes and from + #entries <= last do
        local fields = {}
        local next = from + #entries
        for number = next, math.min(last, next + stride - 1) do
            fields[#fields + 1] = bytes.six(number)
        end
        local found = unit.get_all('log', fields)
        stride = math.min(STRIDE, 2 * stride)
        for n = 1, #fields do
            entries[#entries + 1] = found[n]
            events = events + events_in(found[n])
            size = size + (found[n] and #found[n] or 0)
            if found[n] and #found[n] > LARGE then
                stride = 1
            end
        end
    end
    return {
        dropped, last, from, entries, from > dropped and stamp_of(from - 1) or 0, log.stamp(),
        unit.get('meta', 'strayed') and true or false}
end)

-- trace: which entries of the log are about an execution or a session.
-- asked: 'execution' or 'session', its id, the lowest and the highest number
-- answers: how it stands or false, and the numbers, one behind the other
register_reading('trace', function(asked)
    local kind, id, from, to = unpack(asked)
    local packed = unit.get(kind, id)
    local numbers = ''
    if packed and kind == 'session' then
        numbers = log.numbers(id, sessions.get(id)[SESSION_STEPS], from, to)
    elseif packed and executions.get(id) then
        numbers = log.numbers(id, executions.get(id)[STEPS], from, to)
    end
    return {packed, numbers}
end)

-- told: the events of some entries that may be about an execution or a session.
-- asked: its id, and the numbers of the entries, one behind the other
-- answers, each: the number of the entry, the place of the event in it from 0, and the event
register_reading('told', function(asked)
    local id, numbers = unpack(asked)
    local found = {}
    for at = 1, #numbers, 6 do
        local events = log.read(string.sub(numbers, at, at + 5))
        for n = 1, #events do
            local kind = events[n][1]
            if kind == EVENT_OTHER or kind == EVENT_OTHER_OF_PART or events[n][2] == id then
                found[#found + 1] = {bytes.read_six(numbers, at), n - 1, events[n]}
            end
        end
    end
    return found
end)

-- use: notes that a partition is in use. This is known where the default namespace lies.
-- asked: its number
register('use', {'allow-oom'}, function(asked)
    -- What is written there is later than any look at this list that does not show it.
    log.advance()
    local packed = unit.get('global', 'partitions')
    local known = packed and cmsgpack.unpack(packed) or {}
    for n = 1, #known do
        if known[n] == asked then
            return false
        end
    end
    known[#known + 1] = asked
    unit.set('global', 'partitions', cmsgpack.pack(known))
    return true
end)
