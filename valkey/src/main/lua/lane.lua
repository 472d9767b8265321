-- How lanes are kept.

-- lane: how a lane stands; false when nothing has named it so far.
-- asked: namespace, name
register_reading('lane', function(asked)
    local number = lanes.number(asked[1], asked[2])
    return number and lanes.get(number) or false
end)

-- lanes: how the lanes of a namespace stand, by name.
-- asked: namespace, the name after which to begin, how many at most
register_reading('lanes', function(asked)
    local prefix = 'l' .. asked[1] .. '\0'
    local members = bytes.range('listing', prefix, prefix .. asked[2], asked[3])
    local found = {}
    for n = 1, #members do
        found[n] = lanes.get(tonumber(unit.get('name', members[n])))
    end
    return found
end)

-- Everything in a lane that is ready, in the order of submission.
local function ready_in(number)
    local found = {}
    local function behind(gate)
        local entries = bytes.range('ready', bytes.four(gate), nil, -1)
        for n = 1, #entries do
            local id = string.sub(entries[n], 20)
            local x = executions.get(id)
            if x and x[SITUATION] == READY then
                found[#found + 1] = {id, x}
            end
        end
    end
    local prefix = bytes.four(number)
    local open = bytes.range('front', prefix, nil, -1)
    for n = 1, #open do
        behind(bytes.read_four(open[n], 24))
    end
    local closed = bytes.range('closed', prefix, nil, -1)
    for n = 1, #closed do
        behind(bytes.read_four(closed[n], 9))
    end
    table.sort(found, function(one, other)
        return one[2][SEQUENCE] < other[2][SEQUENCE]
    end)
    return found
end

-- Ranks everything anew that waits in a lane.
local function rank_anew(number, shared)
    local ready = ready_in(number)
    for n = 1, #ready do
        executions.rank_anew(ready[n][1], ready[n][2], shared)
    end
end

local function change_lane(number, lane, settings)
    local shared, aged = lane[SHARING], lane[AGEING]
    lane[LANE_STATE], lane[WEIGHT], lane[AGEING], lane[SHARING], lane[LANE_QUOTAS], lane[LANE_BUDGETS], lane[SETTINGS],
        lane[LANE_CHANGED_BY] = unpack(settings)
    lane[LANE_CHANGED] = unit.now
    lanes.changed[number] = true
    if shared ~= lane[SHARING] then
        rounds.begin_anew(number, lane)
    end
    if shared ~= lane[SHARING] or aged ~= lane[AGEING] then
        rank_anew(number, shared)
    end
    gates.reopen_lane(number)
    -- Opening a lane makes what waits in it visible again.
    executions.woken[number] = false
end

-- configure_lane: changes how a lane behaves, which comes into being if there is none.
-- asked: namespace, name, who brings it into being, the written settings that it was decided by or false, quotas that must be
--     there, budgets with dimensions that must be there, the settings as they are to be or false if they stay, and what is told of it
-- answers: 'again' when it has other settings by now; what is missing; or 'done' and how it stands
register('configure_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor, before, named, drawn, settings, event = unpack(asked)
    local number = lanes.number(namespace, name)
    if (number and lanes.get(number)[SETTINGS] or false) ~= before then
        return {'again'}
    end
    local lacking = gates.missing(namespace, named, drawn)
    if lacking then
        return lacking
    end
    number = lanes.register(namespace, name, actor)
    if settings then
        change_lane(number, lanes.get(number), settings)
        log.append(event)
        lanes.get(number)[LANE_STAMP] = log.stamp()
    end
    return {'done', lanes.get(number)}
end)

-- lane_lacks: what is not there of what a lane is to name; false when all of it is.
-- asked: namespace, quotas, budgets with dimensions
register_reading('lane_lacks', function(asked)
    return gates.missing(unpack(asked)) or false
end)

-- Lanes in the other partitions of a spread namespace. How one behaves is decided in the main partition, and passed on with the
-- stamp of that decision.

-- Whether there is work in a lane that has not ended.
local function is_occupied(number)
    for situation = READY, SUSPENDED do
        if unit.get('count', bytes.four(number) .. string.char(situation)) then
            return true
        end
    end
    return false
end

-- gather_lane: lets no more work into a lane here: it belongs into the main partition from now on, whatever becomes of that.
-- asked: namespace, name, who brings it into being
-- answers: false when there is work in it that has not ended
register('gather_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor = unpack(asked)
    local number = lanes.register(namespace, name, actor)
    if is_occupied(number) then
        return false
    end
    lanes.get(number)[GATHERED] = true
    lanes.changed[number] = true
    return true
end)

-- pass_on_lane: lets a lane behave as it does in the main partition.
-- asked: namespace, name, who brings it into being, the settings, the stamp with which they were decided
-- answers: whether they were new here
register('pass_on_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor, settings, stamp = unpack(asked)
    local number = lanes.register(namespace, name, actor)
    local lane = lanes.get(number)
    if lane[LANE_STAMP] >= stamp then
        return false
    end
    change_lane(number, lane, settings)
    lane[LANE_STAMP] = stamp
    lane[GATHERED] = false
    return true
end)
