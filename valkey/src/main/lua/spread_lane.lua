-- Lanes of spread namespaces. How one behaves is decided in the main partition, and passed on to the others with the stamp of that
-- decision.
--
-- Such a change is one call after the other, and its process may die in between. So the main partition notes it first, with the
-- time until which it may take: that is its number, too. What is noted for longer is finished by a sweep, as the main
-- partition has it by then. All partitions note the newest change that has come to them, so that nothing of an older one comes after
-- it, and numbers only grow.

-- So long a change may take.
local MAY_TAKE = 30000

-- The change of a lane that is under way; nil when there is none.
function lanes.change_under_way(namespace, name)
    return tonumber(unit.get('name', 'c' .. namespace .. '\0' .. name) or 'nil')
end

-- The newest change of a lane that was passed on to this partition, or ended in it; 0 when there was none.
local function newest_change(namespace, name)
    return tonumber(unit.get('name', 'n' .. namespace .. '\0' .. name) or '0')
end

local function note_newest(namespace, name, change)
    local newest = math.max(newest_change(namespace, name), change)
    unit.set('name', 'n' .. namespace .. '\0' .. name, string.format('%.0f', newest))
end

-- begin_lane_change: notes in the main partition that a lane is about to be changed.
-- asked: namespace, name, and the change that is to be finished by this one or false
-- answers: the number of the change; false when the one to be finished is not under way any more
register('begin_lane_change', {'allow-oom'}, function(asked)
    local namespace, name, unfinished = unpack(asked)
    local before = lanes.change_under_way(namespace, name)
    if unfinished and before ~= unfinished then
        return false
    end
    local change = math.max(unit.now + MAY_TAKE, (before or 0) + 1, newest_change(namespace, name) + 1)
    unit.set('name', 'c' .. namespace .. '\0' .. name, string.format('%.0f', change))
    unit.add('due', change, 'l' .. namespace .. '\0' .. name)
    return change
end)

-- end_lane_change: notes in the main partition that all others behave as it does.
-- asked: namespace, name, and the number of the change
register('end_lane_change', {'allow-oom'}, function(asked)
    local namespace, name, change = unpack(asked)
    note_newest(namespace, name, change)
    -- One that has begun since sees to it itself.
    if lanes.change_under_way(namespace, name) == change then
        unit.remove('name', 'c' .. namespace .. '\0' .. name)
        unit.drop('due', 'l' .. namespace .. '\0' .. name)
    end
    return true
end)

-- unfinished_lane_changes: the changes that have taken for too long.
-- asked: how many at most
-- answers, each: namespace, name, number
register_reading('unfinished_lane_changes', function(asked)
    local due = redis.call('ZRANGEBYSCORE', key.due, '-inf', unit.now, 'LIMIT', 0, asked[1])
    local found = {}
    for n = 1, #due do
        local namespace, name = string.match(due[n], '^l(%Z*)%z(.*)$')
        if namespace then
            found[#found + 1] = {namespace, name, lanes.change_under_way(namespace, name) or false}
        end
    end
    return found
end)

-- Whether there is work in a lane that has not ended.
local function is_occupied(number)
    for situation = READY, SUSPENDED do
        if unit.get('count', bytes.four(number) .. string.char(situation)) then
            return true
        end
    end
    return false
end

-- gather_lane: lets no more work into a lane here: it belongs into the main partition, until a change says otherwise that is not
-- older.
-- asked: namespace, name, who brings it into being, the number of the change
-- answers: 'gathered'; 'occupied' when there is work in it that has not ended; 'overtaken' when one that is not older has said
--     otherwise before, and nobody would let work in again
register('gather_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor, change = unpack(asked)
    if newest_change(namespace, name) >= change then
        return 'overtaken'
    end
    local number = lanes.register(namespace, name, actor)
    if is_occupied(number) then
        return 'occupied'
    end
    local lane = lanes.get(number)
    lane[GATHERED] = math.max(tonumber(lane[GATHERED]) or 0, change)
    lanes.changed[number] = true
    return 'gathered'
end)

-- pass_on_lane: lets a lane behave as it does in the main partition.
-- asked: namespace, name, who brings it into being, the settings or false where it never had any, the stamp with which they were
--     decided, the number of the change
-- answers: whether they were new here
register('pass_on_lane', {'allow-oom'}, function(asked)
    local namespace, name, actor, settings, stamp, change = unpack(asked)
    note_newest(namespace, name, change)
    local number = settings and lanes.register(namespace, name, actor) or lanes.number(namespace, name)
    local lane = number and lanes.get(number)
    if not lane then
        return false
    end
    local new = settings and lane[LANE_STAMP] < stamp
    if new then
        lanes.change(number, lane, settings)
        lane[LANE_STAMP] = stamp
    end
    if lane[GATHERED] and (tonumber(lane[GATHERED]) or 0) <= change then
        lane[GATHERED] = false
        lanes.changed[number] = true
    end
    return new
end)
