-- What the holder of a lease writes.

-- How an execution stands for a worker whose fence does not hold.
local function standing(x)
    return {'lost', x[PARTITION], x[ATTEMPTS], x[EPOCH], x[SITUATION], x[NEXT], x[GIVEN_UP]}
end

local function unheld(id, partition, x)
    if x == nil or (x and x[PARTITION] ~= partition) then
        return {'unknown'}
    end
    return x == false and {'unreadable'} or standing(x)
end

-- end: ends leases.
-- asked, each: id, partition, attempt, epoch, digest, and the change; of its times 'after' counts from now on
-- answers, each: true and until when it waits; or why not
register('end', {'allow-oom'}, function(asked)
    local ids = {}
    for n = 1, #asked do
        ids[n] = asked[n][1]
    end
    executions.fetch(ids)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, digest, decided = unpack(asked[n])
        local x = executions.get(id)
        if not x or x[PARTITION] ~= partition or not executions.holds(x, attempt, epoch) then
            answers[n] = unheld(id, partition, x)
        else
            local moment = decided[CHANGE_UNTIL]
            local ends = moment and (moment[1] == 'after' and unit.now + moment[2] or moment[2])
            local waits = ends and ends > unit.now
            if ends and not waits then
                decided[CHANGE_SITUATION] = READY
            end
            decided[CHANGE_UNTIL] = waits and ends
            decided[CHANGE_DELAYED_BY] = waits and decided[CHANGE_DELAYED_BY]
            decided[CHANGE_PRIORITY] = x[PRIORITY]
            decided[CHANGE_RETRIES] = x[RETRIES] + decided[CHANGE_RETRIES]
            decided[CHANGE_RECLAIMS] = x[RECLAIMS]
            decided[CHANGE_REPLAYS] = x[REPLAYS]
            decided[CHANGE_DEADLINE] = x[DEADLINE]
            executions.apply(id, x, decided)
            x[GIVEN_UP] = {epoch, digest, decided[CHANGE_STEP], ends}
            answers[n] = {true, ends}
        end
    end
    return answers
end)

-- progress: records how far work is.
-- asked, each: id, partition, attempt, epoch, what is reported
register('progress', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, report = unpack(asked[n])
        local x = executions.get(id)
        if not x or x[PARTITION] ~= partition or not executions.holds(x, attempt, epoch) then
            answers[n] = unheld(id, partition, x)
        else
            x[PROGRESS_AT] = unit.now
            executions.changed[id] = x
            unit.set('detail', id .. 'p', report)
            if x[STALL_TIMEOUT] then
                unit.add('stall', unit.now + x[STALL_TIMEOUT], id)
            end
            answers[n] = {true}
        end
    end
    return answers
end)
