-- Which work a worker gets: of the lanes that it serves each in its turn, and of each lane what comes first of that which it is
-- able to do and which may start.

-- So many gates that are shut a claim looks at; then it says that there may be more.
local MOST_SHUT = 256

-- So many gates are looked at to say what keeps work waiting: the same as Claimed.GATES.
local MOST_TOLD = 32

-- How many entries of a gate are read at first.
local FEW = 8

-- How many are read at once where many have to be passed over.
local MANY = 64

-- So much that is past its deadline a claim passes over; then it says that there may be more.
local MOST_PASSED = 1000

local function read_entries(gate, most)
    local found = bytes.range('ready', bytes.four(gate.number), gate.last, most)
    local ids = {}
    gate.entries = {}
    gate.at = 1
    for n = 1, #found do
        local id = string.sub(found[n], 20)
        ids[n] = id
        gate.entries[n] = {string.sub(found[n], 5, 19), id}
    end
    gate.last = found[#found]
    gate.exhausted = #found < most
    executions.fetch(ids)
end

-- Passes over work that is past its deadline. It can only expire, so where there is much of it no other claim has to pass over
-- it again; a little is left, because explanations count what is ready.
local function pass_over(gate, entry, claim)
    claim.passed = claim.passed + 1
    if claim.passed > MANY then
        unit.drop('ready', bytes.four(gate.number) .. entry[1] .. entry[2])
        gates.touch(gate.number)
    end
end

-- The first entry behind a gate that can be claimed, from where the claim is; nil when there is none.
local function first_entry(gate, claim)
    while claim.passed < MOST_PASSED do
        local entry = gate.entries[gate.at]
        if entry then
            local x = executions.get(entry[2])
            local late = x and executions.past_deadline(x)
            if x and not late and x[SITUATION] == READY then
                return entry
            end
            if late then
                pass_over(gate, entry, claim)
            end
            gate.at = gate.at + 1
        elseif gate.exhausted then
            return nil
        else
            gate.size = math.min(gate.size * 4, math.max(claim.wanted, MANY))
            read_entries(gate, gate.size)
        end
    end
    claim.more = true
    return nil
end

-- The gates of one route at the front of a lane, read as they are needed.
local function read_front(route)
    if route.over or route.next then
        return
    end
    local members = bytes.range('front', route.prefix, route.last, 2)
    local member = members[1]
    if member then
        route.last = member
        route.next = {
            number = bytes.read_four(member, 24), place = string.sub(member, 9, 23), alone = #route.gates == 0 and not members[2]}
    else
        route.over = true
    end
end

local function open_next(route, wanted)
    -- Behind a gate that is the only one of its kind everything is found that the claim will get.
    local gate = {number = route.next.number, size = route.next.alone and wanted or math.min(FEW, wanted)}
    route.next = nil
    read_entries(gate, gate.size)
    route.gates[#route.gates + 1] = gate
end

-- Notes what shut a gate when the claim began.
local function tell_blocks(number, claim)
    if claim.told < MOST_TOLD then
        claim.told = claim.told + 1
        gates.blocks(number, claim.words)
    end
end

-- The gate of a route whose first entry comes first; nil when nothing may start.
local function first_gate(route, claim)
    while true do
        local best, best_entry, best_at
        for n = 1, #route.gates do
            local entry = first_entry(route.gates[n], claim)
            if entry and (not best or bytes.before(entry[1], best_entry[1])) then
                best, best_entry, best_at = route.gates[n], entry, n
            end
        end
        read_front(route)
        if route.next and (not best or bytes.before(route.next.place, best_entry[1])) then
            open_next(route, claim.wanted)
        elseif not best then
            return nil
        else
            local obstacle = gates.obstacle(best.number)
            if not obstacle then
                return best, best_entry
            end
            gates.shut(best.number, obstacle)
            tell_blocks(best.number, claim)
            table.remove(route.gates, best_at)
            claim.shut = claim.shut + 1
            if claim.shut > MOST_SHUT then
                claim.more = true
                return nil
            end
        end
    end
end

-- What the gates of a lane have in a sorted set begins with, for each route that a worker is able to do. Those that it has
-- never been asked about are noted.
local function able_routes(set, lane, claim)
    local found = {}
    local prefix = bytes.four(lane)
    local member = bytes.range(set, prefix, nil, 1)[1]
    while member do
        local number = bytes.read_four(member, 5)
        local able = claim.able[number]
        if able then
            found[#found + 1] = string.sub(member, 1, 8)
        elseif able == nil and not claim.noted[number] then
            claim.noted[number] = true
            claim.unknown[#claim.unknown + 1] = number
        end
        member = redis.call(
            'ZRANGEBYLEX', key[set], '[' .. bytes.beyond(string.sub(member, 1, 8)), '(' .. bytes.beyond(prefix), 'LIMIT', 0, 1)[1]
    end
    return found
end

-- The routes of a lane with work that a worker is able to do.
local function routes_of(lane, claim)
    local prefixes = able_routes('front', lane, claim)
    local found = {}
    for n = 1, #prefixes do
        found[n] = {prefix = prefixes[n], gates = {}}
    end
    return found
end

-- Notes what keeps work waiting behind gates that claims before this one have found shut.
local function tell_closed(lane, claim)
    local prefixes = claim.told < MOST_TOLD and able_routes('closed', lane, claim) or {}
    for n = 1, #prefixes do
        local members = bytes.range('closed', prefixes[n], nil, MOST_TOLD - claim.told)
        for m = 1, #members do
            tell_blocks(bytes.read_four(members[m], 9), claim)
        end
    end
end

-- Notes what keeps work waiting behind the first gates that no claim has found shut yet: this one may be full before it gets there.
local function tell_shut(routes, claim)
    for n = 1, #routes do
        local members = claim.told < MOST_TOLD and bytes.range('front', routes[n].prefix, nil, MOST_TOLD - claim.told) or {}
        for m = 1, #members do
            local number = bytes.read_four(members[m], 24)
            if gates.obstacle(number) then
                tell_blocks(number, claim)
            end
        end
    end
end

-- The first entry of a lane that may start, with the gate that it is behind.
local function first_of(lane, claim)
    local best, best_entry
    for n = 1, #lane.routes do
        local gate, entry = first_gate(lane.routes[n], claim)
        if gate and (not best or bytes.before(entry[1], best_entry[1])) then
            best, best_entry = gate, entry
        end
    end
    return best, best_entry
end

local function served(session, claim)
    local found = {}
    for n = 1, #session[SESSION_LANES] do
        local number = lanes.number(session[SESSION_NAMESPACE], session[SESSION_LANES][n])
        if number and lanes.gives(lanes.get(number)) then
            tell_closed(number, claim)
            local routes = routes_of(number, claim)
            tell_shut(routes, claim)
            if #routes > 0 then
                found[#found + 1] = {number = number, routes = routes}
            end
        end
    end
    return found
end

-- When it is a lane's turn; the heavier the lane, the smaller its steps.
local function turn(lane, pass)
    return math.max(pass, lanes.get(lane.number)[PASS])
end

local function took_turn(lane, pass)
    local settings = lanes.get(lane.number)
    settings[PASS] = turn(lane, pass) + 1 / settings[WEIGHT]
    lanes.changed[lane.number] = true
end

-- Where everything that a worker may get is behind one gate that needs nothing, what comes first there is taken many at a time,
-- as long as it is plain. Says how many were.
-- take_plain: takes some of what is first behind a gate
local function pick_plain(candidates, claim, take_plain)
    local lane = candidates[1]
    local route = #candidates == 1 and #lane.routes == 1 and lane.routes[1]
    if not route or lanes.get(lane.number)[SHARING] then
        return 0
    end
    read_front(route)
    local front = route.next
    if not front or not front.alone or gates.is_limited(front.number) then
        return 0
    end
    local members = bytes.range('ready', bytes.four(front.number), nil, claim.wanted)
    local taken = take_plain(lane.number, front.number, members)
    if taken > 0 and taken < claim.wanted then
        -- The others follow from there on.
        local gate = {number = front.number, size = math.min(FEW, claim.wanted), last = members[taken]}
        route.next = nil
        read_entries(gate, gate.size)
        route.gates[1] = gate
    end
    return taken
end

-- Picks work for a session, and takes each piece as it is picked.
-- able: what the worker says of routes, true or false by number. Where it has to be asked about one, nothing is picked: that
--     may be what comes first.
-- take: what is done with each piece
-- take_plain: what is done with many pieces of plain work, in the place of take; false when it is to be done with none
function claims.pick(session, able, wanted, take, take_plain)
    local claim = {able = able, wanted = wanted, unknown = {}, noted = {}, words = {}, told = 0, shut = 0, passed = 0, more = false}
    gates.open_due()
    local candidates = served(session, claim)
    if #claim.unknown > 0 then
        return claim
    end
    local pass = tonumber(unit.get('meta', 'pass') or '0')
    local several = #candidates > 1
    local picked = take_plain and #candidates > 0 and pick_plain(candidates, claim, take_plain) or 0
    while picked < wanted and #candidates > 0 do
        local best_at
        for n = 1, #candidates do
            if not best_at or turn(candidates[n], pass) < turn(candidates[best_at], pass) then
                best_at = n
            end
        end
        local lane = candidates[best_at]
        local gate, entry = first_of(lane, claim)
        if gate then
            gate.at = gate.at + 1
            picked = picked + 1
            if several then
                local now = turn(lane, pass)
                took_turn(lane, pass)
                pass = now
            end
            local x = executions.get(entry[2])
            if x[NEXT] == FIRST and lanes.get(lane.number)[SHARING] then
                rounds.started(x)
            end
            take(entry[2], x)
        else
            table.remove(candidates, best_at)
        end
    end
    if several then
        unit.set('meta', 'pass', string.format('%.17g', pass))
    end
    return claim
end
