-- What is read in one view.

function executions.details(id, letters)
    local fields = {}
    for n = 1, #letters do
        fields[n] = id .. string.sub(letters, n, n)
    end
    return unit.get_all('detail', fields)
end

-- How many bytes are told of an execution.
local function size_of(entry)
    local size = 0
    for n = 1, entry and #entry[2] or 0 do
        size = size + (entry[2][n] and #entry[2][n] or 0)
    end
    return size
end

-- view: executions as they are.
-- asked: ids, letters of the details that are wanted, whether it is to be told how they read from outside, and how many bytes
--     are enough
-- answers: each execution with its details, or false, up to the first after which it is enough; and what is around them
register_reading('view', function(asked)
    local ids, letters, from_outside, enough = unpack(asked)
    local around = surroundings.new()
    local found = {}
    local packed = unit.get_all('execution', ids)
    local size = 0
    for n = 1, #ids do
        if size >= enough then
            break
        end
        found[n] = packed[n] and {packed[n], executions.details(ids[n], letters)}
        size = size + size_of(found[n])
        local x = from_outside and executions.read(packed[n])
        if x then
            surroundings.note_execution(around, x)
        end
    end
    surroundings.note_workers(around)
    return {found, surroundings.told(around)}
end)

-- A search goes along strands: ranges of sorted sets whose members end with the time of a submission, its number, and the id.

-- Reads some more of a strand; it is over when there is nothing more.
local function read_strand(strand, search)
    local prefix, last = strand.prefix, strand.last
    if search.backwards then
        strand.members = redis.call(
            'ZREVRANGEBYLEX', key[strand.set], '(' .. (last or prefix .. search.high), '[' .. prefix .. search.low, 'LIMIT', 0,
            strand.size)
    else
        strand.members = redis.call(
            'ZRANGEBYLEX', key[strand.set], last and '(' .. last or '[' .. prefix .. search.low, '(' .. prefix .. search.high,
            'LIMIT', 0, strand.size)
    end
    strand.at = 1
    strand.last = strand.members[#strand.members]
    strand.size = math.min(strand.size * 2, 256)
end

-- Goes to the next member of a strand, and says whether there is one.
local function step_strand(strand, search)
    strand.at = strand.at + 1
    if strand.at > #strand.members and strand.set then
        read_strand(strand, search)
    end
    local member = strand.members[strand.at]
    if not member then
        return false
    end
    local from = #strand.prefix + 1
    strand.submitted = bytes.read_six(member, from)
    strand.sequence = bytes.read_six(member, from + 6)
    strand.id = string.sub(member, from + 12)
    return true
end

local function goes_first(one, other, search)
    if one.submitted ~= other.submitted then
        return (one.submitted < other.submitted) ~= search.backwards
    end
    return (one.sequence < other.sequence) ~= search.backwards
end

-- A heap of strands, the one with the first execution on top.
local function sink(heap, at, search)
    while true do
        local first = at
        for child = 2 * at, math.min(2 * at + 1, #heap) do
            if goes_first(heap[child], heap[first], search) then
                first = child
            end
        end
        if first == at then
            return
        end
        heap[at], heap[first] = heap[first], heap[at]
        at = first
    end
end

local function heap_of(strands, search)
    local heap = {}
    for n = 1, #strands do
        if step_strand(strands[n], search) then
            heap[#heap + 1] = strands[n]
        end
    end
    for at = math.floor(#heap / 2), 1, -1 do
        sink(heap, at, search)
    end
    return heap
end

-- Takes the first execution off the strands.
local function take_first(heap, search)
    local strand = heap[1]
    local first = {strand.id, strand.submitted, strand.sequence}
    if not step_strand(strand, search) then
        heap[1] = heap[#heap]
        heap[#heap] = nil
    end
    if #heap > 0 then
        sink(heap, 1, search)
    end
    return first
end

-- What the sessions of a worker hold, as one strand.
local function held_strand(namespace, worker, search)
    local members = {}
    local unburied = sessions.unburied(namespace)
    for n = 1, #unburied do
        local session = sessions.get(unburied[n])
        if session[WORKER] == worker then
            local held = sessions.all_held(unburied[n], session)
            for h = 1, #held do
                local x = executions.get(held[h])
                local place = x and bytes.six(x[SUBMITTED]) .. bytes.six(x[SEQUENCE])
                if place and not bytes.before(place, search.low) and bytes.before(place, search.high) then
                    members[#members + 1] = place .. held[h]
                end
            end
        end
    end
    table.sort(members, function(one, other)
        return bytes.before(one, other) ~= search.backwards and one ~= other
    end)
    return {prefix = '', members = members, at = 0}
end

local function strands_of(asked, search)
    local namespace, lane, groups, tag, worker = unpack(asked)
    if worker then
        return {held_strand(namespace, worker, search)}
    end
    local numbers = lane and {lanes.number(namespace, lane) or nil} or lanes.all_of(namespace)
    local strands = {}
    for n = 1, #numbers do
        local prefix = bytes.four(numbers[n])
        if tag then
            strands[#strands + 1] = {set = 'tag', prefix = prefix .. tag .. '\0'}
        else
            for g = 1, #groups do
                strands[#strands + 1] = {set = 'standing', prefix = prefix .. string.char(groups[g])}
            end
        end
    end
    for n = 1, #strands do
        strands[n].size = math.max(1, math.min(64, math.floor(search.look / #strands)))
        strands[n].members = {}
        strands[n].at = 0
    end
    return strands
end

-- Whether an execution fits, as far as its record says.
-- wanted: situations by number
local function fits_record(x, wanted, lapsed, partition, changed_from, changed_to)
    return x and wanted[x[SITUATION]] and (not lapsed or (x[NEXT] == RECLAIM and x[SITUATION] <= GRANTED))
        and (not partition or x[PARTITION] == partition)
        and (not changed_from or x[CHANGED] >= changed_from) and (not changed_to or x[CHANGED] < changed_to)
end

-- search: executions in the order of submission, or against it.
-- asked: where (namespace, lane or false, groups of standing, tag or false, worker or false); from where on and up to where, in
--     twelve bytes; whether backwards; how many are looked at and how many are told at most; letters of details;
--     what they have to be (situations, whether lapsed, partition, changed from, changed to)
-- answers: those that fit, each its id, time and number of submission, record and details; the time and number of the last one
--     that was looked at, or false when there are no more; and what is around them
register_reading('search', function(asked)
    local where, low, high, backwards, look, most, letters, filter = unpack(asked)
    local search = {low = low, high = high, backwards = backwards, look = look}
    local wanted = {}
    for n = 1, #filter[1] do
        wanted[filter[1][n]] = true
    end
    local around = surroundings.new()
    local found, last = {}, false
    local heap = heap_of(strands_of(where, search), search)
    local looked = 0
    while #heap > 0 and looked < look and #found < most do
        last = take_first(heap, search)
        looked = looked + 1
        local x = executions.get(last[1])
        if fits_record(x, wanted, filter[2], filter[3], filter[4], filter[5]) then
            found[#found + 1] = {
                last[1], last[2], last[3], unit.get('execution', last[1]), executions.details(last[1], letters)}
            surroundings.note_execution(around, x)
        end
    end
    surroundings.note_workers(around)
    return {found, #heap > 0 and {last[2], last[3]}, looked, surroundings.told(around)}
end)

local SITUATIONS = 14

local function counts_of(number)
    local fields = {}
    for situation = 0, SITUATIONS - 1 do
        fields[situation + 1] = bytes.four(number) .. string.char(situation)
    end
    local counts = unit.get_all('count', fields)
    for n = 1, SITUATIONS do
        counts[n] = tonumber(counts[n] or '0')
    end
    return counts
end

-- The gates of a lane with work, at the front or shut, from a place on.
local function gates_with_work(number, from, most)
    local found = {}
    local prefix = bytes.four(number)
    local sets = {'front', 'closed'}
    for s = from and from[1] or 1, 2 do
        local after = from and from[1] == s and from[2] or nil
        local members = bytes.range(sets[s], prefix, after, most - #found)
        for n = 1, #members do
            found[#found + 1] = {bytes.read_four(members[n], #members[n] - 3), {s, members[n]}}
        end
        if #found == most then
            return found, found[most][2]
        end
    end
    return found, false
end

local function waiting_at(number)
    local gate = gates.get(number)
    local route = cmsgpack.unpack(unit.get('route', tostring(gate[GATE_ROUTE])))
    local prefix = bytes.four(number)
    local count = redis.call('ZLEXCOUNT', key.ready, '[' .. prefix, '(' .. bytes.beyond(prefix))
    return {number, route[1], route[2], gate[GATE_QUOTAS], gate[GATE_BUDGETS], count}
end

-- Those of some gates that quotas may shut, with what is around them.
local function metered(found, around)
    local waiting = {}
    for n = 1, #found do
        local needs = gates.needs(found[n][1])
        if #needs[1] > 0 or #needs[2] > 0 then
            waiting[#waiting + 1] = waiting_at(found[n][1])
            surroundings.note_gate(around, found[n][1])
        end
    end
    return waiting
end

-- counts: how much there is in the lanes of a namespace.
-- asked: namespace, and how many gates are looked at
-- answers: lanes, each its number, name, how many are in each situation, those of its gates that quotas may shut, and whether
--     there are more gates than were looked at; and what is around them
register_reading('counts', function(asked)
    local namespace, left = unpack(asked)
    local around = surroundings.new()
    local answers = {}
    local numbers = lanes.all_of(namespace)
    for n = 1, #numbers do
        local counts = counts_of(numbers[n])
        local waiting, rest = {}, false
        if counts[READY + 1] > 0 and left > 0 then
            local found
            found, rest = gates_with_work(numbers[n], false, left)
            left = left - #found
            waiting = metered(found, around)
        elseif counts[READY + 1] > 0 then
            rest = true
        end
        if #waiting > 0 then
            surroundings.note_lane(around, numbers[n])
        end
        answers[n] = {numbers[n], lanes.get(numbers[n])[LANE_NAME], counts, waiting, rest and true or false}
    end
    surroundings.note_workers(around)
    return {answers, surroundings.told(around)}
end)

-- waiting: what waits in a lane, gate by gate.
-- asked: namespace, name, from where on or false, how many gates at most
-- answers: false when there is no such lane; or its number; how many are in each situation; gates, each its number, kind, needs,
--     quotas, budgets and how much is ready behind it;
--     where to go on or false; and what is around them
register_reading('waiting', function(asked)
    local namespace, name, from, most = unpack(asked)
    local number = lanes.number(namespace, name)
    if not number then
        return false
    end
    local around = surroundings.new()
    surroundings.note_lane(around, number)
    local waiting = {}
    local found, rest = gates_with_work(number, from, most)
    for n = 1, #found do
        waiting[n] = waiting_at(found[n][1])
        surroundings.note_gate(around, found[n][1])
    end
    surroundings.note_workers(around)
    return {number, counts_of(number), waiting, rest, surroundings.told(around)}
end)
