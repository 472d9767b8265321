-- submit: accepts work.
-- asked: lanes (namespace, name, creator of what comes first in it, whether this is not the main partition); gates (kind, needs, quotas, budgets); terms (priority,
--     start, deadline, attempt timeout, stall timeout, retention, share, quotas that must be there, budgets with dimensions
--     that must be there); items; and when it is too late to take them or false
-- each item: id, numbers of its lane, its gate and its terms, partition, what was submitted, input, key in its namespace, tags
-- answers, for each: true; or what is in its way: 'known' with an execution, 'closed' with the state of the lane,
--     'unknown' with the number of what is missing, 'elsewhere' with a partition that may have work with the same id,
--     'held' with an execution that has the key elsewhere and since when it is on its way there, 'gathered' when all
--     work of the lane belongs into the main partition, 'late'

local function due(moment)
    -- 'after' counts from now on, 'at' is a time
    return moment and (moment[1] == 'after' and unit.now + moment[2] or moment[2])
end

-- The execution with the same id or the same key, if there is one.
-- stored: how one with the same id stood when the call began
local function repeated(id, unique, stored)
    if stored or executions.known[id] then
        return {'known', id}
    end
    local elsewhere = signposts.elsewhere(id)
    if elsewhere then
        return {'elsewhere', elsewhere}
    end
    local same = unique and unit.get('unique', unique)
    return same and held_keys.answer(same)
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

local function accept(asked, item, stored)
    local id, lane, terms = item[1], asked[1][item[2]], asked[3][item[4]]
    local unique = item[8] and lane[1] .. '\0' .. item[8]
    local same = repeated(id, unique, stored)
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
    local missing = lacking(lane[1], terms)
    if missing then
        return missing
    end
    number = number or lanes.register(lane[1], lane[2], lane[3])
    lane.number = number
    local start = due(terms[2])
    local later = start and start > unit.now
    local x = {
        later and DELAYED or READY, FIRST, 0, 0, 0, unit.now, unit.now, terms[1], false, 0, 0, 0, 0, 0, due(terms[3]),
        later and start, later and 0, false, false, false, false, false, terms[4], terms[5], false, terms[6], terms[7],
        item[5], '', false}
    executions.submit(id, x, number, asked[2][item[3]])
    unit.set('detail', id .. 's', item[6])
    if item[7] then
        unit.set('detail', id .. 'i', item[7])
    end
    if unique then
        unit.set('unique', unique, id)
    end
    local tags = item[9]
    for n = 1, tags and #tags or 0 do
        unit.add('tag', 0, bytes.four(number) .. tags[n] .. '\0' .. bytes.six(unit.now) .. bytes.six(x[SEQUENCE]) .. id)
    end
    return true
end

register('submit', {}, function(asked)
    local items, ids, answers = asked[4], {}, {}
    local late = asked[5] and unit.now > asked[5]
    for n = 1, #items do
        ids[n] = items[n][1]
    end
    local stored = unit.get_all('execution', ids)
    for n = 1, #items do
        answers[n] = late and {'late'} or accept(asked, items[n], stored[n])
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
