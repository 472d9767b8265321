-- What can be read of the graphs of flows. How a member ended, or 0, what came of the edges into it, or 0, and the id
-- of its execution are its first bytes.

-- Arcs in fixed places: the number of the one end, the number of the other, which end of the upstream counts.
local ENDS = 18

-- So many are read at once.
local PORTION = 500

-- members_from: members from a number on, in their order.
-- asked: id; the number of the first; how many at most; whether only those that have not ended
-- answers: numbers and members, one behind the other
register_reading('members_from', function(asked)
    local id, number, most, live = unpack(asked)
    local found = {}
    while true do
        local fields = {}
        for n = 1, math.min(PORTION, most) do
            fields[n] = id .. bytes.four(number + n - 1)
        end
        local members = unit.get_all('member', fields)
        for n = 1, #members do
            if not members[n] or #found == 2 * most then
                return found
            end
            if not live or string.byte(members[n], 1) == 0 then
                found[#found + 1] = number + n - 1
                found[#found + 1] = members[n]
            end
        end
        if #found == 2 * most then
            return found
        end
        number = number + #members
    end
end)

-- arcs: arcs at members, those of the first behind a number in the order of their other ends, then those of the second, and so on.
-- asked: id; '>' for those that lead from the members, '<' for those that lead to them; numbers of members and numbers behind which
--     to begin or -1, one behind the other; how many at most
-- answers: the arcs, one behind the other
register_reading('arcs', function(asked)
    local id, direction, places, most = unpack(asked)
    local found = {}
    for n = 1, #places, 2 do
        local prefix = id .. direction .. bytes.four(places[n])
        local from = places[n + 1] < 0 and '[' .. prefix or '[' .. prefix .. bytes.four(places[n + 1] + 1)
        local some = redis.call('ZRANGEBYLEX', key.arc, from, '(' .. bytes.beyond(prefix), 'LIMIT', 0, most - #found)
        for m = 1, #some do
            found[#found + 1] = string.sub(some[m], ENDS)
        end
        if #found == most then
            break
        end
    end
    return table.concat(found)
end)

-- So many upstreams go with the lease of a member at most, with results of so many bytes together. The same as Lease.UPSTREAMS and
-- Lease.UPSTREAMS_BYTES.
local MOST_UPSTREAMS = 64
local SMALL_RESULTS = 16384

-- Which member of a flow an execution is that may be gone; nil when it is none.
local function place_of(id)
    local record = unit.get('execution', id)
    local place = record and plain.member(record)
    if not record or place then
        return place
    end
    local x = executions.get(id)
    return x and x[MEMBER]
end

-- What a member comes after, as it is told with its lease: false when it comes after none, true when they are too many or too large,
-- otherwise of each its number, what it is, and what it produced or false.
-- place: the id of its flow, and its number
function flows.upstreams(place)
    local id = string.sub(place, 1, 16)
    local arcs = bytes.range('arc', id .. '<' .. string.sub(place, 17), nil, MOST_UPSTREAMS + 1)
    if #arcs == 0 or #arcs > MOST_UPSTREAMS then
        return #arcs > 0
    end
    local fields = {}
    for n = 1, #arcs do
        fields[n] = id .. string.sub(arcs[n], ENDS + 4, ENDS + 7)
    end
    local members, found, size = unit.get_all('member', fields), {}, 0
    for n = 1, #members do
        local result, execution = false, string.sub(members[n], 3, 18)
        if string.byte(members[n], 1) == COMPLETED and place_of(execution) == fields[n] then
            size = size + redis.call('HSTRLEN', key.detail, execution .. 'r')
            if size > SMALL_RESULTS then
                return true
            end
            result = unit.get('detail', execution .. 'r') or ''
        end
        found[3 * n - 2] = bytes.read_four(fields[n], 17)
        found[3 * n - 1] = members[n]
        found[3 * n] = result
    end
    return found
end

-- What is decided by about executions: how they stand, what was submitted, why they are held back, what is remembered of their waits.
function flows.facts_of(ids)
    local details = {}
    for n = 1, #ids do
        details[3 * n - 2] = ids[n] .. 's'
        details[3 * n - 1] = ids[n] .. 'w'
        details[3 * n] = ids[n] .. 'a'
    end
    return {unit.get_all('execution', ids), unit.get_all('detail', details)}
end

-- What an inbox has of each member: its number, and how it ended.
local END_BYTES = 5

-- Where members are stored that have ended, each once: those that were asked for, and those in the inbox.
local function ended_fields(look)
    local fields, seen = {}, {}
    local function add(number)
        local field = look.id .. number
        if not seen[field] then
            seen[field] = true
            fields[#fields + 1] = field
        end
    end
    for n = 1, #look.numbers do
        add(bytes.four(look.numbers[n]))
    end
    for at = 1, #look.inbox, END_BYTES do
        local number = string.sub(look.inbox, at, at + 3)
        if number ~= flows.PARENT then
            add(number)
        end
    end
    return fields, seen
end

-- Finds the arcs from members that have ended, and the members around them, if that is not too much, and says how much it was.
local function find_around(look, most)
    local fields, seen = ended_fields(look)
    local arcs = {}
    for n = 1, #fields do
        if #fields + #arcs >= most then
            return #arcs
        end
        local some = bytes.range('arc', look.id .. '>' .. string.sub(fields[n], 17), nil, most - #fields - #arcs)
        for m = 1, #some do
            arcs[#arcs + 1] = some[m]
        end
    end
    if #fields + #arcs >= most then
        -- There may be more of them.
        return #arcs
    end
    look.fields = fields
    look.arcs = {}
    local ended = #fields
    for n = 1, #arcs do
        look.arcs[n] = string.sub(arcs[n], ENDS)
        local downstream = look.id .. string.sub(arcs[n], ENDS + 4, ENDS + 7)
        if not seen[downstream] then
            seen[downstream] = true
            fields[#fields + 1] = downstream
        end
    end
    return ended + #arcs
end

-- How many members and arcs are read together.
local AROUND = 1000

-- What follows from the ends of members is mostly decided by this.
-- asked: flows, each id and the numbers of members that end besides those in its inbox
-- Tells of each flow what it is; its inbox; members, those that end and those that come after them, each number and what
--     it is; the arcs from them, false when they were too many; numbers of those that may be decided by them; and of all those
--     their executions as above.
function flows.around(asked)
    local flow_fields, most = {}, AROUND
    for n = 1, #asked do
        flow_fields[2 * n - 1] = asked[n][1]
        flow_fields[2 * n] = asked[n][1] .. 'i'
    end
    local stored = unit.get_all('flow', flow_fields)
    local looks, fields = {}, {}
    for n = 1, #asked do
        local look = {id = asked[n][1], numbers = asked[n][2], inbox = stored[2 * n] or '', fields = {}, arcs = false}
        most = most - find_around(look, most)
        for m = 1, #look.fields do
            fields[#fields + 1] = look.fields[m]
        end
        looks[n] = look
    end
    local members, next, ids, answers = unit.get_all('member', fields), 1, {}, {}
    for n = 1, #looks do
        local look, found, waiting = looks[n], {}, {}
        for m = 1, #look.fields do
            local number, member = bytes.read_four(look.fields[m], 17), members[next]
            next = next + 1
            found[2 * m - 1] = number
            found[2 * m] = member
            local ended, decided = string.byte(member or '\1', 1, 2)
            if ended == 0 and decided == 0 then
                waiting[#waiting + 1] = number
                ids[#ids + 1] = string.sub(member, 3, 18)
            end
        end
        answers[n] = {stored[2 * n - 1], stored[2 * n], found, look.arcs and table.concat(look.arcs), waiting}
    end
    return {answers, flows.facts_of(ids)}
end

register_reading('around', flows.around)

-- all_arcs: arcs of a flow in the order of their upstreams.
-- asked: id; how many are before the first; how many at most
register_reading('all_arcs', function(asked)
    local id, before, most = unpack(asked)
    local prefix = id .. '>'
    local some = redis.call('ZRANGEBYLEX', key.arc, '[' .. prefix, '(' .. bytes.beyond(prefix), 'LIMIT', before, most)
    for n = 1, #some do
        some[n] = string.sub(some[n], ENDS)
    end
    return table.concat(some)
end)

-- Whether a member that has not ended, and is not decided, comes after one.
local function is_needed(id, number, except)
    local prefix = id .. '>' .. bytes.four(number)
    local after = nil
    while true do
        local some = bytes.range('arc', prefix, after, PORTION)
        local fields = {}
        for n = 1, #some do
            fields[n] = id .. string.sub(some[n], ENDS + 4, ENDS + 7)
        end
        local members = unit.get_all('member', fields)
        for n = 1, #some do
            local ended, decided = string.byte(members[n] or '\1', 1, 2)
            if ended == 0 and decided == 0 and not except[string.sub(fields[n], 17)] then
                return true
            end
        end
        if #some < PORTION then
            return false
        end
        after = some[#some]
    end
end

-- needed: members that others wait for which have not ended, and are not decided.
-- asked: id; the numbers of the members; the numbers of those that count as decided
register_reading('needed', function(asked)
    local id, numbers, decided = unpack(asked)
    local except, found = {}, {}
    for n = 1, #decided do
        except[bytes.four(decided[n])] = true
    end
    for n = 1, #numbers do
        if is_needed(id, numbers[n], except) then
            found[#found + 1] = numbers[n]
        end
    end
    return found
end)

-- list_flows: flows of a namespace, the newest first.
-- asked: namespace; the number before which to begin or false; how many at most
-- answers, each: its number; its id; what it is; its inbox or false
register_reading('list_flows', function(asked)
    local namespace, before, most = unpack(asked)
    local prefix = flows.prefix('a', namespace)
    local some = redis.call(
        'ZREVRANGEBYLEX', key.flows, '(' .. (before and prefix .. bytes.six(before) or bytes.beyond(prefix)), '[' .. prefix,
        'LIMIT', 0, most)
    for n = 1, #some do
        local id = string.sub(some[n], -16)
        some[n] = {bytes.read_six(some[n], #prefix + 1), id, unit.get('flow', id), unit.get('flow', id .. 'i')}
    end
    return some
end)
