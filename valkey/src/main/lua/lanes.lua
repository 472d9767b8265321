-- Lanes, and how they share.

function lanes.begin()
    lanes.known = {}
    lanes.changed = {}
end

function lanes.number(namespace, name)
    local number = unit.get('name', 'l' .. namespace .. '\0' .. name)
    return number and tonumber(number)
end

function lanes.get(number)
    local lane = lanes.known[number]
    if not lane then
        lane = cmsgpack.unpack(unit.get('lane', tostring(number)))
        lanes.known[number] = lane
    end
    return lane
end

-- A lane, which comes into being with the first call that names it.
function lanes.register(namespace, name, by)
    local number = lanes.number(namespace, name)
    if not number then
        number = unit.next_number('lanes')
        unit.set('name', 'l' .. namespace .. '\0' .. name, tostring(number))
        unit.add('listing', 0, 'l' .. namespace .. '\0' .. name)
        lanes.known[number] = {
            namespace, name, ACTIVE, 1, false, false, {}, {}, 1, 0, false, unit.now, by, false, 0, false, 0, false}
        lanes.changed[number] = true
    end
    return number
end

-- The numbers of the lanes of a namespace.
function lanes.all_of(namespace)
    local members = bytes.range('listing', 'l' .. namespace .. '\0', nil, -1)
    local numbers = {}
    for n = 1, #members do
        numbers[n] = tonumber(unit.get('name', members[n]))
    end
    return numbers
end

-- There may be work, in whichever lane of a namespace.
function lanes.wake_all(namespace)
    local numbers = lanes.all_of(namespace)
    for n = 1, #numbers do
        executions.woken[numbers[n]] = false
    end
end

function lanes.takes(lane)
    return lane[LANE_STATE] == ACTIVE or lane[LANE_STATE] == PAUSED
end

function lanes.gives(lane)
    return lane[LANE_STATE] == ACTIVE or lane[LANE_STATE] == DRAINING
end

-- Whether all work of a lane belongs into the main partition, because it counts against something there.
function lanes.is_gathered(lane)
    return lane[GATHERED] or #lane[LANE_QUOTAS] > 0 or #lane[LANE_BUDGETS] > 0
end

-- Where work stands in a lane, in fifteen bytes: by rank, then begun before fresh, then in the order of submission.
function lanes.place(lane, priority, submitted, sequence, fresh, round)
    if lane[AGEING] then
        return struct.pack('>I8BI6', submitted - priority * lane[AGEING] + 1125899906842624, fresh and 1 or 0, sequence)
    end
    return struct.pack('>I2I6BI6', 9000 - priority, fresh and round or 0, fresh and 1 or 0, sequence)
end

-- Where an execution stands.
function lanes.place_of(lane, x, round)
    return lanes.place(lane, x[PRIORITY], x[SUBMITTED], x[SEQUENCE], x[NEXT] == FIRST, round)
end

function lanes.finish()
    for number in pairs(lanes.changed) do
        unit.set('lane', tostring(number), cmsgpack.pack(lanes.known[number]))
    end
end
