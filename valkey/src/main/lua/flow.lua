-- What happens to flows. The program decides it by what it has read; here it is written, all of it or nothing.

-- Whether a lease holds under which alone a step is taken.
local function is_held(step, stored)
    local id, fence = step[1], step[6]
    if stored[id] and plain.member_holds(stored[id], struct.pack('>I2I4I6', fence[1], fence[2] + 1, fence[3])) then
        return true
    end
    local x = executions.get(id)
    return x and x[PARTITION] == fence[1] and executions.holds(x, fence[2], fence[3])
end

-- Whether an execution is as it was when a step of it was decided.
local function is_unchanged(step, stored)
    local id, before, _, remembered, waited = unpack(step)
    if not before then
        -- It comes with this call.
        return true
    end
    if stored[id] ~= before then
        return false
    end
    return plain.member(before) and not waited
        or (executions.get(id) and (not waited or executions.remembered(id, executions.get(id)) == remembered))
end

-- What is in the way of some steps: 'unheld' with the number of the one whose fence does not hold, and how its execution stands;
-- 'again' when one has changed; nil when nothing is.
-- stored: how executions are stored, by id
local function in_the_way(steps, stored)
    for n = 1, #steps do
        local id, fence = steps[n][1], steps[n][6]
        if fence and not is_held(steps[n], stored) then
            return {'unheld', n, executions.unheld(id, fence[1], executions.get(id))}
        end
        if not is_unchanged(steps[n], stored) then
            return {'again'}
        end
    end
    return nil
end

-- Takes a step of a member that is plain otherwise, and says whether it did.
local function take_plain(step)
    local id, before, decided, _, waited, fence, given_up = unpack(step)
    if not before or not decided or waited or executions.known[id] ~= nil or unit.changed_fields('execution')[id] ~= nil then
        return false
    end
    if fence then
        return given_up and not given_up[2] and plain.complete_member(id, before, decided, given_up[1])
    end
    return plain.satisfy_member(id, before, decided)
end

local function take_one(step)
    local id, _, decided, _, waited, fence, given_up = unpack(step)
    local x = executions.get(id)
    if waited then
        executions.remember(id, x, waited)
    end
    if decided then
        executions.apply(id, x, decided)
    end
    if given_up then
        x[GIVEN_UP] = records.given_up(fence[3], given_up[1], decided[CHANGE_STEP], given_up[2])
    end
end

local function take(steps)
    for n = 1, #steps do
        if not take_plain(steps[n]) then
            take_one(steps[n])
        end
    end
end

-- Each arc in fixed places: upstream, downstream, which end counts.
local ARC_BYTES = 9

local function add_arcs(id, arcs)
    for at = 1, #arcs, ARC_BYTES do
        local upstream, downstream = string.sub(arcs, at, at + 3), string.sub(arcs, at + 4, at + 7)
        local on = string.sub(arcs, at + 8, at + 8)
        unit.add('arc', 0, id .. '>' .. upstream .. downstream .. on)
        unit.add('arc', 0, id .. '<' .. downstream .. upstream .. on)
    end
end

