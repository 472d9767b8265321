-- The functions of the library. Each is handed one packed request and returns one packed answer.
--
-- An answer has four parts: what the function answers, the time of the server, the stamp of the last entry of the log, and what
-- others should hear of: the lanes in which work became ready, with its id if it is one piece, and the sessions that have
-- lost leases, and the executions whose streams went on or may be closed.

local function begin(declared, now, seen)
    unit.begin(declared, now, seen)
    log.begin()
    lanes.begin()
    rounds.begin()
    gates.begin()
    quotas.begin()
    budgets.begin()
    signposts.begin()
    sessions.begin()
    executions.begin()
    flows.begin()
end

-- Writes everything: first what came and went, then what depends on what is left.
local function finish()
    executions.finish()
    unit.write()
    rounds.place()
    executions.finish()
    unit.write()
    gates.settle()
    quotas.finish()
    budgets.finish()
    lanes.finish()
    log.finish()
    unit.write()
end

local function news()
    local ready, losing, streamed = {}, {}, {}
    for number, id in pairs(executions.woken) do
        local lane = lanes.get(number)
        ready[#ready + 1] = {lane[LANE_NAMESPACE], lane[LANE_NAME], id}
    end
    for id in pairs(executions.losers) do
        losing[#losing + 1] = id
    end
    for id in pairs(executions.streamed) do
        streamed[#streamed + 1] = id
    end
    return {ready, losing, streamed}
end

-- request: the time, if it is not that of the server; the highest stamp that the caller has heard of; and what is asked
local function register(name, flags, body)
    redis.register_function{
        function_name = '${library}_' .. name,
        flags = flags,
        callback = function(declared, arguments)
            local request = cmsgpack.unpack(arguments[1])
            begin(declared, request[1], request[2])
            local answer = body(request[3])
            finish()
            return cmsgpack.pack({answer, unit.now, log.stamp(), news()})
        end}
end

-- Something that only reads, and may run where nothing is written.
local function register_reading(name, body)
    redis.register_function{
        function_name = '${library}_' .. name,
        flags = {'no-writes'},
        callback = function(declared, arguments)
            local request = cmsgpack.unpack(arguments[1])
            begin(declared, request[1], request[2])
            return cmsgpack.pack({body(request[3]), unit.now, log.stamp()})
        end}
end
