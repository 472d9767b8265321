-- How executions that have ended, and what is told of them, are forgotten.

local LETTERS = {'s', 'i', 'r', 'f', 'b', 'w', 'p', 'u'}

-- So many reports of what was used up, frames of streams, recorded steps and signals are forgotten in one call, about.
local REPORTS = 2000

-- So many that cannot be read are passed over in one call.
local PASSED_OVER = 1000

-- What was submitted; nil when it cannot be read.
local function submission(id)
    local fine, told = pcall(cmsgpack.unpack, unit.get('detail', id .. 's') or '')
    return fine and type(told) == 'table' and type(told[SUBMITTED_TAGS]) == 'table' and told or nil
end

-- Removes everything of an execution but what is told of it.
local function remove(id, x, submitted)
    streams.forget(id, x, math.huge)
    unit.remove('execution', id)
    executions.known[id] = nil
    executions.changed[id] = nil
    budgets.forget(id, lanes.get(x[LANE])[LANE_NAMESPACE], math.huge)
    executions.clear_steps(id, x)
    executions.clear_waits(id, x)
    for n = 1, #LETTERS do
        unit.remove('detail', id .. LETTERS[n])
    end
    local unique = submitted[SUBMITTED_KEY] and submitted[SUBMITTED_NAMESPACE] .. '\0' .. submitted[SUBMITTED_KEY]
    if unique and unit.get('unique', unique) == id then
        unit.remove('unique', unique)
    end
    local tags = submitted[SUBMITTED_TAGS]
    for n = 1, #tags do
        unit.drop('tag', bytes.four(x[LANE]) .. tags[n][1] .. '=' .. tags[n][2] .. '\0' .. bytes.six(x[SUBMITTED])
            .. bytes.six(x[SEQUENCE]) .. id)
    end
    unit.sum('count', bytes.four(x[LANE]) .. string.char(x[SITUATION]), -1)
    unit.drop('standing', executions.standing(id, x))
    if x[RETENTION] then
        unit.drop('forget', id)
    else
        unit.drop('ended', executions.ended_member(id, x[LANE], x[CHANGED]))
    end
    log.forget(id, x[STEPS], math.huge)
    if x[MEMBER] then
        flows.forget_member(x)
    end
end

