-- How budgets are kept, and what is used up of them.

-- What a report has to be of: a budget that is there; nil when it is not.
local function living(name)
    local budget = budgets.get(name)
    return budget and not budget[BUDGET_DELETED] and budget or nil
end

local function same_dimensions(budget, dimensions)
    if #budget[BUDGET_DIMENSIONS] ~= #dimensions then
        return false
    end
    for n = 1, #dimensions do
        if not budgets.dimension(budget, dimensions[n][DIMENSION]) then
            return false
        end
    end
    return true
end

local function set_reset(name, budget, at)
    budget[BUDGET_RESETS] = at
    if at then
        unit.add('due', at, 'b' .. name)
    else
        unit.drop('due', 'b' .. name)
    end
end

-- A breach cancels: who notices it does so at once, and if he dies over it time does.
local function note_breach(name)
    unit.add('due', unit.now, 'x' .. name)
end

-- define_budget: defines a budget, or changes its bounds, its period or what a breach does.
-- asked: namespace, name, the written settings that it was decided by or false, the written settings, whether it stops, whether
--     it cancels, the name of the one above or false, period or false, dimensions, each with its soft and its hard limit, and
--     what is told of it
-- answers: 'again' when it has other settings by now, 'no_parent', 'taken'; or 'done', how it stands, whether it cancels now
register('define_budget', {'allow-oom'}, function(asked)
    local namespace, name, before, settings, stops, cancels, parent, period, dimensions, event = unpack(asked)
    local whole = namespace .. '\0' .. name
    local above = parent and namespace .. '\0' .. parent
    local budget = budgets.get(whole)
    if (budget and budget[BUDGET_SETTINGS] or false) ~= before then
        return {'again'}
    end
    if above and not living(above) then
        return {'no_parent'}
    end
    if budget and (budget[BUDGET_PARENT] ~= above or not same_dimensions(budget, dimensions)) then
        return {'taken'}
    end
    if not budget then
        budget = {stops, cancels, above, false, false, false, {}, 0, settings, 0}
        for n = 1, #dimensions do
            budget[BUDGET_DIMENSIONS][n] = {dimensions[n][DIMENSION], false, false, 0, 0}
        end
        budgets.known[whole] = budget
        unit.add('listing', 0, 'b' .. whole)
    end
    -- A period goes on when it stays as it was.
    if not budget[BUDGET_RESETS] or not period or budget[BUDGET_PERIOD] ~= period then
        set_reset(whole, budget, period and unit.now + period)
    end
    budget[BUDGET_STOPS] = stops
    budget[BUDGET_CANCELS] = cancels
    budget[BUDGET_DELETED] = false
    budget[BUDGET_PERIOD] = period
    budget[BUDGET_SETTINGS] = settings
    for n = 1, #dimensions do
        local dimension = budgets.dimension(budget, dimensions[n][DIMENSION])
        dimension[SOFT] = dimensions[n][SOFT]
        dimension[HARD] = dimensions[n][HARD]
    end
    budgets.reopen(whole)
    log.append(event)
    lanes.wake_all(namespace)
    local breached = budgets.cancels(budget)
    if breached then
        note_breach(whole)
    end
    return {'done', cmsgpack.pack(budget), breached}
end)

-- reset_budget: begins at zero again.
-- asked: namespace, name, and what is told of it
-- answers: how it stands; false when there is none
register('reset_budget', {'allow-oom'}, function(asked)
    local namespace, name, event = unpack(asked)
    local whole = namespace .. '\0' .. name
    if not living(whole) then
        return false
    end
    budgets.reset(whole)
    log.append(event)
    lanes.wake_all(namespace)
    return cmsgpack.pack(budgets.get(whole))
end)

