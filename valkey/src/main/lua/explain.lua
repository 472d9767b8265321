-- What is read for explanations, and of workers.

-- Going back in the history of an execution ends after so many entries: more than it can have recorded steps. Behind more signals
-- than that its last step is not looked for.
local FURTHEST = 1536

-- The last step of an execution in some entries of the log, other than to another priority; nil when there is none.
local function last_step_in(numbers, id)
    for at = #numbers - 5, 1, -6 do
        local events = log.read(string.sub(numbers, at, at + 5))
        for n = #events, 1, -1 do
            local event = events[n]
            if event[1] == EVENT_STEP and event[2] == id and event[5] ~= STEP_REPRIORITISE then
                return {event[5], event[7], event[11]}
            end
        end
    end
    return nil
end

local function last_step(id, steps)
    local moved = struct.unpack('>I2', steps)
    local numbers = string.sub(steps, 3)
    local found = last_step_in(numbers, id)
    local looked = #numbers / 6
    while not found and looked < FURTHEST do
        numbers = log.moved(id, moved)
        if not numbers then
            return false
        end
        found = last_step_in(numbers, id)
        looked = looked + #numbers / 6
        moved = moved - 1
    end
    return found or false
end

-- explain: an execution, how it came to what it is, and what the workers of its lane are at.
-- asked: id, letters of the details that are wanted
-- answers: false; or its record and details, its last step (which, when, by whom) or false, its place or false, how much each
--     living session of its namespace holds, and what is around it
register_reading('explain', function(asked)
    local id, letters = unpack(asked)
    local packed = unit.get('execution', id)
    local x = executions.get(id)
    if not x then
        return packed and {packed}
    end
    local around = surroundings.new()
    surroundings.note_execution(around, x)
    surroundings.note_lane(around, x[LANE])
    surroundings.note_workers(around)
    local holding = {}
    for worker in pairs(around.session) do
        local session = sessions.get(worker)
        if session then
            holding[#holding + 1] = {worker, sessions.running(worker, session)}
        end
    end
    return {packed, executions.details(id, letters), last_step(id, x[STEPS]), x[PLACE], holding, surroundings.told(around)}
end)

-- ahead: how many executions come before a place, behind some gates.
-- asked: gates by number, the place, and how many are counted at most
register_reading('ahead', function(asked)
    local numbers, place, most = unpack(asked)
    local count = 0
    for n = 1, #numbers do
        local prefix = bytes.four(numbers[n])
        local from = '[' .. prefix
        while count < most do
            local members = redis.call('ZRANGEBYLEX', key.ready, from, '(' .. prefix .. place, 'LIMIT', 0, 128)
            local ids = {}
            for m = 1, #members do
                ids[m] = string.sub(members[m], 20)
            end
            executions.fetch(ids)
            for m = 1, #ids do
                local x = executions.get(ids[m])
                if x and not executions.past_deadline(x) then
                    count = count + 1
                end
            end
            if #members < 128 then
                break
            end
            from = '(' .. members[128]
        end
    end
    return math.min(count, most)
end)

-- workers: sessions as they are.
-- asked: ids
-- answers, each: false; or its record, and how much it holds
register_reading('workers', function(asked)
    local answers = {}
    for n = 1, #asked do
        local session = sessions.get(asked[n])
        answers[n] = session and {unit.get('session', asked[n]), sessions.running(asked[n], session)} or false
    end
    return answers
end)

-- Up to so many ids of a listing, from one on.
local function listed_from(prefix, from, most)
    local found = redis.call('ZRANGEBYLEX', key.worker, '[' .. prefix .. from, '(' .. bytes.beyond(prefix), 'LIMIT', 0, most)
    for n = 1, #found do
        found[n] = string.sub(found[n], #prefix + 1)
    end
    return found
end

-- listed_workers: the ids of the sessions of a namespace, in their order.
-- asked: namespace, the id from which on, how many at most, whether also the dead ones
register_reading('listed_workers', function(asked)
    local namespace, from, most, dead_too = unpack(asked)
    local unburied = listed_from(namespace .. '\0a', from, dead_too and most or -1)
    local others = dead_too and listed_from(namespace .. '\0d', from, most) or {}
    local found, at, other = {}, 1, 1
    while #found < most and (unburied[at] or others[other]) do
        if others[other] and (not unburied[at] or bytes.before(others[other], unburied[at])) then
            found[#found + 1] = others[other]
            other = other + 1
        else
            if dead_too or sessions.is_alive(unburied[at]) then
                found[#found + 1] = unburied[at]
            end
            at = at + 1
        end
    end
    return found
end)
