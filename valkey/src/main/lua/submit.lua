-- submit: accepts work.
-- asked: lanes (namespace, name, creator of what comes first in it); gates (kind, needs, quotas, budgets); items
-- each item: id, number of its lane, number of its gate, partition, priority, start, deadline, attempt timeout, stall timeout,
--     retention, share, what was submitted, input, key in its namespace, tags, quotas that must be there, budgets
--     with dimensions that must be there
-- answers, for each: true; or what is in its way: 'known' with an execution, 'closed' with the state of the lane,
--     'unknown' with the number of what is missing, 'elsewhere' with a partition that may have work with the same id

local function due(moment)
    -- 'after' counts from now on, 'at' is a time
    return moment and (moment[1] == 'after' and unit.now + moment[2] or moment[2])
end

-- The execution with the same id or the same key, if there is one.
local function repeated(id, unique)
    if unit.get('execution', id) or executions.known[id] then
        return {'known', id}
    end
    local elsewhere = signposts.elsewhere(id)
    if elsewhere then
        return {'elsewhere', elsewhere}
    end
    local same = unique and unit.get('unique', unique)
    return same and {'known', same}
end

local function accept(asked, item)
    local id = item[1]
    local lane = asked[1][item[2]]
    local unique = item[14] and lane[1] .. '\0' .. item[14]
    local same = repeated(id, unique)
    if same then
        return same
    end
    local number = lanes.number(lane[1], lane[2])
    if number and not lanes.takes(lanes.get(number)) then
        return {'closed', lanes.get(number)[LANE_STATE]}
    end
    local lacking = gates.missing(lane[1], item[16], item[17])
    if lacking then
        return lacking
    end
    number = lanes.register(lane[1], lane[2], lane[3])
    local start = due(item[6])
    local later = start and start > unit.now
    local x = {
        later and DELAYED or READY, FIRST, 0, 0, 0, unit.now, unit.now, item[5], false, 0, 0, 0, 0, 0, due(item[7]),
        later and start, later and 0, false, false, false, false, false, item[8], item[9], false, item[10], item[11],
        item[4], ''}
    executions.submit(id, x, number, asked[2][item[3]])
    unit.set('detail', id .. 's', item[12])
    if item[13] then
        unit.set('detail', id .. 'i', item[13])
    end
    if unique then
        unit.set('unique', unique, id)
    end
    for n = 1, #item[15] do
        unit.add('tag', 0, bytes.four(number) .. item[15][n] .. '\0' .. bytes.six(unit.now) .. bytes.six(x[SEQUENCE]) .. id)
    end
    return true
end

register('submit', {}, function(asked)
    local answers = {}
    for n = 1, #asked[3] do
        answers[n] = accept(asked, asked[3][n])
    end
    -- What is known already is shown as it is, once all of the call are.
    for n = 1, #answers do
        if answers[n] ~= true and answers[n][1] == 'known' then
            local id = answers[n][2]
            local x = executions.get(id)
            answers[n] = {
                'known', id, x and x[PARTITION] or false, unit.get('detail', id .. 's'), unit.get('detail', id .. 'i')}
        end
    end
    return answers
end)