-- delete_budget: takes the bounds away. What counts against it is kept: what runs will give it back.
-- asked: namespace, name, and what is told of it
-- answers: the lane that names it, or false
register('delete_budget', {'allow-oom'}, function(asked)
    local namespace, name, event = unpack(asked)
    local whole = namespace .. '\0' .. name
    local lane = lanes.naming(namespace, function(lane)
        for n = 1, #lane[LANE_BUDGETS] do
            if lane[LANE_BUDGETS][n][1] == name then
                return true
            end
        end
        return false
    end)
    if lane then
        return lane
    end
    local budget = living(whole)
    if budget then
        budget[BUDGET_DELETED] = true
        set_reset(whole, budget, false)
        budgets.reopen(whole)
        log.append(event)
        lanes.wake_all(namespace)
    end
    return false
end)

-- What was reported. Reports are kept by execution and number, and found by the namespace, the budget and the key, too.

local function report_field(id, number)
    return 'e' .. id .. bytes.six(number)
end

local function key_field(name, report_key)
    return 'k' .. name .. '\0' .. report_key
end

local function keep_report(id, name, report)
    local number = tonumber(unit.get('detail', id .. 'u') or '0') + 1
    unit.set('detail', id .. 'u', tostring(number))
    unit.set('spending', report_field(id, number), cmsgpack.pack(report))
    unit.set('spending', key_field(name, report[REPORTED_KEY]), report_field(id, number))
end

-- What was reported before under a key, and by whom; nil when nothing was.
local function reported(name, report_key)
    local field = unit.get('spending', key_field(name, report_key))
    if not field then
        return nil
    end
    return cmsgpack.unpack(unit.get('spending', field)), string.sub(field, 2, 17), field
end

-- Settles a report against what was set aside for it in a budget, and says how much of it was.
local function settle_held(x, name, wanted, amount)
    local held = x and x[COUNTED] and x[COUNTED][HELD_AMOUNTS] or {}
    local left = amount
    for n = 1, #held, 3 do
        if held[n] == name and held[n + 1] == wanted then
            local part = math.min(left, held[n + 2])
            held[n + 2] = held[n + 2] - part
            left = left - part
        end
    end
    return amount - left
end

