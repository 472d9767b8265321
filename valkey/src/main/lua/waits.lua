-- What executions wait for, and what they are told. It is kept beside an execution, by the id of that and a letter:
--   a  what is remembered of its waits, as the program writes it, and its waitpoints that are listed, each without the lane
--   h  and a number: a signal that it received, but for its content
--   m  and a number: the content of that signal, if there is any
--   k  and the length and name of a waitpoint, and a key: the last signal under that key there, by the numbers of the waitpoint
--      and of the signal
-- Executions that never waited, and were never told anything, have none of it, and no number of signals in their records.

-- What is remembered of the waits of an execution; false when there is nothing.
function executions.remembered(id, x)
    return x[SIGNALS] and unit.get('detail', id .. 'a')
end

-- The waitpoints that are listed; none where that cannot be read.
local function listed(packed)
    local waits = bytes.list(packed)
    return waits and waits[WAITED_LISTED] or {}
end

-- Lists waitpoints instead of others.
local function list(lane, before, after)
    local old, new = {}, {}
    for n = 1, #before do
        old[before[n]] = true
    end
    for n = 1, #after do
        new[after[n]] = true
        if not old[after[n]] then
            unit.add('waitpoint', 0, bytes.four(lane) .. after[n])
        end
    end
    for n = 1, #before do
        if not new[before[n]] then
            unit.drop('waitpoint', bytes.four(lane) .. before[n])
        end
    end
end

