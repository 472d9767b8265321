-- Everything that happened. The events of a call are one entry, and entries have numbers without gaps, in the order of the
-- calls. Executions and sessions know the numbers of the entries that are about them.

-- Every entry has a stamp besides: higher than those before it in its log, and than any that its caller had heard of, in
-- whichever partition. So what could have been observed has a lower one. It follows the time where nothing is known to be later.
local STAMPS_IN_A_MILLISECOND = 1024

-- What an entry begins with: its format, when it was written, its stamp, and how many events it has. The packed events follow.
local HEAD = '>BI6I8I4'
local HEAD_BYTES = 19
local FORMAT = 1

-- Most events are of one kind: many executions take the same step. They are one event of many steps, and of each there is
-- what is its own: id, partition, attempts, epoch. A step that was erased has the highest number for a partition.
local STEP = '>c16I2I4I6'
local STEP_BYTES = 28
local GONE = 65535

-- Events that are about one execution, which they name.
local IS_OF_EXECUTION = {
    [EVENT_STEP] = true, [EVENT_STEP_RECORDED] = true, [EVENT_SIGNAL_RECEIVED] = true, [EVENT_WAITPOINT_CLOSED] = true}

function log.begin()
    log.events = {}
    log.number = false
    log.bytes = false
    log.steps = false
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
    log.steps = false
    log.events[#log.events + 1] = event
end

-- The steps of one kind that follow each other in this call, to be added to: each as log.step makes it.
function log.steps_of(lane, step, situation, session)
    local steps = log.steps
    if not steps or steps.lane ~= lane or steps.step ~= step or steps.situation ~= situation or steps.session ~= session then
        steps = {lane = lane, step = step, situation = situation, session = session}
        log.append(steps)
        log.steps = steps
    end
    return steps
end

-- What is one execution's own of a step.
function log.step(id, partition, attempts, epoch)
    return struct.pack(STEP, id, partition, attempts, epoch)
end

function log.finish()
    if not log.number then
        return
    end
    local events, count = {}, 0
    for n = 1, #log.events do
        local event = log.events[n]
        if event.lane then
            count = count + #event
            event = {EVENT_STEPS, event.lane, event.step, event.situation, event.session, table.concat(event)}
        else
            count = count + 1
        end
        events[n] = event
    end
    unit.set('log', log.bytes, struct.pack(HEAD, FORMAT, unit.now, log.stamp(), count) .. cmsgpack.pack(events))
end

-- When an entry was written, its stamp, and how many events it has; nil when there is none, or it cannot be read.
function log.head(packed)
    if not packed or #packed <= HEAD_BYTES then
        return nil
    end
    local format, at, stamp, count = struct.unpack(HEAD, packed)
    if format == FORMAT then
        return at, stamp, count
    end
    return nil
end

local function add_steps(events, many, at)
    local _, lane, step, situation, session, packed = unpack(many)
    for from = 1, #packed, STEP_BYTES do
        local id, partition, attempts, epoch = struct.unpack(STEP, packed, from)
        events[#events + 1] = partition == GONE and {EVENT_GONE}
            or {EVENT_STEP, id, partition, lane, step, situation, at, attempts, epoch, session, false, false, false}
    end
end

-- The events of an entry, each by itself; none when there is no such entry.
function log.read(number)
    local packed = unit.get('log', number)
    local events = {}
    if packed then
        local at = log.head(packed)
        local stored = cmsgpack.unpack(string.sub(packed, HEAD_BYTES + 1))
        for n = 1, #stored do
            if stored[n][1] == EVENT_STEPS then
                add_steps(events, stored[n], at)
            else
                events[#events + 1] = stored[n]
            end
        end
    end
    return events
end

-- Takes what is told of an execution out of an entry. The others keep their places.
function log.untell(number, id)
    local packed = unit.get('log', number)
    if not packed then
        return
    end
    local stored = cmsgpack.unpack(string.sub(packed, HEAD_BYTES + 1))
    for n = 1, #stored do
        local event = stored[n]
        if IS_OF_EXECUTION[event[1]] and event[2] == id then
            stored[n] = {EVENT_GONE}
        elseif event[1] == EVENT_STEPS then
            local steps = event[6]
            for from = 1, #steps, STEP_BYTES do
                if string.sub(steps, from, from + #id - 1) == id then
                    steps = string.sub(steps, 1, from - 1) .. struct.pack(STEP, string.rep('\0', 16), GONE, 0, 0)
                        .. string.sub(steps, from + STEP_BYTES)
                end
            end
            event[6] = steps
        end
    end
    unit.set('log', number, string.sub(packed, 1, HEAD_BYTES) .. cmsgpack.pack(stored))
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
