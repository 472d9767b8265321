-- submit: accepts work.
-- asked: lanes (namespace, name, creator of what comes first in it, whether this is not the main partition); gates (kind, needs, quotas, budgets); terms (priority,
--     start, deadline, attempt timeout, stall timeout, retention, share, quotas that must be there, budgets with dimensions
--     that must be there); the items, one behind the other; when it is too late to take them or false; of each item what was
--     submitted; of those that have any, by number: input that is kept apart, key in its namespace, tags, whether it takes the key over from what has
--     ended; and the mark of this
--     part of a call and the one of the part that it follows, each or false; whether it is known where ids of this partition
--     lead to; and how many removals of leftovers the caller had heard of before it let work be found in other partitions, or
--     false when it is found here
-- each item: id, numbers of its lane, its gate and its terms, partition
-- answers 'early' when it came before the part that it follows, 'unheard' when ids of this partition lead into a spread namespace
--     and the caller does not know it; how many removals there were, when that is another number; or, for each: true; or what is in its way: 'known' with an execution, 'closed' with the state of the lane,
--     'unknown' with the number of what is missing, 'elsewhere' with a partition that may have work with the same id,
--     'held' with an execution that has the key elsewhere and since when it is on its way there, 'gathered' when all
--     work of the lane belongs into the main partition, 'late'

local function due(moment)
    -- 'after' counts from now on, 'at' is a time
    return moment and (moment[1] == 'after' and unit.now + moment[2] or moment[2])
end

-- The execution with the same id or the same key, if there is one.
-- stored: how one with the same id stood when the call began
-- takes_over: whether the key of what has ended is free
local function repeated(id, unique, stored, takes_over)
    -- Plain work of this call is not known otherwise than by its record.
    if stored or executions.known[id] or unit.changed_fields('execution')[id] then
        return {'known', id}
    end
    local elsewhere = signposts.elsewhere(id)
    if elsewhere then
        return {'elsewhere', elsewhere}
    end
    local same = unique and unit.get('unique', unique)
    local holder = same and held_keys.answer(same)
    if takes_over and holder and holder[1] == 'known' then
        local x = executions.get(same)
        return not (x and executions.is_terminal(x[SITUATION])) and holder
    end
    return holder
end

-- The input that is kept apart; of a large one its size, because it is seldom wanted.
local function input_or_size(id)
    local size = redis.call('HSTRLEN', key.detail, id .. 'i')
    return size > 4096 and size or unit.get('detail', id .. 'i')
end

-- The number of a lane that a call names; nil when there is none.
local function number_of(lane)
    lane.number = lane.number or lanes.number(lane[1], lane[2])
    return lane.number
end

-- What is not there of what the terms of some work name; false when all of it is.
local function lacking(namespace, terms)
    if terms.judged ~= namespace then
        terms.judged = namespace
        terms.lacking = gates.missing(namespace, terms[8], terms[9]) or false
    end
    return terms.lacking
end

-- Items in fixed places.
local ITEM = '>c16I2I2I2I2'
local ITEM_BYTES = 24

-- What few items have, of one that has nothing of it.
local NOTHING = {false, false, false, false}

local function unique_of(lane, own_key)
    return own_key and lane[1] .. '\0' .. own_key
end

-- What is in the way of an item; nil when nothing is.
local function obstacle(asked, item, stored)
    local id, lane_at, _, terms_at = struct.unpack(ITEM, asked[4], ITEM_BYTES * (item - 1) + 1)
    local lane, terms = asked[1][lane_at], asked[3][terms_at]
    local _, own_key, _, takes_over = unpack(asked.few[item] or NOTHING)
    local same = repeated(id, unique_of(lane, own_key), stored, takes_over)
    if same then
        return same
    end
    local number = number_of(lane)
    if number and not lanes.takes(lanes.get(number)) then
        return {'closed', lanes.get(number)[LANE_STATE]}
    end
    if number and lane[4] and lanes.is_gathered(lanes.get(number)) then
        return {'gathered'}
    end
    return lacking(lane[1], terms) or nil
end

-- Takes an item in that nothing is in the way of.
-- member: which one it is, of which flow; and whether it waits for others; nil when it is in none
local function take_in(asked, item, member)
    local id, lane_at, gate_at, terms_at, partition = struct.unpack(ITEM, asked[4], ITEM_BYTES * (item - 1) + 1)
    local lane, terms = asked[1][lane_at], asked[3][terms_at]
    local input, own_key, tags = unpack(asked.few[item] or NOTHING)
    local unique = unique_of(lane, own_key)
    local number = number_of(lane) or lanes.register(lane[1], lane[2], lane[3])
    lane.number = number
    local start = due(terms[2])
    local later = start and start > unit.now
    local waits = member and member[2]
    local x = {
        waits and AWAITING_CHILDREN or (later and DELAYED or READY), FIRST, 0, 0, 0, unit.now, unit.now, terms[1], false, 0, 0, 0,
        0, 0, due(terms[3]), later and start, later and 0, false, false, false, false, false, terms[4], terms[5], false, terms[6],
        terms[7], partition, '', false, false, false, false, member and member[1] or false}
    executions.submit(id, x, number, asked[2][gate_at])
    unit.set('detail', id .. 's', asked[6][item])
    if input then
        unit.set('detail', id .. 'i', input)
    end
    if unique then
        unit.set('unique', unique, id)
    end
    for n = 1, tags and #tags or 0 do
        unit.add('tag', 0, bytes.four(number) .. tags[n] .. '\0' .. bytes.six(unit.now) .. bytes.six(x[SEQUENCE]) .. id)
    end
