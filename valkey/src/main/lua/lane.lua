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

function lanes.change(number, lane, settings)
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
--     there, budgets with dimensions that must be there, the settings as they are to be or false if they stay, what is told of it,
--     and the change of a spread lane that must be under way or false
-- answers: 'again' when it has other settings by now; 'overtaken' when another change is under way; what is missing; or 'done'
--     and how it stands
register('configure_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor, before, named, drawn, settings, event, change = unpack(asked)
    local number = lanes.number(namespace, name)
    if (number and lanes.get(number)[SETTINGS] or false) ~= before then
        return {'again'}
    end
    if change and lanes.change_under_way(namespace, name) ~= change then
        return {'overtaken'}
    end
    local lacking = gates.missing(namespace, named, drawn)
    if lacking then
        return lacking
    end
    number = lanes.register(namespace, name, actor)
    if settings then
        lanes.change(number, lanes.get(number), settings)
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
