-- What happened, as it is read.

-- How much one answer holds, about: an entry is never cut.
local MOST_BYTES = 262144

-- So many entries are read at a time.
local STRIDE = 32

-- follow: entries of the log, from a number on.
-- asked: the number, or false for the first that is kept; how many entries at most
-- answers: the last number that was dropped, the last there is, the first that was asked for, and the entries, false where
--     there is none
register_reading('follow', function(asked)
    local from, most = unpack(asked)
    local dropped, last = log.dropped(), log.last()
    from = from or dropped + 1
    local entries, size = {}, 0
    while from > dropped and #entries < most and size < MOST_BYTES and from + #entries <= last do
        local fields = {}
        local next = from + #entries
        for number = next, math.min(last, next + STRIDE - 1, from + most - 1) do
            fields[#fields + 1] = bytes.six(number)
        end
        local found = unit.get_all('log', fields)
        for n = 1, #fields do
            entries[#entries + 1] = found[n]
            size = size + (found[n] and #found[n] or 0)
        end
    end
    return {dropped, last, from, entries}
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
        local packed = unit.get('log', string.sub(numbers, at, at + 5))
        local events = packed and cmsgpack.unpack(packed)[ENTRY_EVENTS] or {}
        for n = 1, #events do
            if events[n][1] == EVENT_OTHER or events[n][2] == id then
                found[#found + 1] = {bytes.read_six(numbers, at), n - 1, events[n]}
            end
        end
    end
    return found
end)

-- use: notes that a partition is in use. This is known where the default namespace lies.
-- asked: its number
register('use', {'allow-oom'}, function(asked)
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
