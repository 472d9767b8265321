-- What decides how work reads from outside, besides itself: records of lanes, sessions, quotas, meters and budgets, each once.
function surroundings.new()
    return {lane = {}, session = {}, quota = {}, meter = {}, budget = {}}
end

local function note(around, name, field)
    if around[name][field] == nil then
        around[name][field] = unit.get(name, field)
    end
end

function surroundings.note_lane(around, number)
    note(around, 'lane', tostring(number))
end

-- What work behind a gate counts against and draws on.
function surroundings.note_gate(around, number)
    local needs = gates.needs(number)
    for n = 1, #needs[1] do
        note(around, 'meter', needs[1][n])
        note(around, 'quota', quotas.name_of(needs[1][n]))
    end
    for n = 1, #needs[2] do
        budgets.upwards(needs[2][n], function(budget, at)
            note(around, 'budget', at)
            return nil
        end)
    end
end

local function serves(session, names)
    for n = 1, #session[SESSION_LANES] do
        if names[session[SESSION_LANES][n]] then
            return true
        end
    end
    return false
end

-- The living sessions that serve one of the lanes that were noted.
function surroundings.note_workers(around)
    local namespaces = {}
    for number in pairs(around.lane) do
        local lane = lanes.get(tonumber(number))
        local names = namespaces[lane[LANE_NAMESPACE]] or {}
        names[lane[LANE_NAME]] = true
        namespaces[lane[LANE_NAMESPACE]] = names
    end
    for namespace, names in pairs(namespaces) do
        local unburied = sessions.unburied(namespace)
        for n = 1, #unburied do
            if sessions.is_alive(unburied[n]) and serves(sessions.get(unburied[n]), names) then
                note(around, 'session', unburied[n])
            end
        end
    end
end

function surroundings.told(around)
    local all = {}
    for name, noted in pairs(around) do
        local fields = {}
        for field, value in pairs(noted) do
            if value then
                fields[#fields + 1] = field
                fields[#fields + 1] = value
            end
        end
        all[#all + 1] = {name, fields}
    end
    return all
end

-- Notes what decides how an execution reads.
function surroundings.note_execution(around, x)
    if x[SESSION] then
        note(around, 'session', x[SESSION])
    end
    if x[SITUATION] == READY then
        surroundings.note_lane(around, x[LANE])
        surroundings.note_gate(around, x[GATE])
    end
end