end

local function accept(asked, item, stored)
    local why = obstacle(asked, item, stored)
    if not why then
        take_in(asked, item)
    end
    return why or true
end

-- The way in for plain work that has a lane, a gate and terms, by their numbers; false when it is not plain, or not taken.
local function plain_way(asked, lane_at, gate_at, terms_at)
    local lane, definition, terms = asked[1][lane_at], asked[2][gate_at], asked[3][terms_at]
    for n = 2, 7 do
        if terms[n] then
            return false
        end
    end
    local number = lane.number
    local there = number and lanes.get(number)
    if not there or there[SHARING] or not lanes.takes(there) or (lane[4] and lanes.is_gathered(there)) or #definition[3] > 0
        or #definition[4] > 0 or lacking(lane[1], terms) then
        return false
    end
    return plain.way_in(number, gates.number(number, definition), terms[1])
end

-- Accepts an item that is plain, new, and has none of what few have, and says whether it was.
local function accept_plain(asked, item, stored)
    local at = ITEM_BYTES * (item - 1) + 1
    local id = asked.ids[item]
    if stored or asked.few[item] or executions.known[id] ~= nil or unit.changed_fields('execution')[id] ~= nil
        or signposts.elsewhere(id) then
        return false
    end
    local numbers = string.sub(asked[4], at + 16, at + 21)
    local way = asked.ways[numbers]
    if way == nil then
        local lane_at, gate_at, terms_at = struct.unpack('>I2I2I2', numbers)
        -- What is the first in a lane makes it; the others find it.
        if not asked[1][lane_at].number then
            return false
        end
        way = plain_way(asked, lane_at, gate_at, terms_at)
        asked.ways[numbers] = way
    end
    if way then
        plain.submit(way, id, string.sub(asked[4], at + 22, at + 23), asked[6][item])
    end
    return way
end

-- Parts of a call are sent one behind the other, and one of them may have to be sent again: the marks of those that were taken
-- last, so that none is taken before the one that it follows.
local MARK_BYTES = 16
local MOST_MARKS = 32

local function is_early(follows)
    local taken = follows and (unit.get('meta', 'parts') or '')
    return taken and not string.find(taken, follows, 1, true)
end

local function note_part(mark)
    if mark then
        unit.set('meta', 'parts', string.sub(mark .. (unit.get('meta', 'parts') or ''), 1, MARK_BYTES * MOST_MARKS))
    end
end

-- Makes what is asked ready to be gone through, and says how executions with the same ids are stored.
local function begin_items(asked)
    local ids, items, sub = {}, asked[4], string.sub
    for n = 1, #items / ITEM_BYTES do
        ids[n] = sub(items, ITEM_BYTES * (n - 1) + 1, ITEM_BYTES * (n - 1) + 16)
    end
    asked.ids, asked.ways, asked.few = ids, {}, {}
    for n = 1, #asked[7], 2 do
        asked.few[asked[7][n]] = asked[7][n + 1]
    end
    return unit.get_all('execution', ids)
end

-- What is in the way of the first of some members, with its number; nil when nothing is in the way of any.
-- asked: as 'submit' is asked for them
function flows.obstacle(asked)
    if signposts.is_unheard(asked[9]) then
        return {'unheard'}
    end
    local stored = begin_items(asked)
    for n = 1, #asked.ids do
        local why = obstacle(asked, n, stored[n])
        if why then
            return {'refused', n, why}
        end
    end
    return nil
end

-- Takes members in that nothing is in the way of.
-- members: of each which one it is, of which flow; and whether it waits for others
function flows.take_in(asked, members)
    for n = 1, #asked.ids do
        take_in(asked, n, members[n])
    end
end

register('submit', {}, function(asked)
    local answers = {}
    if is_early(asked[8][2]) then
        return 'early'
    end
    if signposts.is_unheard(asked[9]) then
        return 'unheard'
    end
    -- What was removed meanwhile may be what the work was to be found by.
    if asked[10] and asked[10] ~= unit.last_number('removals') then
        return unit.last_number('removals')
    end
    note_part(asked[8][1])
    local late = asked[5] and unit.now > asked[5]
    local stored = begin_items(asked)
    for n = 1, #stored do
        answers[n] = late and {'late'} or (accept_plain(asked, n, stored[n]) and true) or accept(asked, n, stored[n])
    end
    -- What is known already is shown as it is, once all of the call are.
    for n = 1, #answers do
        if answers[n] ~= true and answers[n][1] == 'known' then
            local id = answers[n][2]
            local x = executions.get(id)
            answers[n] = {'known', id, x and x[PARTITION] or false, unit.get('detail', id .. 's'), input_or_size(id)}
        end
    end
    return answers
end)