-- The lives of an id that are over, of which the log still tells: the numbers of the entries about each, and its tags.
local function past_lives(id)
    local packed = unit.get('detail', id .. 't')
    local lives = bytes.list(packed) or {}
    local told = {}
    for n = 1, #lives do
        local numbers = lives[n][1]
        if bytes.read_six(numbers, #numbers - 5) > log.dropped() then
            told[#told + 1] = lives[n]
        end
    end
    return told
end

-- What work leaves in other partitions when it is forgotten is removed by the program, call by call. So it is noted here until
-- that is done: behind a byte of two, where no namespace begins like this, packed id, the partition that it names, namespace,
-- and key or false.
local LEFTOVERS = '\2'

-- Notes that an execution may leave something elsewhere, and says how that is noted; false where it leaves nothing.
-- here: the number of this partition, and whether all of its work may, or only that with ids of other partitions
local function note_leftovers(id, x, submitted, here)
    if not here[2] and x[PARTITION] == here[1] then
        return false
    end
    local note = LEFTOVERS .. cmsgpack.pack({id, x[PARTITION], submitted[SUBMITTED_NAMESPACE], submitted[SUBMITTED_KEY] or false})
    unit.add('worker', 0, note)
    return note
end

-- leftovers: executions that are gone, and may have left something in other partitions.
-- asked: the one after which to begin or false, how many at most
-- answers, each: how it is noted; whether it is there again; and as it is packed
register_reading('leftovers', function(asked)
    local after, most = unpack(asked)
    local notes = bytes.range('worker', LEFTOVERS, after, most)
    for n = 1, #notes do
        local id = cmsgpack.unpack(string.sub(notes[n], #LEFTOVERS + 1))[1]
        notes[n] = {notes[n], unit.get('execution', id) and true or false, string.sub(notes[n], #LEFTOVERS + 1)}
    end
    return notes
end)

-- begin_removal: says which executions are gone, before what they have left in other partitions is removed as it was seen there. Work
-- that was made findable there before this call is not taken any more: see submit.lua.
-- asked: how they are noted
-- answers, each: whether it is; what is there again has signposts and keys of its own, and is not noted any more
register('begin_removal', {'allow-oom'}, function(asked)
    local answers, any = {}, false
    for n = 1, #asked do
        local id = cmsgpack.unpack(string.sub(asked[n], #LEFTOVERS + 1))[1]
        answers[n] = not unit.get('execution', id)
        any = any or answers[n]
        if not answers[n] then
            unit.drop('worker', asked[n])
        end
    end
    if any then
        unit.next_number('removals')
    end
    return answers
end)

-- drop_leftovers: notes that nothing is left elsewhere of executions that are gone.
-- asked: how they are noted
register('drop_leftovers', {'allow-oom'}, function(asked)
    for n = 1, #asked do
        unit.drop('worker', asked[n])
    end
    return true
end)

local function all_numbers(id, x)
    return log.numbers(id, x[STEPS], 0, log.last())
end

-- Forgets an execution that has ended; its tags are known as long as the log tells of it.
local function forget(id, x, submitted)
    local numbers = all_numbers(id, x)
    if #numbers > 0 then
        local lives = past_lives(id)
        lives[#lives + 1] = {numbers, submitted[SUBMITTED_TAGS]}
        unit.set('detail', id .. 't', cmsgpack.pack(lives))
        unit.add('told', bytes.read_six(numbers, #numbers - 5), id)
    end
    remove(id, x, submitted)
end

-- lanes_to_forget_of: lanes with work that has ended, and is kept as long as its namespace says.
-- asked: the number of the lane after which to begin, and how many at most
-- answers, each: number, namespace
register_reading('lanes_to_forget_of', function(asked)
    local after, most = unpack(asked)
    local found = {}
    while #found < most do
        local member = redis.call('ZRANGEBYLEX', key.ended, '[' .. bytes.four(after + 1), '+', 'LIMIT', 0, 1)[1]
        if not member then
            break
        end
        after = bytes.read_four(member, 1)
        found[#found + 1] = {after, lanes.get(after)[LANE_NAMESPACE]}
    end
    return found
end)

-- forget: forgets executions whose retention has ended.
-- asked: how many at most; lanes, each its number and how long its work is kept; the number of this partition, and whether all
--     of its work may leave something elsewhere, or only that with ids of other partitions
-- answers: how many were; of those that may have left something elsewhere id, the partition that it names, namespace, key or
--     false, and how it is noted; how many were passed over because they cannot be read; whether the call ended before its time
--     because of what some have reported or recorded
register('forget', {'allow-oom'}, function(asked)
    local most, kept, here = unpack(asked)
    local done, leaving, passed = 0, {}, 0
    local reports, full = REPORTS, false
    local function each(found, id_at)
        for n = 1, #found do
            if done == most or full then
                return
            end
            local id = string.sub(found[n], id_at)
            local x = executions.get(id)
            local submitted = x and submission(id)
            if x and submitted and executions.is_terminal(x[SITUATION]) then
                local gone, left = budgets.forget(id, lanes.get(x[LANE])[LANE_NAMESPACE], reports)
                if not left then
                    local unsaid
                    unsaid, left = streams.forget(id, x, math.max(1, reports - gone))
                    gone = gone + unsaid
                end
                reports = math.max(0, reports - gone - (left and 0 or executions.step_count(x) + (x[SIGNALS] or 0)))
                full = left or reports == 0
                if not left then
                    forget(id, x, submitted)
                    done = done + 1
                    local note = note_leftovers(id, x, submitted, here)
                    if note then
                        leaving[#leaving + 1] = {
                            id, x[PARTITION], submitted[SUBMITTED_NAMESPACE], submitted[SUBMITTED_KEY] or false, note}
                    end
                end
            else
                passed = passed + 1
            end
        end
    end
    each(redis.call('ZRANGEBYSCORE', key.forget, '-inf', unit.now, 'LIMIT', 0, most + PASSED_OVER), 1)
    for n = 1, #kept do
        if done == most or full then
            break
        end
        local lane = bytes.four(kept[n][1])
        local ends = unit.now - kept[n][2]
        if ends >= 0 then
            each(
                redis.call(
                    'ZRANGEBYLEX', key.ended, '[' .. lane, '(' .. lane .. bytes.six(ends + 1), 'LIMIT', 0, most - done + PASSED_OVER),
                11)
        end
    end
    return {done, leaving, passed, full}
end)

-- Takes what is told of an execution out of some entries.
local function untell(id, numbers)
    for at = 1, #numbers, 6 do
        log.untell(string.sub(numbers, at, at + 5), id)
    end
end

-- erase: forgets executions that have ended, and all that is told of them.
-- asked: the number of this partition, and whether all of its work may leave something elsewhere, as above; and for each: id,
--     the execution as it was when it was decided, and an event to be told instead
-- answers, each: whether it was forgotten; and how it is noted where it may have left something elsewhere, or false
register('erase', {'allow-oom'}, function(asked)
    local here, erasures = unpack(asked)
    local answers = {}
    for n = 1, #erasures do
        local id, before, event = unpack(erasures[n])
        local x = executions.get(id)
        local submitted = x and submission(id)
        answers[n] = {false, false}
        if submitted and unit.get('execution', id) == before and executions.is_terminal(x[SITUATION]) then
            untell(id, all_numbers(id, x))
            local lives = past_lives(id)
            for l = 1, #lives do
                untell(id, lives[l][1])
            end
            unit.remove('detail', id .. 't')
            unit.drop('told', id)
            remove(id, x, submitted)
            log.append(event)
            answers[n] = {true, note_leftovers(id, x, submitted, here)}
        end
    end
    return answers
end)

-- forget_reports: forgets what executions of another partition of a namespace reported.
-- asked: namespace, and the ids
register('forget_reports', {'allow-oom'}, function(asked)
    local namespace, ids = unpack(asked)
    for n = 1, #ids do
        budgets.forget(ids[n], namespace, math.huge)
        unit.remove('detail', ids[n] .. 'u')
    end
    return true
end)

local DAY = 86400000

-- When an entry was written. One that cannot be read is as old as any.
local function written(number)
    return log.head(unit.get('log', bytes.six(number))) or 0
end

-- The first entry that is not older than a moment, among those after one that is.
local function first_since(moment, older, last)
    local since = last + 1
    while since - older > 1 do
        local middle = math.floor((older + since) / 2)
        if written(middle) < moment then
            older = middle
        else
            since = middle
        end
    end
    return since
end

-- Forgets the tags of executions of which the log tells no more; whether there are others.
local function forget_told(dropped, most)
    local untold = redis.call('ZRANGEBYSCORE', key.told, '-inf', dropped, 'LIMIT', 0, most)
    for n = 1, #untold do
        unit.remove('detail', untold[n] .. 't')
        unit.drop('told', untold[n])
    end
    return #untold == most
end

-- drop_events: drops entries of the oldest day in the log, if all of that day is older than is kept.
-- asked: how long events are kept, and how many entries are dropped at most
-- answers: whether the last of the day were dropped, and whether there may be more to drop
register('drop_events', {'allow-oom'}, function(asked)
    local kept, most = unpack(asked)
    local first, last = log.dropped() + 1, log.last()
    local oldest = math.floor((unit.now - kept) / DAY) * DAY
    local moment = first <= last and written(first)
    if not moment or moment >= oldest then
        return {false, forget_told(first - 1, most)}
    end
    local since = first_since((math.floor(moment / DAY) + 1) * DAY, first, last)
    local final = math.min(since - 1, first + most - 1)
    for number = first, final do
        unit.remove('log', bytes.six(number))
    end
    unit.set('meta', 'dropped', tostring(final))
    return {final == since - 1, true}
end)
