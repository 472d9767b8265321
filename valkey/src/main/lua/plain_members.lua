-- The steps of members of flows that are plain otherwise: they are given up when they are complete, and become ready when they have
-- what they wait for. As with plain work, the bytes of a record are cut where they change.

-- What follows in such a record behind its texts: a list of what few have, and of that only which member it is.
local ONLY_MEMBER = '\159\194\194\194\194\194\194\194\194\194\194\194\194\194\194\180'
local PLACE_BYTES = 20

-- How many bytes of entries of the log a record may have to get one more in its place.
local ROOM_FOR_ENTRIES = 2 + 6 * 15

local NO_TIME = '\0\0\0\0\0\0'

-- What a record has behind its texts, if it is only which member of a flow it is; nil otherwise.
-- length: of what is before that
function plain.only_member(record, length)
    if #record == length + #ONLY_MEMBER + PLACE_BYTES and string.sub(record, length + 1, length + #ONLY_MEMBER) == ONLY_MEMBER then
        return string.sub(record, length + 1)
    end
    return nil
end

-- The situation of a member that is plain otherwise, and how long the texts of its record are; nil when it is not.
local function parts_of(record)
    local place, held, given_up, noted = string.byte(record, 62, 65)
    if not noted or noted < 2 or noted > ROOM_FOR_ENTRIES or not records.situation(record) then
        return nil
    end
    local length = 65 + place + held + given_up + noted
    local more = plain.only_member(record, length)
    return more and records.situation(record), {place = place, held = held, given_up = given_up, noted = noted, length = length, more = more}
end

-- Which member of which flow a record is of, if it is plain otherwise; nil when it is not.
function plain.member(record)
    local situation = record and parts_of(record)
    return situation and string.sub(record, -PLACE_BYTES)
end

-- Whether a fence allows writing to a member that is plain otherwise.
-- fence: partition, attempts and epoch in fixed places
function plain.member_holds(record, fence)
    local situation, parts = parts_of(record)
    return situation == RUNNING and string.sub(record, 4, 15) == fence
        and sessions.is_alive(string.sub(record, 66 + parts.place, 65 + parts.place + parts.held))
end

-- Whether nothing but its situation changes.
local function only_moves(record, decided)
    return not (decided[CHANGE_UNTIL] or decided[CHANGE_DEADLINE] or decided[CHANGE_BY] or decided[CHANGE_FAILURE]
        or decided[CHANGE_GATE] or decided[CHANGE_FRESH] or decided[CHANGE_SUSPENSION])
        and struct.pack('>I4I4I4', decided[CHANGE_RETRIES], decided[CHANGE_RECLAIMS], decided[CHANGE_REPLAYS])
            == string.sub(record, 28, 39)
        and bytes.two(decided[CHANGE_PRIORITY]) == string.sub(record, 60, 61)
end

-- Completes a member, and says whether it did: otherwise it is not plain. Its caller has checked that the fence holds.
-- digest: by which a repeat is known
function plain.complete_member(id, record, decided, digest)
    local situation, parts = parts_of(record)
    if situation ~= RUNNING or decided[CHANGE_SITUATION] ~= COMPLETED or decided[CHANGE_NEXT] or parts.place + parts.given_up > 0
        or not only_moves(record, decided) then
        return false
    end
    local sub, now, lane = string.sub, bytes.six(unit.now), string.sub(record, 40, 43)
    local number, step = bytes.read_four(lane, 1), decided[CHANGE_STEP]
    local steps = log.steps_of(number, step, COMPLETED, sub(record, 66, 65 + parts.held))
    local fence = sub(record, 4, 15)
    steps[#steps + 1] = id .. fence
    -- Of the lease that is given up there are epoch, digest and step.
    local given_up = sub(fence, 7) .. digest .. string.char(step)
    unit.set(
        'execution', id,
        string.char(records.FORMAT, COMPLETED, string.byte(record, 3)) .. fence .. now .. NO_TIME .. sub(record, 28, 61)
            .. string.char(0, 0, #given_up, parts.noted + #log.bytes) .. given_up
            .. sub(record, parts.length - parts.noted + 1, parts.length) .. log.bytes .. parts.more)
    local submitted = sub(record, 48, 59)
    unit.drop('standing', lane .. '\0' .. submitted .. id)
    unit.add('standing', 0, lane .. string.char(COMPLETED) .. submitted .. id)
    unit.add('ended', 0, lane .. now .. id)
    if decided[CHANGE_RESULT] then
        unit.set('detail', id .. 'r', decided[CHANGE_RESULT])
    end
    executions.count(number, RUNNING, -1)
    executions.count(number, COMPLETED, 1)
    return true
end

-- Lets a member become ready that has what it waits for, and says whether it did: otherwise it is not plain.
function plain.satisfy_member(id, record, decided)
    local situation, parts = parts_of(record)
    if situation ~= AWAITING_CHILDREN or decided[CHANGE_SITUATION] ~= READY or parts.place + parts.held > 0
        or decided[CHANGE_RESULT] or not only_moves(record, decided) then
        return false
    end
    local sub, number, gate = string.sub, bytes.read_four(record, 40), bytes.read_four(record, 44)
    local lane, next = lanes.get(number), decided[CHANGE_NEXT] or string.byte(record, 3)
    if lane[SHARING] then
        return false
    end
    local submitted, sequence, priority = struct.unpack('>I6I6I2', record, 48)
    local place = lanes.place(lane, priority, submitted, sequence, next == FIRST, 0)
    local steps = log.steps_of(number, decided[CHANGE_STEP], READY, false)
    steps[#steps + 1] = id .. sub(record, 4, 15)
    unit.set(
        'execution', id,
        string.char(records.FORMAT, READY, next) .. sub(record, 4, 15) .. bytes.six(unit.now) .. NO_TIME .. sub(record, 28, 61)
            .. string.char(#place, 0, parts.given_up, parts.noted + #log.bytes) .. place .. sub(record, 66, parts.length) .. log.bytes
            .. parts.more)
    unit.add('ready', 0, bytes.four(gate) .. place .. id)
    gates.touch(gate)
    executions.count(number, AWAITING_CHILDREN, -1)
    executions.count(number, READY, 1)
    executions.wake(number, id)
    return true
end
