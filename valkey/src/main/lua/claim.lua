-- claim: leases or grants work to a session.
-- asked: session, number, how much is wanted, whether the number may have been heard before, what the worker says of routes
--     (numbers it is able to do, numbers it is not), until when grants hold or false
-- answers: 'dead', 'used', or 'given' with the pieces, the routes that the worker has to be asked about, what is shut,
--     whether there may be more, and the pieces of plain work, which come before the others; of a repeat 'again' with the pieces

-- An input up to this size goes with its lease; of a larger one only its size, and the program reads it by itself.
local SMALL_INPUT = 4096

-- The input of an execution, if it is not part of what was submitted.
-- submitted: it ends with a false where the input is kept apart, and seldom otherwise
local function input_apart(id, submitted)
    if not submitted or string.byte(submitted, -1) ~= 194 then
        return false
    end
    local field = id .. 'i'
    local size = redis.call('HSTRLEN', key.detail, field)
    return size > SMALL_INPUT and size or unit.get('detail', field)
end

-- Steps up to this size together go with their lease; of larger ones only their size. The same as Lease.STEPS_BYTES.
local SMALL_STEPS = 16384

-- What was recorded of an execution that is leased; false where nothing was.
local function steps_of(id, x)
    local recorded = x[SITUATION] == RUNNING and x[RECORDED]
    if not recorded or recorded[RECORDED_BYTES] > SMALL_STEPS then
        return recorded and recorded[RECORDED_BYTES]
    end
    return executions.steps(id, 1, recorded[RECORDED_STEPS])
end

-- What a worker is told of the executions that it gets.
function claims.pieces_of(ids)
    local fields = {}
    for n = 1, #ids do
        fields[n] = ids[n] .. 's'
    end
    local submitted = unit.get_all('detail', fields)
    local pieces = {}
    for n = 1, #ids do
        local id = ids[n]
        local x = executions.get(id)
        pieces[n] = {
            id, x[PARTITION], x[ATTEMPTS], x[EPOCH], x[NEXT], x[RETRIES], x[DEADLINE], x[SINCE], x[UNTIL], x[LANE],
            submitted[n], input_apart(id, submitted[n]), steps_of(id, x),
            x[MEMBER] and flows.upstreams(x[MEMBER])}
    end
    return pieces
end

-- What a worker is told of plain work that it gets: the lane, when it got it, what plain.lease says of each piece, what was
-- submitted, the inputs that are kept apart, each behind the number of its piece, and what members come after, likewise. False when there is none.
local function plain_pieces(taken)
    if not taken then
        return false
    end
    local fields, apart = {}, {}
    for n = 1, taken.count do
        fields[n] = taken.ids[n] .. 's'
    end
    local submitted = unit.get_all('detail', fields)
    for n = 1, taken.count do
        local input = input_apart(taken.ids[n], submitted[n])
        if input then
            apart[#apart + 1] = n
            apart[#apart + 1] = input
        end
    end
    local upstreams = {}
    for n, place in pairs(taken.places) do
        local before = flows.upstreams(place)
        if before then
            upstreams[#upstreams + 1] = n
            upstreams[#upstreams + 1] = before
        end
    end
    return {taken.lane, unit.now, table.concat(taken.pieces), submitted, apart, upstreams}
end

local function judged(able, unable)
    local says = {}
    for n = 1, #able do
        says[able[n]] = true
    end
    for n = 1, #unable do
        says[unable[n]] = false
    end
    return says
end

function claims.still_held(session, receipt, situation)
    local good = {}
    local held = sessions.held(session, receipt)
    for n = 1, #held do
        local x = executions.get(held[n])
        if x and x[SITUATION] == situation and (situation == RUNNING or x[UNTIL] > unit.now) then
            good[#good + 1] = held[n]
        end
    end
    return claims.pieces_of(good)
end

register('claim', {}, function(asked)
    local id, number, wanted, again, able, unable, ends = unpack(asked)
    if not sessions.is_alive(id) then
        return {'dead'}
    end
    local session = sessions.get(id)
    if number <= session[ACKNOWLEDGED] then
        return {'used'}
    end
    local receipt = sessions.receipt(id, number)
    if receipt then
        return {'again', claims.still_held(id, receipt, ends and GRANTED or RUNNING)}
    end
    local given, ids = {}, {}
    local until_when = ends and unit.now + ends
    local taken = false
    local function take_plain(lane, gate, members)
        local some = plain.lease(id, lane, gate, members)
        if some.count > 0 then
            taken = some
            given = some.given
        end
        return some.count
    end
    local claim = claims.pick(session, judged(able, unable), wanted, function(execution, x)
        if ends then
            executions.grant(execution, x, id, until_when)
        else
            executions.lease(execution, x, id, false)
        end
        given[#given + 1] = execution
        given[#given + 1] = x[EPOCH]
        ids[#ids + 1] = execution
    end, not ends and take_plain)
    if #given > 0 or (again and #claim.unknown == 0) then
        sessions.keep_receipt(id, session, number, given)
    end
    local routes = {}
    for n = 1, #claim.unknown do
        local route = cmsgpack.unpack(unit.get('route', tostring(claim.unknown[n])))
        routes[n] = {claim.unknown[n], route[1], route[2]}
    end
    local blocks = {}
    for word in pairs(claim.words) do
        blocks[#blocks + 1] = word
    end
    return {'given', claims.pieces_of(ids), routes, blocks, claim.more, plain_pieces(taken)}
end)
