-- What happens because time passes. What is done about it is decided by the program.

-- How many entries that cannot be read are passed over in one call.
local MOST_UNREADABLE = 1000

-- due: executions for which a timer has come, the longest overdue first.
-- asked: the kind of timer, how many at most
-- answers: for each its id, how it stands, what was submitted, what is remembered of its waits, and which flow it awaits
--     if it does; how many cannot be read
register_reading('due', function(asked)
    local kind, most = asked[1], asked[2]
    local found = redis.call('ZRANGEBYSCORE', key[kind], '-inf', unit.now, 'LIMIT', 0, most + MOST_UNREADABLE)
    local pieces, unreadable = {}, 0
    for n = 1, #found do
        if #pieces == most then
            break
        end
        local x = executions.get(found[n])
        if x then
            pieces[#pieces + 1] = {
                found[n], unit.get('execution', found[n]), unit.get('detail', found[n] .. 's'), executions.remembered(found[n], x),
                x[SITUATION] == AWAITING_CHILDREN and unit.get('detail', found[n] .. 'w')}
        else
            unreadable = unreadable + 1
        end
    end
    return {pieces, unreadable}
end)

-- late: sessions whose time has run out, and that may still hold work.
-- asked: how many at most
register_reading('late', function(asked)
    return redis.call('ZRANGEBYSCORE', key.expiry, '-inf', unit.now, 'LIMIT', 0, asked[1])
end)

-- Forgetting can wait, and is not among them.
local TIMERS = {'deadline', 'attempt', 'stall', 'wake', 'suspension', 'grant', 'due', 'unsettled'}

-- When the first of the timers of a kind comes; false when there is none.
local function first_of(kind)
    local found = redis.call('ZRANGE', key[kind], 0, 0, 'WITHSCORES')
    return found[2] and tonumber(found[2]) or false
end

-- next_due: when the first session dies, and when the first of all other timers comes; false when there is none.
register_reading('next_due', function()
    local first = false
    for n = 1, #TIMERS do
        local found = first_of(TIMERS[n])
        if found and (not first or found < first) then
            first = found
        end
    end
    return {first_of('expiry'), first}
end)

-- take_turn: takes the turn at a duty, if it is so long since it was taken.
-- asked: the duty, how long
register('take_turn', {'allow-oom'}, function(asked)
    local duty, every = asked[1], asked[2]
    local taken = tonumber(unit.get('global', 'turn ' .. duty) or 'nil')
    -- One that was taken in the future was taken before the clock was set back.
    local free = not taken or math.abs(unit.now - taken) >= every
    if free then
        unit.set('global', 'turn ' .. duty, tostring(unit.now))
    end
    return free
end)
