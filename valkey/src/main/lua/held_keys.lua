-- Idempotency keys of work that lies in another partition of its namespace: id, and since when it is on its way there. Work that
-- lies where its key does is known by its id alone.

local ID = 16

-- Who has a key: 'known' with an execution of this partition; or 'held' with one of another and for how long it has been.
function held_keys.answer(value)
    if #value == ID then
        return {'known', value}
    end
    return {'held', string.sub(value, 1, ID), unit.now - bytes.read_six(value, ID + 1)}
end

-- hold_key: holds a key for work that is about to be stored in another partition.
-- asked: the key with its namespace, the execution, and the one that it may be held for so far or false
-- answers: false when it is held; or who has it
register('hold_key', {}, function(asked)
    local unique, id, instead = unpack(asked)
    local value = unit.get('unique', unique)
    if value then
        local holder = held_keys.answer(value)
        if holder[1] == 'known' or (holder[2] ~= id and holder[2] ~= instead) then
            return holder
        end
    end
    unit.set('unique', unique, id .. bytes.six(unit.now))
    return false
end)

-- give_up_key: gives up a key that was held for work of another partition.
-- asked: the key with its namespace, and the execution
register('give_up_key', {'allow-oom'}, function(asked)
    local unique, id = unpack(asked)
    local value = unit.get('unique', unique)
    if value and #value > ID and string.sub(value, 1, ID) == id then
        unit.remove('unique', unique)
    end
    return true
end)
