-- The steps of plain work: it has no timers, counts against nothing, and is not shared. Nearly all work is like that, and takes
-- these steps many at a time. They are the steps of executions.lua, without what is not there.
--
-- A record is not read: its bytes are cut where they change, and put together again. records.lua says where what stands, and
-- nothing that is not of that length is plain. What is not plain is left to the others.
--
-- Names of the language are looked up in two tables each time; in the loops below they are local.

-- How many bytes of entries of the log a record may have to get one more in its place.
local ROOM_FOR_ENTRIES = 2 + 6 * 15

local NO_TIME = '\0\0\0\0\0\0'
local NEVER_HELD = '\0\0\0\0\0\0\0\0\0\0'
local NEVER_TRIED_AGAIN = '\0\0\0\0\0\0\0\0\0\0\0\0'

-- Where plain work of a lane, behind a gate, with a priority, comes to, and all that is the same for all of it.
function plain.way_in(number, gate, priority)
    gates.touch(gate)
    local now, lane, entries = bytes.six(unit.now), bytes.four(number), log.noted('', log.nothing_noted())
    -- A place is a rank, which is the same for all, and the number in the order of submission.
    local place = lanes.place(lanes.get(number), priority, unit.now, 0, true, 0)
    local rank = string.sub(place, 1, -7)
    return {
        number = number, entries = entries, ready_before = bytes.four(gate) .. rank, standing_before = lane .. '\0' .. now,
        before_partition = string.char(records.FORMAT, READY, FIRST),
        before_sequence = NEVER_HELD .. now .. NO_TIME .. NEVER_TRIED_AGAIN .. lane .. bytes.four(gate) .. now,
        before_place = bytes.two(priority) .. string.char(#place, 0, 0, #entries) .. rank,
        executions = unit.changed_fields('execution'), details = unit.changed_fields('detail'),
        ready = unit.added_scores('ready'), standing = unit.added_scores('standing')}
end

local function add(list, member)
    local count = list.count
    -- A number is printed with seventeen digits on its way; a text goes as it is.
    list[count + 1] = '0'
    list[count + 2] = member
    list.count = count + 2
end

-- Submits plain work that is ready at once.
-- partition: in two bytes
function plain.submit(way, id, partition, submitted)
    local sequence = bytes.six(unit.next_number('submissions'))
    way.executions[id] = way.before_partition .. partition .. way.before_sequence .. sequence .. way.before_place .. sequence
        .. way.entries
    add(way.ready, way.ready_before .. sequence .. id)
    add(way.standing, way.standing_before .. sequence .. id)
    way.details[id .. 's'] = submitted
    local steps = log.steps_of(way.number, STEP_SUBMIT, READY, false)
    steps[#steps + 1] = id .. partition .. NEVER_HELD
    executions.count(way.number, READY, 1)
    executions.wake(way.number, id)
end

-- Leases the first entries behind a plain gate of a lane to a session, as long as they are plain themselves. Says what was
-- taken: how many, ids and epochs, and of each what a worker is told of it.
-- members: what is first, as it stands among what is ready
function plain.lease(session, lane, gate, members)
    local ids, given, pieces, places, count = {}, {}, {}, {}, 0
    for n = 1, #members do
        ids[n] = string.sub(members[n], 20)
    end
    local stored = unit.get_all('execution', ids)
    local known, changed, ready = executions.known, unit.changed_fields('execution'), unit.changed_scores('ready')
    local now = unit.now
    local times = bytes.six(now) .. bytes.six(now)
    local sub, byte, pack, read = string.sub, string.byte, struct.pack, struct.unpack
    local FORMAT, entry = records.FORMAT, nil
    local steps, begin, of_next, lengths, of_noted
    for n = 1, #ids do
        local id, record = ids[n], stored[n]
        if not record or known[id] ~= nil or changed[id] ~= nil then
            break
        end
        local format, situation, next = byte(record, 1, 3)
        local place, held, given_up, noted = byte(record, 62, 65)
        if format ~= FORMAT or situation ~= READY or not noted or held > 0 or noted < 2 or noted > ROOM_FOR_ENTRIES then
            break
        end
        local length, more = 65 + place + given_up + noted, ''
        if #record ~= length then
            more = plain.only_member(record, length)
            if not more then
                break
            end
        end
        if next ~= of_next then
            of_next = next
            begin = string.char(FORMAT, RUNNING, next)
            steps = log.steps_of(lane, next == RECLAIM and STEP_RECLAIM or STEP_CLAIM, RUNNING, session)
            entry = log.bytes
        end
        if noted ~= of_noted then
            of_noted = noted
            lengths = string.char(0, #session, 0, noted + #entry)
        end
        local attempts, epoch = read('>I4I6', record, 6)
        epoch = epoch < now and now or epoch + 1
        local fence = sub(record, 4, 5) .. pack('>I4I6', next <= REPLAY and attempts + 1 or attempts, epoch)
        local step = id .. fence
        steps[#steps + 1] = step
        changed[id] = begin .. fence .. times .. sub(record, 28, 61) .. lengths .. session
            .. sub(record, length - noted + 1, length) .. entry .. more
        ready[members[n]] = false
        given[2 * n - 1] = id
        given[2 * n] = epoch
        pieces[n] = step .. sub(record, 3, 3) .. sub(record, 28, 31)
        if more ~= '' then
            places[n] = sub(more, -20)
        end
        count = n
    end
    if count > 0 then
        executions.count(lane, READY, -count)
        executions.count(lane, RUNNING, count)
        gates.touch(gate)
    end
    return {lane = lane, ids = ids, count = count, given = given, pieces = pieces, places = places}
end

-- Whether an ending is a completion, and nothing more.
function plain.only_completes(change)
    return change[CHANGE_SITUATION] == COMPLETED and not change[CHANGE_UNTIL] and change[CHANGE_RETRIES] == 0
        and not change[CHANGE_FAILURE]
end

-- Ends leases from the next on, as long as they and what they come to are plain, and their fences hold.
-- ends: see lease.lua
function plain.complete(ends)
    local items, known, changed = ends.items, executions.known, unit.changed_fields('execution')
    local standing, ended = unit.changed_scores('standing'), unit.changed_scores('ended')
    local now, ids, stored, answers = bytes.six(unit.now), ends.ids, ends.records, ends.answers
    local sub, byte, FORMAT = string.sub, string.byte, records.FORMAT
    local completed = string.char(COMPLETED)
    local living, lane, of_lane, counts, steps, of_step, begin, of_next, lengths, of_noted
    for n = ends.next, #ids do
        local id, record, at = ids[n], stored[n], ends.size * (n - 1)
        local high, low = byte(items, at + 61, at + 62)
        local change = ends.changes[high * 256 + low]
        if not record or not change.only_completes or known[id] ~= nil or changed[id] ~= nil then
            return
        end
        local format, situation, next = byte(record, 1, 3)
        local place, held, given_up, noted = byte(record, 62, 65)
        local fence = sub(items, at + 17, at + 28)
        if format ~= FORMAT or situation ~= RUNNING or sub(record, 4, 15) ~= fence or not noted
            or noted < 2 or noted > ROOM_FOR_ENTRIES or place + given_up > 0 or #record ~= 65 + held + noted then
            return
        end
        local session = sub(record, 66, 65 + held)
        if session ~= living then
            if not sessions.is_alive(session) then
                return
            end
            living = session
            steps = nil
        end
        local in_lane = sub(record, 40, 43)
        if in_lane ~= lane then
            lane = in_lane
            of_lane = bytes.read_four(lane, 1)
            counts = executions.counts_of(of_lane)
            steps = nil
        end
        if not steps or of_step ~= change[CHANGE_STEP] then
            of_step = change[CHANGE_STEP]
            steps = log.steps_of(of_lane, of_step, COMPLETED, session)
        end
        if next ~= of_next then
            of_next = next
            begin = string.char(FORMAT, COMPLETED, next)
        end
        if noted ~= of_noted then
            of_noted = noted
            -- Of the lease that is given up there are epoch, digest and step.
            lengths = string.char(0, 0, 39, noted + #log.bytes)
        end
        steps[#steps + 1] = id .. fence
        changed[id] = begin .. fence .. now .. NO_TIME .. sub(record, 28, 61) .. lengths
            .. sub(items, at + 23, at + 60) .. string.char(of_step) .. sub(record, -noted) .. log.bytes
        local submitted = sub(record, 48, 59)
        standing[lane .. '\0' .. submitted .. id] = false
        standing[lane .. completed .. submitted .. id] = 0
        ended[lane .. now .. id] = 0
        if change[CHANGE_RESULT] then
            unit.set('detail', id .. 'r', change[CHANGE_RESULT])
        end
        counts[RUNNING] = (counts[RUNNING] or 0) - 1
        counts[COMPLETED] = (counts[COMPLETED] or 0) + 1
        answers[n] = true
        ends.next = n + 1
    end
end
