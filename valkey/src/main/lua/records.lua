-- How executions are stored: what every one has stands in fixed places, and what few have follows as a packed list. To read and
-- write fixed places costs less than to unpack and pack a list of all fields; and steps of plain work move them as they are,
-- see plain.lua.
--
-- At the byte from which on it stands:
--    1 format    2 situation    3 next
--    4 partition    6 attempts    10 epoch: the fence, as a worker gives it back
--   16 changed    22 since
--   28 retries    32 reclaims    36 replays    40 lane    44 gate    48 submitted    54 sequence    60 priority
--   62 the lengths of four texts, which follow from 66 on: place, session, the lease that was given up, entries of the log

-- What a record begins with. A program that writes others begins them with another byte.
records.FORMAT = 1
local FORMAT = records.FORMAT
local LAYOUT = '>BBBI2I4I6I6I6I4I4I4I4I4I6I6I2BBBB'

-- The fields of the list behind it, in its order; what newer programs have added follows.
local FEW_HAVE = {
    DEADLINE, UNTIL, DELAYED_BY, BY_HAND, COUNTED, ATTEMPT_TIMEOUT, STALL_TIMEOUT, PROGRESS_AT, RETENTION, SHARE,
    RECORDED, SUSPENSION, SIGNALS, STREAMED, MEMBER}

local function has_more(x)
    return x[DEADLINE] or x[UNTIL] or x[DELAYED_BY] or x[BY_HAND] or x[COUNTED] or x[ATTEMPT_TIMEOUT] or x[STALL_TIMEOUT]
        or x[PROGRESS_AT] or x[RETENTION] or x[SHARE] or x[RECORDED] or x[SUSPENSION] or x[SIGNALS] or x[STREAMED]
        or x[MEMBER] or x[EXECUTION_FIELDS + 1] ~= nil
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
        -- Older programs have written fewer.
        x[FEW_HAVE[n]] = more[n] or false
    end
    for n = #FEW_HAVE + 1, #more do
        x[#x + 1] = more[n]
    end
end

function records.pack(x)
    local place, session, given_up, steps = x[PLACE] or '', x[SESSION] or '', x[GIVEN_UP] or '', x[STEPS]
    return struct.pack(
        LAYOUT, FORMAT, x[SITUATION], x[NEXT], x[PARTITION], x[ATTEMPTS], x[EPOCH], x[CHANGED], x[SINCE] or 0, x[RETRIES],
        x[RECLAIMS], x[REPLAYS], x[LANE], x[GATE], x[SUBMITTED], x[SEQUENCE], x[PRIORITY], #place, #session, #given_up, #steps)
        .. place .. session .. given_up .. steps .. (has_more(x) and pack_more(x) or '')
end

-- The fields of a record; false when it is of another format.
-- Fails when it is damaged.
function records.unpack(packed)
    local format, situation, next, partition, attempts, epoch, changed, since, retries, reclaims, replays, lane, gate, submitted,
        sequence, priority, place, session, given_up, steps, at = struct.unpack(LAYOUT, packed)
    if format ~= FORMAT or #packed < at - 1 + place + session + given_up + steps then
        return false
    end
    local held = session > 0
    local function text(length)
        local from = at
        at = at + length
        return length > 0 and string.sub(packed, from, at - 1)
    end
    local x = {
        situation, next, lane, gate, sequence, submitted, changed, priority, text(place), attempts, epoch, retries, reclaims,
        replays, false, false, false, text(session), held and since, false, false, text(given_up), false, false, false, false,
        false, partition, text(steps), false, false, false, false, false}
    if at <= #packed then
        unpack_more(x, string.sub(packed, at))
    end
    return x
end

-- The situation of an execution, without reading the others of its fields; nil when it is of another format.
function records.situation(packed)
    local format, situation = string.byte(packed, 1, 2)
    return format == FORMAT and situation or nil
end

-- What is known of a lease that its holder has ended, to recognise a repeat: epoch, digest, step, and until when it waits if it does.
function records.given_up(epoch, digest, step, ends)
    return bytes.six(epoch) .. digest .. string.char(step) .. (ends and struct.pack('>i8', ends) or '')
end
