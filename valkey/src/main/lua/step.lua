-- Everything that is decided by the program: it reads, decides, and writes if nothing has changed meanwhile.

-- read: values of fields, in one view.
-- asked, each: name of a hash, and its fields
register_reading('read', function(asked)
    local answers = {}
    for n = 1, #asked do
        answers[n] = unit.get_all(asked[n][1], asked[n][2])
    end
    return answers
end)

-- Takes a decided step, and writes what was decided of a wait, if the execution is as it was when they were decided. Says whether
-- it was.
-- decided, waited: either may be false
-- remembered: what was remembered of its waits then, if something is written of them
-- uncounted: whether limits of its lane would not count it here; then it is decided anew once the lane has any
function executions.take_step(id, before, decided, remembered, waited, uncounted)
    local x = executions.get(id)
    if not x or unit.get('execution', id) ~= before or (waited and executions.remembered(id, x) ~= remembered) then
        return false
    end
    if uncounted and lanes.is_gathered(lanes.get(x[LANE])) then
        return false
    end
    if waited then
        executions.remember(id, x, waited)
    end
    if decided then
        executions.apply(id, x, decided)
    end
    return true
end

-- step: takes decided steps.
-- asked, each: id, the execution as it was when it was decided, the change; and as far as it is about waits what was remembered of
--     them, and what is to be; and whether limits of its lane would not count it here
-- answers, each: whether it was taken
register('step', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        answers[n] = executions.take_step(unpack(asked[n]))
    end
    return answers
end)

-- range: members of sorted sets, in one view.
-- asked, each: name of a sorted set, what the members begin with, the one after which to begin or false, how many at most
register_reading('range', function(asked)
    local answers = {}
    for n = 1, #asked do
        local name, prefix, after, most = unpack(asked[n])
        answers[n] = bytes.range(name, prefix, after, most)
    end
    return answers
end)

-- What is written of what was decided.
local writes = {
    set = function(hash, field, value)
        unit.set(hash, field, value)
    end,
    remove = function(hash, field)
        unit.remove(hash, field)
    end,
    add = function(set, score, member)
        unit.add(set, score, member)
    end,
    drop = function(set, member)
        unit.drop(set, member)
    end,
    event = function(event)
        log.append(event)
    end,
    -- by: the letter and the name of what shuts gates, and may have room now
    reopen = function(by)
        gates.reopen(by, true)
    end,
    wake = function(namespace)
        lanes.wake_all(namespace)
    end}

local function is_as_read(checks)
    for n = 1, #checks do
        if unit.get(checks[n][1], checks[n][2]) ~= checks[n][3] then
            return false
        end
    end
    return true
end

local function write_decided(decided)
    for n = 1, #decided do
        writes[decided[n][1]](unpack(decided[n], 2))
    end
end

-- apply: writes what was decided, if everything that it was decided by is as it was.
-- asked: what it was decided by, each a hash, a field, and its value or false; what is to be written, each its name and
--     what that takes
-- answers: whether it was written
register('apply', {'allow-oom'}, function(asked)
    if not is_as_read(asked[1]) then
        return false
    end
    write_decided(asked[2])
    return true
end)

-- fire: takes work in that a schedule submits, and writes what becomes of the schedule, if it is as it was when it was decided.
-- asked: what was read; what is written; and the work, as 'submit' is asked to take it
-- answers: 'done'; 'changed'; or 'unheard', or 'refused' with the number of an item and what is in its way, as 'submit' says it
register('fire', {}, function(asked)
    if not is_as_read(asked[1]) then
        return {'changed'}
    end
    local why = flows.obstacle(asked[3])
    if why then
        return why
    end
    flows.take_in(asked[3], {})
    write_decided(asked[2])
    return {'done'}
end)
