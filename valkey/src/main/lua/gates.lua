-- Gates. Work of one lane, kind and needs, with the same quotas and reservations, waits behind one gate: either all of it may
-- start, or none.
--
-- Where a gate stands, at the front of its lane or with what shuts it, is seen to in gate_places.lua.

function gates.begin()
    gates.known = {}
    gates.touched = {}
    gates.reopening = {}
    gates.reopened = {}
    gates.passed = {}
    gates.freed = {}
    gates.found_shut = {}
    gates.wanted = {}
    gates.given = {}
end

function gates.get(number)
    local gate = gates.known[number]
    if not gate then
        gate = cmsgpack.unpack(unit.get('gate', bytes.four(number)))
        gates.known[number] = gate
    end
    return gate
end

-- What is not there of the quotas and the budgets, with their dimensions, that work or a lane names; nil when all of it is.
function gates.missing(namespace, names, wanted)
    for n = 1, #names do
        if not unit.get('quota', namespace .. '\0' .. names[n]) then
            return {'no_quota', names[n]}
        end
    end
    for n = 1, #wanted do
        local budget = budgets.get(namespace .. '\0' .. wanted[n][1])
        if not budget or budget[BUDGET_DELETED] then
            return {'no_budget', wanted[n][1]}
        end
        for d = 2, #wanted[n] do
            if not budgets.dimension(budget, wanted[n][d]) then
                return {'no_dimension', wanted[n][1], wanted[n][d]}
            end
        end
    end
    return nil
end

-- The number of a route: a kind, and what a worker must offer, in the written form.
local function route_number(kind, needs)
    local name = 'r' .. kind .. '\0' .. needs
    local number = unit.get('name', name)
    if number then
        return tonumber(number)
    end
    number = unit.next_number('routes')
    unit.set('name', name, tostring(number))
    unit.set('route', tostring(number), cmsgpack.pack({kind, needs}))
    return number
end

-- The number of the gate for some work, which comes into being if there is none.
-- definition: kind, needs, quotas with their keys, budgets with what is reserved of them
function gates.number(lane, definition)
    local given = gates.given[definition]
    if not given then
        given = {}
        gates.given[definition] = given
    end
    given[lane] = given[lane] or gates.find(lane, definition)
    return given[lane]
end

function gates.find(lane, definition)
    local route = route_number(definition[1], definition[2])
    local gate = {lane, route, definition[3], definition[4]}
    local name = 'g' .. cmsgpack.pack(gate)
    local number = unit.get('name', name)
    if number then
        return tonumber(number)
    end
    number = unit.next_number('gates')
    unit.set('name', name, tostring(number))
    unit.set('gate', bytes.four(number), cmsgpack.pack(gate))
    gates.known[number] = gate
    return number
end

-- Whether a gate goes when its work has gone: there may be one for each customer.
function gates.passes_away(gate)
    return #gate[GATE_QUOTAS] > 0 or #gate[GATE_BUDGETS] > 0
end

-- So many executions more, or fewer, may still wait behind a gate.
function gates.used(number, more)
    if gates.passes_away(gates.get(number)) then
        unit.sum('users', bytes.four(number), more)
        gates.touched[number] = true
    end
end

-- What work behind a gate counts against when it starts now: names of meters; names of budgets, and what it reserves of each.
function gates.needs(number)
    if gates.wanted[number] then
        return gates.wanted[number]
    end
    local gate = gates.get(number)
    local lane = lanes.get(gate[GATE_LANE])
    local prefix = lane[LANE_NAMESPACE] .. '\0'
    local meters, drawn, reserves, seen = {}, {}, {}, {}
    local function count(use)
        if not seen[use] then
            seen[use] = true
            meters[#meters + 1] = prefix .. use
        end
    end
    for n = 1, #gate[GATE_QUOTAS] do
        count(gate[GATE_QUOTAS][n])
    end
    for n = 1, #lane[LANE_QUOTAS] do
        count(lane[LANE_QUOTAS][n])
    end
    local function draw(use)
        local name = prefix .. use[1]
        local reserve = reserves[name]
        if not reserve then
            reserve = {}
            reserves[name] = reserve
            drawn[#drawn + 1] = name
        end
        for n = 1, #use[2], 2 do
            reserve[use[2][n]] = math.max(reserve[use[2][n]] or 0, use[2][n + 1])
        end
    end
    for n = 1, #gate[GATE_BUDGETS] do
        draw(gate[GATE_BUDGETS][n])
    end
    for n = 1, #lane[LANE_BUDGETS] do
        draw(lane[LANE_BUDGETS][n])
    end
    gates.wanted[number] = {meters, drawn, reserves}
    return gates.wanted[number]
end

-- Whether work behind a gate counts against anything.
function gates.is_limited(number)
    local needs = gates.needs(number)
    return #needs[1] > 0 or #needs[2] > 0
end

-- What shuts a gate: a letter and the name of a quota's meter or of a budget; nil when it is open.
function gates.obstacle(number)
    local needs = gates.needs(number)
    for n = 1, #needs[1] do
        if not quotas.has_room(needs[1][n]) then
            return 'q' .. needs[1][n]
        end
    end
    for n = 1, #needs[2] do
        local obstacle = budgets.obstacle(needs[2][n], needs[3][needs[2][n]])
        if obstacle then
            return 'b' .. obstacle
        end
    end
    return nil
end

-- What shut a gate when this call began, in words that name no quota and no budget: 'c' for as many that run as may, 'r' for
-- as many that have started, 'b' and the dimension of a budget.
function gates.blocks(number, words)
    local needs = gates.needs(number)
    for n = 1, #needs[1] do
        quotas.blocks(needs[1][n], words)
    end
    for n = 1, #needs[2] do
        budgets.blocks(needs[2][n], needs[3][needs[2][n]], words)
    end
end

-- Counts a lease or a grant against everything that its gate needs; what was counted, or false when nothing was.
function gates.take(number, begins_attempt)
    local needs = gates.needs(number)
    if #needs[1] == 0 and #needs[2] == 0 then
        return false
    end
    for n = 1, #needs[1] do
        quotas.take(needs[1][n], begins_attempt)
    end
    local held = {}
    for n = 1, #needs[2] do
        budgets.take(needs[2][n], needs[3][needs[2][n]], held)
    end
    return {needs[1], unit.now, needs[2], held}
end

-- Gives back what was counted.
-- came_to_nothing: whether what was counted as the start of an attempt was none after all
function gates.give(counted, came_to_nothing)
    for n = 1, #counted[COUNTED_QUOTAS] do
        local name = counted[COUNTED_QUOTAS][n]
        if came_to_nothing then
            quotas.unstart(name, counted[COUNTED_AT])
        end
        quotas.give(name)
    end
    local held = counted[HELD_AMOUNTS]
    for n = 1, #held, 3 do
        if held[n + 2] > 0 then
            budgets.hold(held[n], held[n + 1], -held[n + 2])
        end
    end
end
