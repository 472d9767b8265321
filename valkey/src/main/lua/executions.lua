-- Executions, and the steps that they take.
--
-- How an execution stands is one value. What is seldom read is kept beside it, by its id and a letter:
--   s  what was submitted          i  its input
--   r  its result                  f  its last failure
--   b  who ended it, and why       w  why it is held back
--   p  how far it is               u  what it used up, as it reported it
--   n, c, d  and a name or a number: steps that were recorded (see checkpoint.lua)
--   a, h, m, k  and more: what it waits for, and signals (see waits.lua)
--   t  which entries of the log are about it, and its tags, once it is forgotten: one life after the other

function executions.begin()
    executions.known = {}
    executions.changed = {}
    executions.woken = {}
    executions.losers = {}
    executions.streamed = {}
    executions.counts = {}
end

-- An execution; nil when there is none, false when it cannot be read.
function executions.get(id)
    local x = executions.known[id]
    if x == nil then
        x = executions.read(unit.get('execution', id))
        executions.known[id] = x
    end
    return x
end

-- Reads a record; nil when there is none, false when it cannot be read.
function executions.read(packed)
    if not packed then
        return nil
    end
    local fine, x = pcall(records.unpack, packed)
    return fine and x
end

local function read_all(ids, packed)
    local known, changed = executions.known, unit.changed_fields('execution')
    for n = 1, #ids do
        -- What this call has changed is read as it would leave it.
        if known[ids[n]] == nil and changed[ids[n]] == nil and packed[n] then
            known[ids[n]] = records.unpack(packed[n])
        end
    end
end

-- Reads many at once, which are then known.
function executions.fetch(ids)
    local packed = unit.get_all('execution', ids)
    -- One guard for all of them: that one is damaged is seldom, and those that were read before it stay known.
    if not pcall(read_all, ids, packed) then
        for n = 1, #ids do
            executions.get(ids[n])
        end
    end
end

-- Those of some executions that somebody may have. Most have ended, and are not read whole to see that.
function executions.may_be_held(ids)
    local packed = unit.get_all('execution', ids)
    local may = {}
    for n = 1, #ids do
        local id = ids[n]
        local situation = packed[n] and records.situation(packed[n])
        if executions.known[id] ~= nil then
            may[id] = true
        elseif packed[n] and (not situation or situation == RUNNING or situation == GRANTED) then
            executions.known[id] = executions.read(packed[n])
            may[id] = true
        end
    end
    return may
end

function executions.is_terminal(situation)
    return situation >= COMPLETED
end

local function is_held(situation)
    return situation == RUNNING or situation == GRANTED
end

local function begins_attempt(next)
    return next <= REPLAY
end

-- Whether a fence allows writing: running, this attempt, this epoch, a living session.
function executions.holds(x, attempt, epoch)
    return x[SITUATION] == RUNNING and attempt == x[ATTEMPTS] - 1 and epoch == x[EPOCH]
        and sessions.is_alive(x[SESSION])
end

function executions.past_deadline(x)
    return x[DEADLINE] and x[DEADLINE] <= unit.now
end

-- The ready entries.

local function entry(id, x)
    return bytes.four(x[GATE]) .. x[PLACE] .. id
end

-- Puts work with a place behind its gate.
function executions.enter(id, x)
    unit.add('ready', 0, entry(id, x))
    gates.touch(x[GATE])
    executions.changed[id] = x
end

-- Work became ready in a lane: others hear of it, and of its id if it is the only piece.
function executions.wake(lane, id)
    local woken = executions.woken[lane]
    executions.woken[lane] = (woken == nil or woken == id) and id or false
end

local function queue(id, x)
    local lane = lanes.get(x[LANE])
    if lane[SHARING] and x[NEXT] == FIRST then
        rounds.queue(id, x)
    else
        x[PLACE] = lanes.place_of(lane, x, 0)
        executions.enter(id, x)
    end
    executions.wake(x[LANE], id)
end

