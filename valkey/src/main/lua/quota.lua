-- How quotas are kept.

-- The lane of a namespace that names something; nil when none does.
function lanes.naming(namespace, names)
    local numbers = lanes.all_of(namespace)
    for n = 1, #numbers do
        local lane = lanes.get(numbers[n])
        if names(lane) then
            return lane[LANE_NAME]
        end
    end
    return nil
end

-- A count was wrong.
function log.tell_drift(namespace, of, said, found)
    log.append({EVENT_DRIFTED, namespace, of, said, found, unit.now})
end

-- How many gates wait behind what has a name that begins like this, by its name: as they stand, not as they were counted.
-- letter: q for quotas, b for budgets
function gates.count_shut(letter, prefix)
    local waiting, shut = bytes.range('shut', letter .. prefix, nil, -1), {}
    for n = 1, #waiting do
        local name = string.sub(gates.shut_by_name(waiting[n]), 2)
        shut[name] = (shut[name] or 0) + 1
    end
    return shut
end

-- define_quota: defines a quota, or changes one.
-- asked: namespace, name, the written settings that it was decided by or false, the quota, and what is told of it
-- answers: whether it was; it was not when it has other settings by now
register('define_quota', {'allow-oom'}, function(asked)
    local namespace, name, before, quota, event = unpack(asked)
    local whole = namespace .. '\0' .. name
    local packed = unit.get('quota', whole)
    if (packed and cmsgpack.unpack(packed)[QUOTA_SETTINGS] or false) ~= before then
        return false
    end
    unit.set('quota', whole, cmsgpack.pack(quota))
    unit.add('listing', 0, 'q' .. whole)
    quotas.redefined(whole)
    log.append(event)
    lanes.wake_all(namespace)
    return true
end)

-- delete_quota: takes the bounds away.
-- asked: namespace, name, and what is told of it
-- answers: the lane that names it, or false
register('delete_quota', {'allow-oom'}, function(asked)
    local namespace, name, event = unpack(asked)
    local whole = namespace .. '\0' .. name
    local lane = lanes.naming(namespace, function(lane)
        for n = 1, #lane[LANE_QUOTAS] do
            if lane[LANE_QUOTAS][n] == name .. '\0' then
                return true
            end
        end
        return false
    end)
    if lane then
        return lane
    end
    if unit.get('quota', whole) then
        unit.remove('quota', whole)
        unit.drop('listing', 'q' .. whole)
        quotas.redefined(whole)
        log.append(event)
        lanes.wake_all(namespace)
    end
    return false
end)

-- recount_quotas: counts anew what runs, and puts right what says otherwise.
-- asked: namespace
-- answers: how many were counted, and those that were wrong: quota, key, what it said, what it is
register('recount_quotas', {'allow-oom'}, function(asked)
    local prefix = asked[1] .. '\0'
    local names, truth = quotas.names(prefix), {}
    for n = 1, #names do
        truth[names[n]] = 0
    end
    sessions.each_held(asked[1], function(_, x)
        local counted = x[COUNTED] and x[COUNTED][COUNTED_QUOTAS] or {}
        for n = 1, #counted do
            if not truth[counted[n]] then
                names[#names + 1] = counted[n]
            end
            truth[counted[n]] = (truth[counted[n]] or 0) + 1
        end
    end)
    local drifts = {}
    for n = 1, #names do
        local said, runs = quotas.meter(names[n])[METER_RUNNING], truth[names[n]]
        if said ~= runs then
            quotas.correct(names[n], runs)
            local last = string.find(names[n], '\0', #prefix + 1, true)
            local quota, used_key = string.sub(names[n], #prefix + 1, last - 1), string.sub(names[n], last + 1)
            drifts[#drifts + 1] = {quota, used_key, said, runs}
            log.tell_drift(asked[1], 'quota ' .. quota .. (used_key ~= '' and '=' .. used_key or ''), said, runs)
        end
    end
    if #drifts > 0 then
        lanes.wake_all(asked[1])
    end
    -- What waits is looked at anew, whatever was counted.
    local shut = gates.count_shut('q', prefix)
    for n = 1, #names do
        shut[names[n]] = shut[names[n]] or 0
    end
    for name, count in pairs(shut) do
        quotas.meter(name)[METER_SHUT] = count
        quotas.changed[name] = true
    end
    gates.reopen_all('q' .. prefix)
    return {#names, drifts}
end)
