-- What the holder of a lease writes.

-- How an execution stands for a worker whose fence does not hold.
local function standing(x)
    return {'lost', x[PARTITION], x[ATTEMPTS], x[EPOCH], x[SITUATION], x[NEXT], x[GIVEN_UP]}
end

function executions.unheld(id, partition, x)
    if x == nil or (x and x[PARTITION] ~= partition) then
        return {'unknown'}
    end
    return x == false and {'unreadable'} or standing(x)
end

-- An ending, in fixed places: id, partition, attempts, epoch, digest, and the number of its change.
local ENDING = '>c16I2I4I6c32I2'
local ENDING_BYTES = 62

-- A change as it is for one execution; of its times 'after' counts from now on. Says also until when it waits, or would have.
local function decided_for(x, change)
    local decided = {unpack(change)}
    local moment = change[CHANGE_UNTIL]
    local ends = moment and (moment[1] == 'after' and unit.now + moment[2] or moment[2])
    local waits = ends and ends > unit.now
    if ends and not waits then
        decided[CHANGE_SITUATION] = READY
    end
    decided[CHANGE_UNTIL] = waits and ends
    decided[CHANGE_DELAYED_BY] = waits and decided[CHANGE_DELAYED_BY]
    decided[CHANGE_PRIORITY] = x[PRIORITY]
    decided[CHANGE_RETRIES] = x[RETRIES] + change[CHANGE_RETRIES]
    decided[CHANGE_RECLAIMS] = x[RECLAIMS]
    decided[CHANGE_REPLAYS] = x[REPLAYS]
    decided[CHANGE_DEADLINE] = x[DEADLINE]
    return decided, ends
end

-- Leaves what ends a member of a flow to the program.
local function leave(ends, id, member)
    ends.left[id] = member
    ends.members[#ends.members + 1] = id
    return {'member', #ends.members}
end

-- Whether an ending is that of a member of a flow that is plain otherwise, and is left to the program: then says of which member.
local function plain_member(ends, n, id, number)
    local record = ends.records[n]
    local member = not ends.anyhow and executions.known[id] == nil and unit.changed_fields('execution')[id] == nil
        and executions.is_terminal(ends.changes[number][CHANGE_SITUATION]) and plain.member(record)
    local at = ENDING_BYTES * (n - 1)
    return member and plain.member_holds(record, string.sub(ends.items, at + 17, at + 28)) and member
end

-- Ends a lease, whatever becomes of the work. What ends a member of a flow is left to the program, which decides at once what follows
-- from it; and so is what comes after it for the same execution.
local function end_one(ends, n)
    local id, partition, attempts, epoch, digest, number = struct.unpack(ENDING, ends.items, ENDING_BYTES * (n - 1) + 1)
    if ends.left[id] then
        return {'member'}
    end
    local member = plain_member(ends, n, id, number)
    if member then
        return leave(ends, id, member)
    end
    if executions.known[id] == nil and unit.changed_fields('execution')[id] == nil then
        executions.known[id] = executions.read(ends.records[n])
    end
    local x = executions.get(id)
    if not x or x[PARTITION] ~= partition or not executions.holds(x, attempts - 1, epoch) then
        return executions.unheld(id, partition, x)
    end
    if x[MEMBER] and not ends.anyhow and executions.is_terminal(ends.changes[number][CHANGE_SITUATION]) then
        return leave(ends, id, x[MEMBER])
    end
    local decided, until_when = decided_for(x, ends.changes[number])
    executions.apply(id, x, decided)
    x[GIVEN_UP] = records.given_up(epoch, digest, decided[CHANGE_STEP], until_when)
    return {true, until_when}
end

-- The flows of members that are left to the program, with what is around those members.
local function around_left(ends)
    local asked, by_flow = {}, {}
    for n = 1, #ends.members do
        local member = ends.left[ends.members[n]]
        local flow = string.sub(member, 1, 16)
        if not by_flow[flow] then
            by_flow[flow] = {flow, {}}
            asked[#asked + 1] = by_flow[flow]
        end
        local numbers = by_flow[flow][2]
        numbers[#numbers + 1] = bytes.read_four(member, 17)
    end
    return {asked, flows.around(asked), flows.facts_of(ends.members)}
end

-- end: ends leases.
-- asked: the changes that they come to, each of which may be that of many; and the endings, one behind the other; whether what ends
--     members of flows is not left to the program: then what follows from it is noted
-- answers, each: true; or a list of true and until when it waits; or 'member' when it is left to the program, with its place among
--     those, or without when it is told of before; or why not. If some are left to the program, then behind the answers: their flows,
--     each with the numbers of the members; what 'around' tells of them; and how the executions of the members stand
register('end', {'allow-oom'}, function(asked)
    local ends = {changes = asked[1], items = asked[2], size = ENDING_BYTES, ids = {}, answers = {}, next = 1, left = {}, members = {},
        anyhow = asked[3]}
    for n = 1, #ends.changes do
        ends.changes[n].only_completes = plain.only_completes(ends.changes[n])
    end
    for n = 1, #ends.items / ENDING_BYTES do
        ends.ids[n] = string.sub(ends.items, ENDING_BYTES * (n - 1) + 1, ENDING_BYTES * (n - 1) + 16)
    end
    ends.records = unit.get_all('execution', ends.ids)
    while ends.next <= #ends.ids do
        plain.complete(ends)
        -- What follows is not plain; members of flows seldom come alone.
        while ends.next <= #ends.ids do
            ends.answers[ends.next] = end_one(ends, ends.next)
            ends.next = ends.next + 1
            if not plain.member(ends.records[ends.next]) then
                break
            end
        end
    end
    if #ends.members > 0 then
        ends.answers[#ends.ids + 1] = around_left(ends)
    end
    return ends.answers
end)

-- progress: records how far work is.
-- asked, each: id, partition, attempt, epoch, what is reported
register('progress', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, report = unpack(asked[n])
        local x = executions.get(id)
        if not x or x[PARTITION] ~= partition or not executions.holds(x, attempt, epoch) then
            answers[n] = executions.unheld(id, partition, x)
        else
            x[PROGRESS_AT] = unit.now
            executions.changed[id] = x
            unit.set('detail', id .. 'p', report)
            if x[STALL_TIMEOUT] then
                unit.add('stall', unit.now + x[STALL_TIMEOUT], id)
            end
            answers[n] = {true}
        end
    end
    return answers
end)