local function leave_queue(id, x)
    if not x[PLACE] then
        -- It came in this very call, and has no round yet.
        rounds.leave(id)
        return
    end
    unit.drop('ready', entry(id, x))
    gates.touch(x[GATE])
    if x[NEXT] == FIRST and lanes.get(x[LANE])[SHARING] then
        unit.drop('turns', rounds.member(id, x))
    end
    x[PLACE] = false
end

-- Finds another place for ready work, by the rules of its lane as they are now.
-- shared: whether it had a turn by the rules before
function executions.rank_anew(id, x, shared)
    unit.drop('ready', entry(id, x))
    gates.touch(x[GATE])
    if x[NEXT] == FIRST and shared then
        unit.drop('turns', rounds.member(id, x))
    end
    queue(id, x)
end

-- What time will do to an execution as it is; each of these is set or removed with the state that it belongs to.
-- Each kind of timer has a sorted set of its own, because they are looked at in this order: deadline, attempt, stall, wake, suspension, grant.
local function set_timer(kind, id, at)
    unit.add(kind, at, id)
end

local function drop_timers(id, x)
    if x[SITUATION] == RUNNING then
        if x[ATTEMPT_TIMEOUT] then
            unit.drop('attempt', id)
        end
        if x[STALL_TIMEOUT] then
            unit.drop('stall', id)
        end
    elseif x[SITUATION] == GRANTED then
        unit.drop('grant', id)
    elseif x[SITUATION] >= DELAYED and x[SITUATION] <= RESUMING_LATER then
        unit.drop('wake', id)
    elseif x[SITUATION] == SUSPENDED and x[UNTIL] then
        unit.drop('suspension', id)
    end
end

local function set_timers(id, x)
    if x[SITUATION] == RUNNING then
        if x[ATTEMPT_TIMEOUT] then
            set_timer('attempt', id, x[SINCE] + x[ATTEMPT_TIMEOUT])
        end
        if x[STALL_TIMEOUT] then
            set_timer('stall', id, x[SINCE] + x[STALL_TIMEOUT])
        end
    elseif x[SITUATION] == GRANTED then
        set_timer('grant', id, x[UNTIL])
    elseif x[SITUATION] >= DELAYED and x[SITUATION] <= RESUMING_LATER then
        set_timer('wake', id, x[UNTIL])
    elseif x[SITUATION] == SUSPENDED and x[UNTIL] then
        set_timer('suspension', id, x[UNTIL])
    end
end

-- Where an execution is found in the order of submission: among those of its lane that live, or that ended in the same way.
-- ended: how it ended; 0 if it lives
function executions.standing_member(id, lane, ended, submitted, sequence)
    return struct.pack('>I4BI6I6', lane, ended, submitted, sequence) .. id
end

function executions.standing(id, x)
    local ended = executions.is_terminal(x[SITUATION]) and x[SITUATION] or 0
    return executions.standing_member(id, x[LANE], ended, x[SUBMITTED], x[SEQUENCE])
end

-- Where what has ended is found in the order of time.
function executions.ended_member(id, lane, at)
    return struct.pack('>I4I6', lane, at) .. id
end

-- How many more, or fewer, are in each situation of a lane, as far as this call has counted them.
function executions.counts_of(lane)
    local counts = executions.counts[lane]
    if not counts then
        counts = {}
        executions.counts[lane] = counts
    end
    return counts
end

-- So many more, or fewer, are in a situation.
function executions.count(lane, situation, more)
    local counts = executions.counts_of(lane)
    counts[situation] = (counts[situation] or 0) + more
end

