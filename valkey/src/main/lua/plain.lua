-- The steps of plain work: it has no timers, counts against nothing, and is not shared. Nearly all work is like that, and takes
-- these steps many at a time. They are the steps of executions.lua, without what is not there: a record is read into local
-- names and written from them, and nothing else is made of it. What is not plain is left to the others.

local FORMAT, LAYOUT = records.FORMAT, records.LAYOUT

-- How long the list of the entries that are about an execution may be to get one more in its place.
local ROOM_FOR_STEPS = 2 + 6 * 15

-- Leases executions that are first behind a plain gate, from one to the next, as long as they are plain.
-- taken: the session that gets them, ids, their records and their members among what is ready; how many were taken, and
--     what is told of them
local function lease_all(taken)
    local ids, records_of, members, session = taken.ids, taken.records, taken.members, taken.session
    local now, known = unit.now, executions.known
    local changed, ready = unit.changed_fields('execution'), unit.changed_scores('ready')
    local given, heads = taken.given, taken.heads
    for n = 1, #ids do
        local id = ids[n]
        if not records_of[n] or known[id] ~= nil or changed[id] ~= nil then
            return
        end
        local format, situation, next, lane, gate, sequence, submitted, _, priority, partition, attempts, epoch, retries,
            reclaims, replays, _, _, _, _, entries, behind = struct.unpack(LAYOUT, records_of[n])
        if format ~= FORMAT or situation ~= READY or behind <= #records_of[n] or #entries > ROOM_FOR_STEPS then
            return
        end
        attempts = next <= REPLAY and attempts + 1 or attempts
        epoch = epoch < now and now or epoch + 1
        local steps = log.steps_of(lane, next == RECLAIM and STEP_RECLAIM or STEP_CLAIM, RUNNING, session)
        steps[#steps + 1] = log.step(id, partition, attempts, epoch)
        entries = entries .. log.bytes
        changed[id] = struct.pack(
            LAYOUT, FORMAT, RUNNING, next, lane, gate, sequence, submitted, now, priority, partition, attempts, epoch, retries,
            reclaims, replays, now, 0, '', #session, session, 0, '', #entries, entries)
        ready[members[n]] = false
        given[2 * n - 1] = id
        given[2 * n] = epoch
        heads[n] = struct.pack('>c16I2I4I6BI4', id, partition, attempts, epoch, next, retries)
        taken.count = n
    end
end

-- Leases the first entries behind a plain gate of a lane to a session, as long as they are plain themselves. Says what was
-- taken: how many, ids and epochs, and of each what a worker is told of it.
-- members: what is first, as it stands among what is ready
function plain.lease(session, lane, gate, members)
    local ids = {}
    for n = 1, #members do
        ids[n] = string.sub(members[n], 20)
    end
    local taken = {
        session = session, ids = ids, records = unit.get_all('execution', ids), members = members, lane = lane, given = {}, heads = {},
        count = 0}
    -- One that is damaged ends it: those before it are taken.
    pcall(lease_all, taken)
    if taken.count > 0 then
        executions.count(lane, READY, -taken.count)
        executions.count(lane, RUNNING, taken.count)
        gates.touch(gate)
    end
    return taken
end

-- Whether an ending is a completion, and nothing more.
local function only_completes(change)
    return change[CHANGE_SITUATION] == COMPLETED and not change[CHANGE_UNTIL] and change[CHANGE_RETRIES] == 0
        and not change[CHANGE_FAILURE]
end

-- Completes executions from the next on, as long as they and their endings are plain, and their fences hold.
-- ends: see lease.lua
local function complete_all(ends)
    local now, known, changed = unit.now, executions.known, unit.changed_fields('execution')
    local standing, ended = unit.changed_scores('standing'), unit.changed_scores('ended')
    local living
    for n = ends.next, #ends.ids do
        local id, record = ends.ids[n], ends.records[n]
        local of_partition, attempt, of_epoch, digest, number = struct.unpack(ends.LAYOUT, ends.items, ends.SIZE * (n - 1) + 17)
        local change = ends.changes[number]
        if not record or known[id] ~= nil or changed[id] ~= nil or not only_completes(change) then
            return
        end
        local format, situation, next, lane, gate, sequence, submitted, _, priority, partition, attempts, epoch, retries,
            reclaims, replays, _, _, session, _, entries, behind = struct.unpack(LAYOUT, record)
        if format ~= FORMAT or situation ~= RUNNING or behind <= #record or #entries > ROOM_FOR_STEPS then
            return
        end
        if session ~= living then
            living = sessions.is_alive(session) and session
        end
        if not living or partition ~= of_partition or attempt ~= attempts - 1 or epoch ~= of_epoch then
            return
        end
        local steps = log.steps_of(lane, change[CHANGE_STEP], COMPLETED, session)
        steps[#steps + 1] = log.step(id, partition, attempts, epoch)
        entries = entries .. log.bytes
        local given_up = records.given_up(epoch, change[CHANGE_STEP], digest, false)
        changed[id] = struct.pack(
            LAYOUT, FORMAT, COMPLETED, next, lane, gate, sequence, submitted, now, priority, partition, attempts, epoch, retries,
            reclaims, replays, 0, 0, '', 0, '', #given_up, given_up, #entries, entries)
        standing[executions.standing_member(id, lane, 0, submitted, sequence)] = false
        standing[executions.standing_member(id, lane, COMPLETED, submitted, sequence)] = 0
        ended[executions.ended_member(id, lane, now)] = 0
        if change[CHANGE_RESULT] then
            unit.set('detail', id .. 'r', change[CHANGE_RESULT])
        end
        ends.completed[lane] = (ends.completed[lane] or 0) + 1
        ends.answers[n] = true
        ends.next = n + 1
    end
end

-- Ends leases from the next on that complete plain work.
function plain.complete(ends)
    ends.completed = {}
    -- One that is damaged ends it: those before it are completed.
    pcall(complete_all, ends)
    for lane, many in pairs(ends.completed) do
        executions.count(lane, RUNNING, -many)
        executions.count(lane, COMPLETED, many)
    end
end