-- Members come, each with its execution.
-- coming: as 'submit' is asked for them; of each its number, and whether it waits for others
local function add_members(id, coming)
    local members = {}
    for n = 1, #coming[2], 2 do
        members[#members + 1] = {id .. bytes.four(coming[2][n]), coming[2][n + 1]}
    end
    flows.take_in(coming[1], members)
    unit.sum('flow', id .. 'n', #members)
end

-- What was in the inbox when it was decided is done.
local function settle(id, taken, left)
    local inbox = unit.get('flow', id .. 'i')
    local rest = inbox and string.sub(inbox, taken + 1) or ''
    if inbox and taken > 0 then
        unit.set('flow', id .. 'i', #rest > 0 and rest)
    end
    if left or #rest > 0 then
        flows.note_work(id)
    else
        unit.drop('unsettled', id)
    end
end

local function list(id, namespace, listed)
    if listed[1] then
        local place = bytes.six(unit.next_number('flows'))
        unit.add('flows', 0, flows.prefix('a', namespace) .. place .. id)
        unit.set('flow', id .. 's', place)
        unit.set('flow', id .. 'p', listed[1])
    end
    if listed[2] then
        unit.drop('flows', flows.prefix('e', namespace) .. bytes.six(listed[2]) .. id)
    end
    if listed[3] then
        unit.add('flows', 0, flows.prefix('e', namespace) .. bytes.six(listed[3]) .. id)
    end
end

-- Whether something is left of a flow that had the id before, and is being forgotten.
local function has_remains(id)
    return unit.get('flow', id .. 'g')
end

-- How the executions are stored that take steps with changes, by id.
local function stored_of(changes)
    local ids, stored = {}, {}
    for n = 1, #changes do
        for at = 9, 11, 2 do
            local steps = changes[n][at]
            for m = 1, #steps do
                ids[#ids + 1] = steps[m][1]
            end
        end
    end
    local packed, others = unit.get_all('execution', ids), {}
    for n = 1, #ids do
        stored[ids[n]] = packed[n]
        if not plain.member(packed[n]) then
            others[#others + 1] = ids[n]
        end
    end
    executions.fetch(others)
    return stored
end

-- What is in the way of a change; nil when nothing is.
local function obstacle_to(change, stored)
    local id, before, _, _, _, _, coming, _, first, _, steps = unpack(change)
    if (unit.get('flow', id) or false) ~= before or (not before and has_remains(id)) then
        return {'again'}
    end
    return in_the_way(first, stored) or in_the_way(steps, stored) or (coming and flows.obstacle(coming[1]))
end

-- Whether a change is about an execution of which another change is written: it was decided without that.
-- touched: executions that take steps with others
local function overlaps(change, touched)
    for at = 9, 11, 2 do
        for n = 1, #change[at] do
            if touched[change[at][n][1]] then
                return true
            end
        end
    end
    return false
end

local function touch(change, touched)
    for at = 9, 11, 2 do
        for n = 1, #change[at] do
            touched[change[at][n][1]] = true
        end
    end
end

local function write(change)
    local id, _, after, _, members, arcs, coming = unpack(change)
    unit.set('flow', id, after)
    for n = 1, #members, 2 do
        unit.set('member', id .. bytes.four(members[n]), members[n + 1])
    end
    add_arcs(id, arcs)
    if coming then
        add_members(id, coming)
    end
end

-- Does what follows from changes that are written. What they have in common stands together in the log.
local function follow(changes)
    for n = 1, #changes do
        take(changes[n][9])
    end
    for n = 1, #changes do
        local events = changes[n][10]
        for m = 1, #events do
            log.append(events[m])
        end
    end
    for n = 1, #changes do
        take(changes[n][11])
    end
    for n = 1, #changes do
        local id, _, _, namespace, _, _, _, taken, _, _, _, left, listed = unpack(changes[n])
        settle(id, taken, left)
        list(id, namespace, listed)
    end
end

-- change_flows: changes flows with all that follows from it, each if everything is as it was when that was decided.
-- submit_flows: the same with members that come, but not where no memory is left.
-- asked, each: id; what it was or false; what it is; its namespace; members that are different, each number and what it is; arcs that
--     come; members that come or false; how much of the inbox is done; steps that are taken first; events; steps that
--     follow; whether something is left to be done; its input if it is new, when it had ended before and when it has ended, each or false
-- each step: id, the execution as it was or false if it comes, the change, what was remembered of its waits, what is to be, the
--     fence under which alone it is taken, what a repeat is compared with
-- answers, each: 'done'; or why nothing was done: 'again'; 'unheld' with a step and how its execution stands; 'refused' with the
--     number of a member that comes and why; 'unheard' as 'submit' does
local function change(asked)
    local answers, fine, seen, touched = {}, {}, {}, {}
    local stored = stored_of(asked)
    -- The program knows of all ends of this call.
    flows.settling = true
    for n = 1, #asked do
        local id = asked[n][1]
        -- The second of two changes was decided without the first.
        local obstacle = (seen[id] or overlaps(asked[n], touched)) and {'again'} or obstacle_to(asked[n], stored)
        seen[id] = true
        answers[n] = obstacle or {'done'}
        if not obstacle then
            -- It is written before the next is looked at: a member may come only once.
            write(asked[n])
            touch(asked[n], touched)
            fine[#fine + 1] = asked[n]
        end
    end
    follow(fine)
    return answers
end

register('change_flows', {'allow-oom'}, change)
register('submit_flows', {}, change)

-- put_off: nothing can be done in a flow now; it is looked at again later.
register('put_off', {'allow-oom'}, function(asked)
    flows.note_work(asked[1])
    return true
end)

-- take_off: nothing is left to be done in flows, unless something has happened to them since that was read.
-- asked: ids and what they were or false, one behind the other
register('take_off', {'allow-oom'}, function(asked)
    for n = 1, #asked, 2 do
        local id, before = asked[n], asked[n + 1]
        if (unit.get('flow', id) or false) == before and not unit.get('flow', id .. 'i') then
            unit.drop('unsettled', id)
        end
    end
    return true
end)

-- flow_namespaces: namespaces with flows that have ended.
register_reading('flow_namespaces', function()
    local found, from = {}, '[e'
    while true do
        local member = redis.call('ZRANGEBYLEX', key.flows, from, '(f', 'LIMIT', 0, 1)[1]
        if not member then
            return found
        end
        local namespace = string.sub(member, 2, string.find(member, '\0', 1, true) - 1)
        found[#found + 1] = namespace
        from = '[e' .. namespace .. '\1'
    end
end)

-- So many members and arcs are removed in one call.
local PORTION = 2000

-- So many flows that still have members are passed over in one call.
local PASSED_OVER = 1000

-- Removes what is left of a flow, no more than so much, and says how much more it may be.
local function remove(id, most)
    local arcs = bytes.range('arc', id, nil, most)
    for n = 1, #arcs do
        unit.drop('arc', arcs[n])
    end
    most = most - #arcs
    local number = tonumber(unit.get('flow', id .. 'g') or '0')
    while most > 0 and flows.member(id, number) do
        unit.remove('member', id .. bytes.four(number))
        number = number + 1
        most = most - 1
    end
    unit.set('flow', id .. 'g', tostring(number))
    return most
end

-- forget_flows: forgets flows that have ended long ago, and of whose members none is left.
-- asked: namespace, how long they are kept
-- answers: whether there may be more to forget; and of those that are forgotten ids and what they were, one behind the other
register('forget_flows', {'allow-oom'}, function(asked)
    local namespace, kept = unpack(asked)
    local prefix = flows.prefix('e', namespace)
    local ends = unit.now - kept
    if ends < 0 then
        return {false, {}}
    end
    local found = redis.call('ZRANGEBYLEX', key.flows, '[' .. prefix, '(' .. prefix .. bytes.six(ends + 1), 'LIMIT', 0, PASSED_OVER)
    local most, gone = PORTION, {}
    for n = 1, #found do
        local id = string.sub(found[n], -16)
        if not unit.get('flow', id .. 'n') then
            local packed = unit.get('flow', id)
            if packed then
                gone[#gone + 1] = id
                gone[#gone + 1] = packed
                unit.drop('flows', flows.prefix('a', namespace) .. unit.get('flow', id .. 's') .. id)
                unit.drop('unsettled', id)
                unit.remove('flow', id)
                unit.remove('flow', id .. 'i')
                unit.remove('flow', id .. 'p')
                unit.remove('flow', id .. 's')
            end
            most = remove(id, most)
            if most <= 0 then
                return {true, gone}
            end
            unit.remove('flow', id .. 'g')
            unit.drop('flows', found[n])
        end
    end
    -- A full page may have others behind it; those that only wait for their members are looked at by the next round.
    return {#found == PASSED_OVER and #gone > 0, gone}
end)