local function tell_reached(namespace, name, dimension, hard)
    log.append({
        EVENT_BUDGET_REACHED, namespace, string.sub(name, #namespace + 2), dimension[DIMENSION], hard, dimension[USED], unit.now})
end

-- Counts a report, and says whether it has breached a budget that cancels.
local function count_report(id, x, namespace, name, wanted, amount)
    local cancels = false
    budgets.upwards(name, function(budget, at)
        local dimension = budgets.dimension(budget, wanted)
        if not dimension then
            return nil
        end
        local before = dimension[USED]
        dimension[HELD] = dimension[HELD] - settle_held(x, at, wanted, amount)
        dimension[USED] = before + amount
        budgets.changed[at] = true
        if not budget[BUDGET_DELETED] then
            if dimension[SOFT] and before < dimension[SOFT] and dimension[USED] >= dimension[SOFT] then
                tell_reached(namespace, at, dimension, false)
            end
            if dimension[HARD] and before < dimension[HARD] and dimension[USED] >= dimension[HARD] then
                tell_reached(namespace, at, dimension, true)
                if budget[BUDGET_CANCELS] then
                    note_breach(at)
                    cancels = true
                end
            end
        end
        return nil
    end)
    executions.changed[id] = x or nil
    return cancels
end

-- What comes of one report, and whether it has breached a budget that cancels.
-- x: the execution that reports; false when it lies in another partition of its namespace
local function spend(id, x, namespace, budget_name, wanted, amount, report_key)
    local name = namespace .. '\0' .. budget_name
    local budget = living(name)
    if not budget then
        return {'no_budget', namespace}
    end
    if not budgets.dimension(budget, wanted) then
        return {'no_dimension'}
    end
    local before, spender = reported(name, report_key)
    if before and (spender ~= id or before[REPORTED_DIMENSION] ~= wanted or before[REPORTED_AMOUNT] ~= amount) then
        return {'differently'}
    end
    local cancels = false
    if not before then
        cancels = count_report(id, x, namespace, name, wanted, amount)
        keep_report(id, name, {budget_name, wanted, amount, report_key, unit.now, false, unit.next_number('reports')})
    end
    return {true, namespace, cmsgpack.pack(budget)}, cancels and name
end

-- spend: counts what was used up.
-- asked, each: id, partition, attempt, epoch, budget, dimension, amount, key; and the namespace, if the execution lies in another
--     partition of it, where it was seen to have its lease
-- answers: for each true, the namespace and how the budget stands; or why not. One that breaches a budget that cancels is the
--     last that is looked at: its name is answered, too.
register('spend', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, name, wanted, amount, report_key, apart = unpack(asked[n])
        local x = not apart and executions.get(id)
        if not apart and (not x or x[PARTITION] ~= partition or not executions.holds(x, attempt, epoch)) then
            answers[n] = executions.unheld(id, partition, x)
        else
            local namespace = apart or lanes.get(x[LANE])[LANE_NAMESPACE]
            local answer, breached = spend(id, x, namespace, name, wanted, amount, report_key)
            answers[n] = answer
            if breached then
                return {answers, breached}
            end
        end
    end
    return {answers, false}
end)

-- ledger: what an execution has used up, as it was reported.
-- asked: id, partition, the number of the report after which to begin, how many at most, and the namespace if the execution lies
--     in another partition of it
-- answers: its namespace, the reports, and whether there are more; nothing but why not, where it cannot be told
register_reading('ledger', function(asked)
    local id, partition, after, most, apart = unpack(asked)
    local x = not apart and executions.get(id)
    if not apart and (not x or x[PARTITION] ~= partition) then
        return executions.unheld(id, partition, x)
    end
    local reports = {}
    local last = tonumber(unit.get('detail', id .. 'u') or '0')
    for number = after + 1, math.min(last, after + most) do
        reports[#reports + 1] = cmsgpack.unpack(unit.get('spending', report_field(id, number)))
    end
    return {true, apart or lanes.get(x[LANE])[LANE_NAMESPACE], reports, after + most < last}
end)

-- refund: takes a report back where it still counts: a reset has forgotten it.
-- asked: id, namespace, budget, key, and what is told of it
-- answers: whether it was
register('refund', {'allow-oom'}, function(asked)
    local id, namespace, budget_name, report_key, event = unpack(asked)
    local name = namespace .. '\0' .. budget_name
    local report, spender, field = reported(name, report_key)
    if not report or spender ~= id or report[REFUNDED] then
        return false
    end
    report[REFUNDED] = true
    unit.set('spending', field, cmsgpack.pack(report))
    budgets.upwards(name, function(budget, at)
        local dimension = budgets.dimension(budget, report[REPORTED_DIMENSION])
        if dimension and report[REPORT_NUMBER] > budget[COUNTS_AFTER] then
            dimension[USED] = math.max(0, dimension[USED] - report[REPORTED_AMOUNT])
            budgets.reopen(at)
        end
        return nil
    end)
    log.append(event)
    lanes.wake_all(namespace)
    return true
end)

-- Forgets what an execution reported, the last of it first, and says how many reports that were and whether some are left. What
-- it used stays used.
function budgets.forget(id, namespace, most)
    local last = tonumber(unit.get('detail', id .. 'u') or '0')
    local left = math.max(0, last - most)
    for number = left + 1, last do
        local field = report_field(id, number)
        local report = cmsgpack.unpack(unit.get('spending', field))
        unit.remove('spending', field)
        unit.remove('spending', key_field(namespace .. '\0' .. report[REPORTED_BUDGET], report[REPORTED_KEY]))
    end
    unit.set('detail', id .. 'u', left > 0 and tostring(left))
    return last - left, left > 0
end

-- recount_budgets: counts anew what is set aside, and puts right what says otherwise.
-- asked: namespace
-- answers: how many dimensions were counted, and those that were wrong: budget, dimension, what it said, what it is
register('recount_budgets', {'allow-oom'}, function(asked)
    local truth = {}
    sessions.each_held(asked[1], function(_, x)
        local held = x[COUNTED] and x[COUNTED][HELD_AMOUNTS] or {}
        for n = 1, #held, 3 do
            local slot = held[n] .. '\0' .. held[n + 1]
            truth[slot] = (truth[slot] or 0) + held[n + 2]
        end
    end)
    local counted, drifts = 0, {}
    local shut = gates.count_shut('b', asked[1] .. '\0')
    local members = bytes.range('listing', 'b' .. asked[1] .. '\0', nil, -1)
    for n = 1, #members do
        local whole = string.sub(members[n], 2)
        local name = string.sub(whole, #asked[1] + 2)
        local dimensions = budgets.get(whole)[BUDGET_DIMENSIONS]
        budgets.get(whole)[BUDGET_SHUT] = shut[whole] or 0
        budgets.changed[whole] = true
        for d = 1, #dimensions do
            counted = counted + 1
            local said, is = dimensions[d][HELD], truth[whole .. '\0' .. dimensions[d][DIMENSION]] or 0
            if said ~= is then
                dimensions[d][HELD] = is
                budgets.reopen(whole)
                drifts[#drifts + 1] = {name, dimensions[d][DIMENSION], said, is}
                log.tell_drift(asked[1], 'budget ' .. name .. ': ' .. dimensions[d][DIMENSION], said, is)
            end
        end
    end
    if #drifts > 0 then
        lanes.wake_all(asked[1])
    end
    gates.reopen_all('b' .. asked[1] .. '\0')
    return {counted, drifts}
end)

-- breached: what runs and draws on a breached budget that cancels.
-- asked: the budget, with its namespace; how many at most
-- answers: pieces, each with the breached budgets that it draws on; the budgets, each with how it stands. When there are no
--     pieces, nothing is left to be done about the breach.
register('breached', {'allow-oom'}, function(asked)
    local whole, most = asked[1], asked[2]
    local namespace = string.sub(whole, 1, string.find(whole, '\0', 1, true) - 1)
    local pieces, names, standing_budgets = {}, {}, {}
    sessions.each_held(namespace, function(id, x)
        local found = #pieces < most and x[COUNTED] and budgets.breaches(x[COUNTED][COUNTED_BUDGETS]) or {}
        if #found > 0 then
            pieces[#pieces + 1] = {id, unit.get('execution', id), unit.get('detail', id .. 's'), found}
            for n = 1, #found do
                if not names[found[n]] then
                    names[found[n]] = true
                    standing_budgets[#standing_budgets + 1] = {found[n], cmsgpack.pack(budgets.get(found[n]))}
                end
            end
        end
    end)
    if #pieces == 0 then
        unit.drop('due', 'x' .. whole)
    end
    return {pieces, standing_budgets}
end)

-- open_due: begins periods of budgets and reopens what is behind full rates, where it is time.
-- asked: how many at most
-- answers: the breached budgets for which something may be left to be cancelled, whether there may be more, and flows in which
--     something is still to be done by a process that is gone
register('open_due', {'allow-oom'}, function(asked)
    -- Changes of spread lanes are due beside them, and are finished by the program: however many, they hide nothing.
    local due, seen, more = {}, 0, true
    while more do
        local some = redis.call('ZRANGEBYSCORE', key.due, '-inf', unit.now, 'LIMIT', seen, asked[1])
        for n = 1, #some do
            if string.sub(some[n], 1, 1) ~= 'l' and #due < asked[1] then
                due[#due + 1] = some[n]
            end
        end
        seen = seen + #some
        more = #due < asked[1] and #some == asked[1]
    end
    local breached = {}
    for n = 1, #due do
        local letter, name = string.sub(due[n], 1, 1), string.sub(due[n], 2)
        if letter == 'q' then
            quotas.look_again(name)
        elseif letter == 'x' then
            breached[#breached + 1] = name
        elseif letter == 'b' then
            local budget = budgets.get(name)
            local late = unit.now - budget[BUDGET_RESETS]
            local periods = math.floor(late / budget[BUDGET_PERIOD]) + 1
            budgets.reset(name)
            set_reset(name, budget, budget[BUDGET_RESETS] + periods * budget[BUDGET_PERIOD])
            lanes.wake_all(string.sub(name, 1, string.find(name, '\0', 1, true) - 1))
        end
    end
    return {breached, #due == asked[1], flows.due()}
end)
