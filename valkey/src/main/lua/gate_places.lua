-- Where gates stand.
--
-- A gate with work is at the front of its lane, by the place of its first entry; or, once a claim has found it shut, with
-- the quota or the budget that shuts it. There it waits until that has room: a claim does not look at it.
--
-- What has room for some lets no more gates of a lane and route to the front than it has room for, those whose work comes
-- first, however many wait: there may be one for each customer. When one of them leaves the front for another reason
-- while there is room, others follow. Of budgets it is not known for how much they have room; a few are let go at once.

-- So many gates are let to the front at least.
local A_FEW = 16

-- What follows the name of what shuts a gate: two zero bytes, lane, route, place, gate.
local SHUT_TAIL = 29

-- The letter and the name of what shuts a gate, of a member that says so.
function gates.shut_by_name(member)
    return string.sub(member, 1, -1 - SHUT_TAIL)
end

-- Entries behind a gate have come or gone: where it belongs is seen to once they are written.
function gates.touch(number)
    gates.touched[number] = true
end

-- A claim has found a gate shut.
function gates.shut(number, by)
    gates.found_shut[number] = by
    gates.touched[number] = true
end

-- What shuts gates may have room.
-- any: whether it shuts some
function gates.reopen(by, any)
    if any then
        gates.reopening[by] = true
    end
end

-- Everything may have room whose name begins like this.
function gates.reopen_all(prefix)
    local waiting = bytes.range('shut', prefix, nil, -1)
    for n = 1, #waiting do
        gates.reopening[gates.shut_by_name(waiting[n])] = true
    end
end

-- What the work of a lane needs has changed.
function gates.reopen_lane(lane)
    local waiting = bytes.range('closed', bytes.four(lane), nil, -1)
    for n = 1, #waiting do
        local number = bytes.read_four(waiting[n], 9)
        gates.freed[number] = true
        gates.touched[number] = true
    end
end

local function note_shut(by, more)
    local name = string.sub(by, 2)
    if string.sub(by, 1, 1) == 'q' then
        quotas.shuts(name, more)
    else
        budgets.shuts(name, more)
    end
end

local function front_member(number, place)
    local gate = gates.get(number)
    return bytes.four(gate[GATE_LANE]) .. bytes.four(gate[GATE_ROUTE]) .. place .. bytes.four(number)
end

local function shut_member(number, by, place)
    return by .. '\0\0' .. front_member(number, place)
end

local function closed_member(number)
    local gate = gates.get(number)
    return bytes.four(gate[GATE_LANE]) .. bytes.four(gate[GATE_ROUTE]) .. bytes.four(number)
end

-- For how much there is room behind something that shuts gates, as far as that is known.
local function room(by)
    local name = string.sub(by, 2)
    if string.sub(by, 1, 1) == 'q' then
        return quotas.room(name)
    end
    return budgets.has_room(name) and A_FEW or 0
end

-- A gate leaves the front: what it needs may have room for others, which it has kept waiting.
local function let_others(number)
    local needs = gates.needs(number)
    for n = 1, #needs[1] do
        if quotas.meter(needs[1][n])[METER_SHUT] > 0 and quotas.has_room(needs[1][n]) then
            gates.reopening['q' .. needs[1][n]] = true
        end
    end
    for n = 1, #needs[2] do
        budgets.upwards(needs[2][n], function(budget, at)
            if budget[BUDGET_SHUT] > 0 and budgets.has_room(at) then
                gates.reopening['b' .. at] = true
            end
            return nil
        end)
    end
end

-- What shuts a gate from now on; false when it is open, or has no work.
local function shut_by(number, place, head)
    local by = gates.found_shut[number] or head[2]
    if not place or not by or gates.freed[number] then
        return false
    end
    if gates.found_shut[number] then
        return not gates.reopened[by] and by
    end
    -- Other work comes first behind it, and was not there when gates were let go.
    return (place == head[1] or room(by) == 0) and by
end

-- Puts a gate where it belongs: to the front, to what shuts it, or nowhere if it has no work.
local function settle(number)
    local field = bytes.four(number)
    local first = bytes.range('ready', field, nil, 1)[1]
    local place = first and string.sub(first, 5, 19)
    local packed = unit.get('head', field)
    local head = packed and cmsgpack.unpack(packed) or {false, false}
    local shut = shut_by(number, place, head)
    if place == head[1] and shut == head[2] then
        return
    end
    if head[1] and not head[2] then
        unit.drop('front', front_member(number, head[1]))
        if shut or not place then
            let_others(number)
        end
    end
    if head[2] then
        unit.drop('shut', shut_member(number, head[2], head[1]))
        if head[2] ~= shut then
            unit.drop('closed', closed_member(number))
            note_shut(head[2], -1)
        end
    end
    if place and shut then
        unit.add('shut', 0, shut_member(number, shut, place))
        if head[2] ~= shut then
            unit.add('closed', 0, closed_member(number))
            note_shut(shut, 1)
        end
    elseif place then
        unit.add('front', 0, front_member(number, place))
        if head[2] then
            executions.woken[gates.get(number)[GATE_LANE]] = false
        end
    end
    if place then
        unit.set('head', field, cmsgpack.pack({place, shut}))
    else
        unit.remove('head', field)
    end
end

-- Removes a gate behind which nothing will ever wait again.
local function bury(number)
    local gate = gates.get(number)
    local field = bytes.four(number)
    if gates.passes_away(gate) and not unit.get('users', field) then
        unit.remove('name', 'g' .. cmsgpack.pack({gate[GATE_LANE], gate[GATE_ROUTE], gate[GATE_QUOTAS], gate[GATE_BUDGETS]}))
        unit.remove('gate', field)
    end
end

-- Frees the first gates of each lane and route behind something that has room.
local function open_first(by)
    local most = math.max(A_FEW, room(by))
    most = most < math.huge and most or -1
    local prefix = by .. '\0\0'
    local member = bytes.range('shut', prefix, nil, 1)[1]
    while member do
        local group = string.sub(member, 1, #prefix + 8)
        local found = bytes.range('shut', group, gates.passed[group], most)
        for n = 1, #found do
            local number = bytes.read_four(found[n], #found[n] - 3)
            gates.freed[number] = true
            gates.touched[number] = true
        end
        gates.passed[group] = found[#found] or gates.passed[group]
        member = redis.call(
            'ZRANGEBYLEX', key.shut, '[' .. bytes.beyond(group), '(' .. bytes.beyond(prefix), 'LIMIT', 0, 1)[1]
    end
end

-- Sees to everything that has changed, once the entries are written.
function gates.settle()
    repeat
        local reopening, touched = gates.reopening, gates.touched
        gates.reopening = {}
        for by in pairs(reopening) do
            gates.reopened[by] = true
            open_first(by)
        end
        gates.touched = {}
        for number in pairs(touched) do
            settle(number)
            bury(number)
        end
    until not next(gates.reopening) and not next(gates.touched)
end

-- Puts the gates to the front whose rates have room by now, so that this call finds them there.
function gates.open_due()
    if quotas.open_due() then
        gates.settle()
        unit.write()
        gates.freed = {}
        gates.passed = {}
        gates.reopened = {}
    end
end
