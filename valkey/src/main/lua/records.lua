-- How executions are stored: what every one has stands in fixed places, and what few have follows as a packed list. To read and
-- write fixed places costs a third of what it costs to unpack and pack a list of all fields, and is paid with every step.

-- What a record begins with. A program that writes others begins them with another byte.
records.FORMAT = 1
local FORMAT = records.FORMAT

-- The format; situation, next, lane, gate; sequence, submitted, changed; priority, partition, attempts; epoch; retries, reclaims,
-- replays; since. Then four texts of any length: place, session, the lease that was given up, entries of the log.
records.LAYOUT = '>BBBI4I4I6I6I6I2I2I4I6I4I4I4I6Bc0Bc0Bc0Bc0'
local LAYOUT = records.LAYOUT

-- The fields of the list behind it, in its order; what newer programs have added follows.
local FEW_HAVE = {
    DEADLINE, UNTIL, DELAYED_BY, BY_HAND, COUNTED, ATTEMPT_TIMEOUT, STALL_TIMEOUT, PROGRESS_AT, RETENTION, SHARE}

local function has_more(x)
    return x[DEADLINE] or x[UNTIL] or x[DELAYED_BY] or x[BY_HAND] or x[COUNTED] or x[ATTEMPT_TIMEOUT] or x[STALL_TIMEOUT]
        or x[PROGRESS_AT] or x[RETENTION] or x[SHARE] or x[EXECUTION_FIELDS + 1] ~= nil
end

local function pack_more(x)
    local more = {}
    for n = 1, #FEW_HAVE do
        more[n] = x[FEW_HAVE[n]]
    end
    for n = EXECUTION_FIELDS + 1, #x do
        more[#more + 1] = x[n]
    end
    return cmsgpack.pack(more)
end

local function unpack_more(x, packed)
    local more = cmsgpack.unpack(packed)
    for n = 1, #FEW_HAVE do
        x[FEW_HAVE[n]] = more[n]
    end
    for n = #FEW_HAVE + 1, #more do
        x[#x + 1] = more[n]
    end
end

function records.pack(x)
    local place, session, given_up, steps = x[PLACE] or '', x[SESSION] or '', x[GIVEN_UP] or '', x[STEPS]
    local packed = struct.pack(
        LAYOUT, FORMAT, x[SITUATION], x[NEXT], x[LANE], x[GATE], x[SEQUENCE], x[SUBMITTED], x[CHANGED], x[PRIORITY],
        x[PARTITION], x[ATTEMPTS], x[EPOCH], x[RETRIES], x[RECLAIMS], x[REPLAYS], x[SINCE] or 0, #place, place, #session, session,
        #given_up, given_up, #steps, steps)
    return has_more(x) and packed .. pack_more(x) or packed
end

-- The fields of a record; false when it is of another format.
-- Fails when it is damaged.
function records.unpack(packed)
    local format, situation, next, lane, gate, sequence, submitted, changed, priority, partition, attempts, epoch, retries,
        reclaims, replays, since, place, session, given_up, steps, behind = struct.unpack(LAYOUT, packed)
    if format ~= FORMAT then
        return false
    end
    local held = session ~= ''
    local x = {
        situation, next, lane, gate, sequence, submitted, changed, priority, place ~= '' and place, attempts, epoch, retries,
        reclaims, replays, false, false, false, held and session, held and since, false, false, given_up ~= '' and given_up,
        false, false, false, false, false, partition, steps}
    if behind <= #packed then
        unpack_more(x, string.sub(packed, behind))
    end
    return x
end

-- The situation of an execution, without reading the others of its fields; nil when it is of another format.
function records.situation(packed)
    local format, situation = string.byte(packed, 1, 2)
    return format == FORMAT and situation or nil
end

-- What is known of a lease that its holder has ended, to recognise a repeat: epoch, step, digest, and until when it waits if it does.
function records.given_up(epoch, step, digest, ends)
    return struct.pack('>I6B', epoch, step) .. digest .. (ends and struct.pack('>i8', ends) or '')
end
