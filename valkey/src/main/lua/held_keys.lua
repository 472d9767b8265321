-- Idempotency keys of work that lies in another partition of its namespace: id, and since when it is on its way there. Work that
-- lies where its key does is known by its id alone.

local ID = 16

-- Who has a key: 'known' with an execution of this partition; or 'held' with one of another and since when.
function held_keys.answer(value)
    if #value == ID then
        return {'known', value}
    end
    return {'held', string.sub(value, 1, ID), bytes.read_six(value, ID + 1)}
end

-- hold_keys: holds keys for work that is about to be stored in another partition.
-- asked, each: the key with its namespace, and the execution
-- answers, each: false when it is held, since now; true when it was held for the same execution before, and is for longer now; or
--     who has it
register('hold_keys', {}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local unique, id = unpack(asked[n])
        local value = unit.get('unique', unique)
        local holder = value and held_keys.answer(value)
        if holder and (holder[1] == 'known' or holder[2] ~= id) then
            answers[n] = holder
        else
            -- What is held again is held since later, also within a millisecond: whoever held it before gives up nothing of it.
            unit.set('unique', unique, id .. bytes.six(math.max(unit.now, holder and holder[3] + 1 or 0)))
            answers[n] = holder and true or false
        end
    end
    return answers
end)

-- give_up_key: gives up a key that was held for work of another partition.
-- asked: the key with its namespace, the execution, and since when it is held; one that was held again meanwhile is so since later
register('give_up_key', {'allow-oom'}, function(asked)
    local unique, id, since = unpack(asked)
    local value = unit.get('unique', unique)
    local holder = value and held_keys.answer(value)
    if holder and holder[1] == 'held' and holder[2] == id and holder[3] == since then
        unit.remove('unique', unique)
    end
    return true
end)

-- give_up_ended_key: gives up a key that work of this partition has, once it has ended, for work that takes the key over elsewhere.
-- asked: the key with its namespace, and the execution
register('give_up_ended_key', {'allow-oom'}, function(asked)
    local unique, id = unpack(asked)
    local x = unit.get('unique', unique) == id and executions.get(id)
    if x and executions.is_terminal(x[SITUATION]) then
        unit.remove('unique', unique)
    end
    return true
end)

-- held_keys: since when keys are held for work of other partitions.
-- asked, each: the key with its namespace, and the execution
-- answers, each: since when; or false when it is not held for that
register_reading('held_keys', function(asked)
    local answers = {}
    for n = 1, #asked do
        local unique, id = unpack(asked[n])
        local value = unit.get('unique', unique)
        local holder = value and held_keys.answer(value)
        answers[n] = holder and holder[1] == 'held' and holder[2] == id and holder[3] or false
    end
    return answers
end)