-- Makes an execution something else, with everything that is found by its state.
local function change(id, x, situation)
    executions.count(x[LANE], x[SITUATION], -1)
    executions.count(x[LANE], situation, 1)
    local over = executions.is_terminal(x[SITUATION])
    if over ~= executions.is_terminal(situation) then
        unit.drop('standing', executions.standing(id, x))
        if over then
            unit.drop('ended', executions.ended_member(id, x[LANE], x[CHANGED]))
            unit.drop('forget', id)
        end
        x[SITUATION] = situation
        unit.add('standing', 0, executions.standing(id, x))
        gates.used(x[GATE], over and 1 or -1)
    end
    x[SITUATION] = situation
    x[CHANGED] = unit.now
    if not over and executions.is_terminal(situation) then
        if x[SIGNALS] then
            executions.unlist(id, x)
        end
        if x[MEMBER] then
            flows.note_end(x)
        end
        if x[RETENTION] then
            unit.add('forget', unit.now + x[RETENTION], id)
        else
            unit.add('ended', 0, executions.ended_member(id, x[LANE], x[CHANGED]))
        end
    end
    executions.changed[id] = x
end

local function tell(id, x, step, session, by, failure)
    local waits = x[SITUATION] == GRANTED or (x[SITUATION] >= DELAYED and x[SITUATION] <= RESUMING_LATER)
    if by or failure or waits then
        log.append({
            EVENT_STEP, id, x[PARTITION], x[LANE], step, x[SITUATION], unit.now, x[ATTEMPTS], x[EPOCH], session, by,
            waits and x[UNTIL], failure})
    else
        local steps = log.steps_of(x[LANE], step, x[SITUATION], session)
        steps[#steps + 1] = log.step(id, x[PARTITION], x[ATTEMPTS], x[EPOCH])
    end
    x[STEPS] = log.noted(id, x[STEPS])
end

-- The first step.
-- x: with everything but its lane, gate, sequence and place
function executions.submit(id, x, lane, definition)
    x[LANE] = lane
    x[GATE] = gates.number(lane, definition)
    x[SEQUENCE] = unit.next_number('submissions')
    x[STEPS] = log.nothing_noted()
    executions.known[id] = x
    executions.changed[id] = x
    gates.used(x[GATE], 1)
    executions.count(lane, x[SITUATION], 1)
    unit.add('standing', 0, executions.standing(id, x))
    if x[DEADLINE] then
        set_timer('deadline', id, x[DEADLINE])
    end
    set_timers(id, x)
    if x[SITUATION] == READY then
        queue(id, x)
    end
    tell(id, x, STEP_SUBMIT, false, false, false)
end

-- The epoch of the next lease or grant: every one ever given has its own.
local function next_epoch(x)
    return math.max(x[EPOCH] + 1, unit.now)
end

local function hand_out(id, x, session, situation, step, by)
    x[EPOCH] = next_epoch(x)
    x[SESSION] = session
    x[SINCE] = unit.now
    x[GIVEN_UP] = false
    change(id, x, situation)
    set_timers(id, x)
    tell(id, x, step, session, by, false)
end

-- Gives out a lease for what is ready or granted.
-- by: the operator who gives it, if the worker did not ask for it
function executions.lease(id, x, session, by)
    local step = x[NEXT] == RECLAIM and STEP_RECLAIM or (x[SITUATION] == GRANTED and STEP_REDEEM or STEP_CLAIM)
    if x[SITUATION] == READY then
        leave_queue(id, x)
        x[COUNTED] = gates.take(x[GATE], begins_attempt(x[NEXT]))
    end
    drop_timers(id, x)
    if begins_attempt(x[NEXT]) then
        x[ATTEMPTS] = x[ATTEMPTS] + 1
        if x[PROGRESS_AT] then
            x[PROGRESS_AT] = false
            unit.remove('detail', id .. 'p')
        end
    end
    x[BY_HAND] = by and true or false
    x[UNTIL] = false
    hand_out(id, x, session, RUNNING, step, by)
end

-- Grants what is ready, which counts like a lease from now on.
function executions.grant(id, x, session, ends)
    leave_queue(id, x)
    x[COUNTED] = gates.take(x[GATE], begins_attempt(x[NEXT]))
    x[UNTIL] = ends
    hand_out(id, x, session, GRANTED, STEP_GRANT, false)
end

local function give_back(x)
    if x[COUNTED] then
        gates.give(x[COUNTED], x[SITUATION] == GRANTED and begins_attempt(x[NEXT]))
        x[COUNTED] = false
    end
end

local function set_deadline(id, x, deadline, over)
    if (deadline and not over) and (deadline ~= x[DEADLINE] or executions.is_terminal(x[SITUATION])) then
        set_timer('deadline', id, deadline)
    elseif x[DEADLINE] and (over or not deadline) then
        unit.drop('deadline', id)
    end
    x[DEADLINE] = deadline
end

-- Takes a decided step. Its caller has checked that the execution is as it was when it was decided.
function executions.apply(id, x, decided)
    local step = decided[CHANGE_STEP]
    local stays = step == STEP_REPRIORITISE
    local was_running = x[SITUATION] == RUNNING
    local owner = not stays and (was_running or step == STEP_FORFEIT) and x[SESSION]
    local situation = decided[CHANGE_SITUATION]
    if x[SITUATION] == READY then
        leave_queue(id, x)
    end
    if not stays then
        if is_held(x[SITUATION]) then
            give_back(x)
        end
        if was_running and (decided[CHANGE_BY] or step == STEP_LAPSE) then
            executions.losers[x[SESSION]] = true
        end
        drop_timers(id, x)
        x[SESSION] = false
        x[SINCE] = false
        x[BY_HAND] = false
    end
    if step == STEP_REPLAY then
        unit.remove('detail', id .. 'r')
        unit.remove('detail', id .. 'f')
        x[GATE] = gates.number(x[LANE], decided[CHANGE_GATE])
    end
    if decided[CHANGE_FRESH] then
        executions.clear_steps(id, x)
    end
    if x[STREAMED] then
        executions.streamed[id] = true
    end
    set_deadline(id, x, decided[CHANGE_DEADLINE], executions.is_terminal(situation))
    x[PRIORITY] = decided[CHANGE_PRIORITY]
    x[RETRIES] = decided[CHANGE_RETRIES]
    x[RECLAIMS] = decided[CHANGE_RECLAIMS]
    x[REPLAYS] = decided[CHANGE_REPLAYS]
    if not stays then
        x[UNTIL] = decided[CHANGE_UNTIL]
        x[DELAYED_BY] = decided[CHANGE_DELAYED_BY]
        x[NEXT] = decided[CHANGE_NEXT] or x[NEXT]
        x[SUSPENSION] = decided[CHANGE_SUSPENSION] or false
    end
    executions.tell_more(id, situation, decided)
    change(id, x, situation)
    if decided[CHANGE_ABANDONED] then
        flows.note_abandoned(decided[CHANGE_ABANDONED])
    end
    if not stays then
        set_timers(id, x)
    end
    if situation == READY then
        queue(id, x)
    end
    tell(id, x, step, owner, decided[CHANGE_BY], decided[CHANGE_FAILURE])
end

-- What is kept beside the state.
function executions.tell_more(id, situation, decided)
    if decided[CHANGE_RESULT] then
        unit.set('detail', id .. 'r', decided[CHANGE_RESULT])
    end
    if decided[CHANGE_FAILURE] then
        unit.set('detail', id .. 'f', decided[CHANGE_FAILURE])
    end
    if (situation == HELD_BY_OPERATOR or situation == AWAITING_CHILDREN) and decided[CHANGE_WORDS] then
        unit.set('detail', id .. 'w', decided[CHANGE_WORDS])
    end
    if executions.is_terminal(situation) and decided[CHANGE_BY] then
        unit.set('detail', id .. 'b', cmsgpack.pack(decided[CHANGE_BY]))
    elseif decided[CHANGE_STEP] == STEP_REPLAY then
        unit.remove('detail', id .. 'b')
    end
end

function executions.finish()
    for id, x in pairs(executions.changed) do
        unit.set('execution', id, records.pack(x))
    end
    executions.changed = {}
    for lane, counts in pairs(executions.counts) do
        for situation, more in pairs(counts) do
            unit.sum('count', bytes.four(lane) .. string.char(situation), more)
        end
    end
    executions.counts = {}
end
