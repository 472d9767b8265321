-- Everything that happened. The events of a call are one entry, and entries have numbers without gaps, in the order of the
-- calls. Executions and sessions know the numbers of the entries that are about them.

-- Every entry has a stamp besides: higher than those before it in its log, and than any that its caller had heard of, in
-- whichever partition. So what could have been observed has a lower one. It follows the time where nothing is known to be later.
local STAMPS_IN_A_MILLISECOND = 1024

function log.begin()
    log.events = {}
    log.number = false
    log.bytes = false
end

-- The number of the last entry.
function log.last()
    local last = unit.get('meta', 'log')
    return last and bytes.read_six(last, 1) or 0
end

-- The stamp of the last entry.
function log.stamp()
    local last = unit.get('meta', 'log')
    return last and bytes.read_eight(last, 7) or 0
end

-- The number of the entry of this call.
function log.entry()
    if not log.number then
        local stamp = math.max(unit.now * STAMPS_IN_A_MILLISECOND, log.stamp() + 1, unit.seen + 1)
        log.number = log.last() + 1
        log.bytes = bytes.six(log.number)
        unit.set('meta', 'log', log.bytes .. bytes.eight(stamp))
    end
    return log.number
end

-- Whatever hears of this call writes with higher stamps than this moment has.
function log.advance()
    local stamp = math.max(unit.now * STAMPS_IN_A_MILLISECOND, log.stamp())
    unit.set('meta', 'log', bytes.six(log.last()) .. bytes.eight(stamp))
end

function log.append(event)
    log.entry()
    log.events[#log.events + 1] = event
end

-- An entry: when it was written, its events, and its stamp.
function log.finish()
    if log.number then
        unit.set('log', log.bytes, cmsgpack.pack({unit.now, log.events, log.stamp()}))
    end
end

-- The number of the last entry that was dropped because of its age; all before it were, too.
function log.dropped()
    return tonumber(unit.get('meta', 'dropped') or '0')
end

-- So many numbers stand in the record of an execution or a session; then they are moved to the history.
local INLINE = 16

-- So often they are moved before the oldest make room, whether they are dropped or not.
local MOVES = 65536

-- What a record begins with: how many times its numbers were moved, in two bytes; the numbers follow.
function log.nothing_noted()
    return bytes.two(0)
end

-- Which of the moved numbers are the oldest that are kept.
local function oldest_moved(id)
    return tonumber(unit.get('history', id .. 'o') or '0')
end

-- Moves the numbers of a record, and forgets the oldest if nothing is left of the entries: faster than they come.
local function move(id, numbers)
    local moved = struct.unpack('>I2', numbers)
    unit.set('history', id .. bytes.two(moved), string.sub(numbers, 3))
    moved = (moved + 1) % MOVES
    local first = oldest_moved(id)
    local oldest = first
    for _ = 1, 2 do
        local full = oldest == moved and oldest == first
        local chunk = (full or oldest ~= moved) and unit.get('history', id .. bytes.two(oldest))
        if full or (chunk and bytes.read_six(chunk, #chunk - 5) <= log.dropped()) then
            unit.remove('history', id .. bytes.two(oldest))
            oldest = (oldest + 1) % MOVES
        end
    end
    if oldest ~= first then
        unit.set('history', id .. 'o', tostring(oldest))
    end
    return moved
end

-- The numbers of a record with the one of this call, which it may have already.
function log.noted(id, numbers)
    log.entry()
    local latest = log.bytes
    if #numbers > 2 and string.sub(numbers, -6) == latest then
        return numbers
    end
    if #numbers >= 2 + 6 * INLINE then
        return bytes.two(move(id, numbers)) .. latest
    end
    return numbers .. latest
end

-- The numbers that were moved last when there were so many moves; false when they are forgotten.
function log.moved(id, moves)
    return unit.get('history', id .. bytes.two((moves - 1) % MOVES))
end

-- The numbers of a record between two, of entries that are kept, one behind the other.
function log.numbers(id, numbers, from, to)
    from = math.max(from, log.dropped() + 1)
    local first, last = bytes.six(from), bytes.six(to)
    local oldest = oldest_moved(id)
    local at = struct.unpack('>I2', numbers)
    local chunk = string.sub(numbers, 3)
    local found = {}
    while chunk do
        for place = #chunk - 5, 1, -6 do
            local number = string.sub(chunk, place, place + 5)
            if bytes.before(number, first) then
                at = oldest
                break
            end
            if not bytes.before(last, number) then
                found[#found + 1] = number
            end
        end
        chunk = at ~= oldest and unit.get('history', id .. bytes.two((at - 1) % MOVES))
        at = (at - 1) % MOVES
    end
    for n = 1, math.floor(#found / 2) do
        found[n], found[#found + 1 - n] = found[#found + 1 - n], found[n]
    end
    return table.concat(found)
end

-- Forgets which entries are about an execution or a session, no more than so many moves, and says how many of them it may
-- still be and whether all are forgotten.
function log.forget(id, numbers, most)
    local moved = struct.unpack('>I2', numbers)
    local at = oldest_moved(id)
    while at ~= moved and most > 0 do
        unit.remove('history', id .. bytes.two(at))
        at = (at + 1) % MOVES
        most = most - 1
    end
    unit.set('history', id .. 'o', at ~= moved and tostring(at))
    return most, at == moved
end