local function key_field(id, waitpoint, key_of_signal)
    return id .. 'k' .. bytes.two(#waitpoint) .. waitpoint .. key_of_signal
end

-- signal: its number, waitpoint, number of the waitpoint, name, sender, reason, key or false, effect, when it came, content or false
local function receive(id, x, signal)
    local number, waitpoint, place, name, actor, reason, key_of_signal, effect, at, content = unpack(signal)
    local nth = bytes.two(number)
    unit.set('detail', id .. 'h' .. nth, cmsgpack.pack({waitpoint, place, name, actor, reason, key_of_signal, effect, at}))
    if content then
        unit.set('detail', id .. 'm' .. nth, content)
    end
    if key_of_signal then
        unit.set('detail', key_field(id, waitpoint, key_of_signal), cmsgpack.pack({place, number}))
    end
    x[SIGNALS] = number
    log.append({EVENT_SIGNAL_RECEIVED, id, x[PARTITION], x[LANE], waitpoint, name, number, effect, {actor, reason}, at})
    x[STEPS] = log.noted(id, x[STEPS])
end

-- Writes what was decided of a wait: what is remembered, which waitpoints are listed, how it ended, what was received.
function executions.remember(id, x, waited)
    list(x[LANE], listed(executions.remembered(id, x)), waited[WAITED_LISTED])
    unit.set('detail', id .. 'a', cmsgpack.pack({waited[WAITED_REMEMBERED], waited[WAITED_LISTED]}))
    x[SIGNALS] = x[SIGNALS] or 0
    if waited[WAITED_STEP] then
        executions.keep_step(id, x, unpack(waited[WAITED_STEP]))
    end
    if waited[WAITED_SIGNAL] then
        receive(id, x, waited[WAITED_SIGNAL])
    end
    executions.changed[id] = x
end

-- Takes the waitpoints of an execution that ends off the list, whatever ends it: the program reads from its state that they are
-- closed.
function executions.unlist(id, x)
    local packed = executions.remembered(id, x)
    if #listed(packed) > 0 then
        list(x[LANE], listed(packed), {})
        unit.set('detail', id .. 'a', cmsgpack.pack({bytes.list(packed)[WAITED_REMEMBERED], {}}))
    end
end

function executions.clear_waits(id, x)
    if not x[SIGNALS] then
        return
    end
    executions.unlist(id, x)
    for number = 1, x[SIGNALS] do
        local nth = bytes.two(number)
        local told = unit.get('detail', id .. 'h' .. nth)
        local waitpoint, _, _, _, _, key_of_signal = unpack(bytes.list(told) or {})
        if key_of_signal then
            unit.remove('detail', key_field(id, waitpoint, key_of_signal))
        end
        unit.remove('detail', id .. 'h' .. nth)
        unit.remove('detail', id .. 'm' .. nth)
    end
    unit.remove('detail', id .. 'a')
end

-- Writes what was decided of one execution, and says whether nothing had changed; or why its fence does not hold.
-- fence: partition, attempt, epoch, if only the holder of the lease may do it
-- given_up: of a lease that ends with it what a repeat is compared with, and until when it waits or false
-- closed: the waitpoint that an operator closes, and who does it and why
local function wait_one(id, before, decided, remembered, waited, fence, given_up, closed)
    local x = executions.get(id)
    if fence and (not x or x[PARTITION] ~= fence[1] or not executions.holds(x, fence[2], fence[3])) then
        return executions.unheld(id, fence[1], x)
    end
    if not executions.take_step(id, before, decided, remembered, waited) then
        return false
    end
    if given_up then
        x[GIVEN_UP] = records.given_up(fence[3], given_up[1], decided[CHANGE_STEP], given_up[2])
    end
    if closed then
        log.append({EVENT_WAITPOINT_CLOSED, id, x[PARTITION], x[LANE], closed[1], closed[2], unit.now})
        x[STEPS] = log.noted(id, x[STEPS])
    end
    return true
end

local function wait_all(asked)
    local answers = {}
    for n = 1, #asked do
        answers[n] = wait_one(unpack(asked[n]))
    end
    return answers
end

-- await: opens and closes waitpoints, and receives signals.
-- suspend: ends leases by suspensions, also where no memory is left.
-- asked, each: what wait_one takes, false where there is nothing
register('await', {}, wait_all)
register('suspend', {'allow-oom'}, wait_all)

-- received: signals of an execution, in the order in which they came.
-- asked: id, partition, how many are before the first one, how many at most, how many bytes are enough
-- answers: false when there is no such execution; or of each signal what is told of it and its content or false, one behind the
--     other, and whether there are more
register_reading('received', function(asked)
    local id, partition, before, most, enough = unpack(asked)
    local x = executions.get(id)
    if not x or x[PARTITION] ~= partition then
        return x == false and 'unreadable'
    end
    local last = x[SIGNALS] or 0
    local found, size, number = {}, 0, before
    while number < math.min(last, before + most) and size < enough do
        number = number + 1
        local nth = bytes.two(number)
        local signal = unit.get_all('detail', {id .. 'h' .. nth, id .. 'm' .. nth})
        found[#found + 1] = signal[1]
        found[#found + 1] = signal[2]
        size = size + (signal[2] and #signal[2] or 0)
    end
    return {found, number < last}
end)

-- waitpoints: those that are listed in a lane, the oldest first.
-- asked: namespace, name; the one after which to begin or false; the moment before which they were opened or false; how many at
--     most; how many bytes are enough
-- answers: the waitpoints, each as it is listed; the executions that live of those that they are of, each its id, how it stands, and
--     what is remembered of its waits; whether there are more
register_reading('waitpoints', function(asked)
    local namespace, name, after, before, most, enough = unpack(asked)
    local number = lanes.number(namespace, name)
    if not number then
        return {{}, {}, false}
    end
    local lane = bytes.four(number)
    local members = redis.call(
        'ZRANGEBYLEX', key.waitpoint, after and '(' .. lane .. after or '[' .. lane,
        '(' .. (before and lane .. bytes.eight(before) or bytes.beyond(lane)), 'LIMIT', 0, most)
    local found, waiting, seen, size = {}, {}, {}, 0
    for n = 1, #members do
        if size >= enough then
            break
        end
        found[n] = string.sub(members[n], 5)
        local id = string.sub(found[n], 9, 24)
        local x = not seen[id] and executions.get(id)
        if x and not executions.is_terminal(x[SITUATION]) then
            local remembered = executions.remembered(id, x)
            waiting[#waiting + 1] = {id, unit.get('execution', id), remembered}
            size = size + (remembered and #remembered or 0)
        end
        seen[id] = true
    end
    return {found, waiting, #found < #members or #members == most}
end)
