-- What worker processes do to be alive, and how they die.

-- Those that live, or may still hold work, by instance: one process has one name.
local function instance_field(session)
    return '\0i' .. session[SESSION_NAMESPACE] .. '\0' .. session[INSTANCE]
end

local function of_instance(session)
    local packed = unit.get('unique', instance_field(session))
    return packed and cmsgpack.unpack(packed) or {}
end

-- Under which other name an instance lives, with its session of the lowest id; nil when it does not.
local function other_name(session)
    local others = of_instance(session)
    local found
    for n = 1, #others do
        local other = sessions.get(others[n])
        if other and sessions.is_alive(others[n]) and other[WORKER] ~= session[WORKER]
            and (not found or bytes.before(others[n], found)) then
            found = others[n]
        end
    end
    return found
end

-- Those that live or may still hold work apart from the many that are buried.
local function listed(id, session)
    return session[SESSION_NAMESPACE] .. '\0' .. (session[BURIED] and 'd' or 'a') .. id
end

-- The buried in the order of their deaths. No namespace has an empty name.
local function grave(id, session)
    return '\0' .. bytes.six(session[DIED]) .. id
end

-- So much of what is known of their histories is forgotten in one call.
local FORGOTTEN_MOVES = 2000

-- open: registers a session.
-- asked: id, namespace, lanes, time to live, worker, instance, all of it as it is to be compared and shown, and whether this is
--     only its part in another partition of a spread namespace than the main one: until when it lives there at most, or false
-- answers: 'opened' or 'renewed' with until when it lives; 'dead'; 'taken'; 'instance' with another session and its worker
register('open', {}, function(asked)
    local id, namespace, served, ttl, worker, instance, description, latest = unpack(asked)
    local part = latest and true or false
    local known = sessions.get(id)
    -- What is left of a session that is forgotten: that its id is used up.
    if not known and unit.get('unique', signposts.field('t', id)) then
        return {'dead'}
    end
    if known then
        if not sessions.is_alive(id) then
            return {'dead'}
        end
        if known[DESCRIPTION] ~= description then
            return {'taken'}
        end
        sessions.renew(id, known, latest)
        return {'renewed', known[ALIVE_UNTIL]}
    end
    local session = {
        namespace, served, ttl, sessions.end_of_life(ttl, latest), 0, false, false, unit.now, worker, instance, description,
        log.nothing_noted(), {}, part}
    local other = not part and other_name(session)
    if other then
        return {'instance', other, sessions.get(other)[WORKER]}
    end
    local all = of_instance(session)
    all[#all + 1] = id
    unit.set('unique', instance_field(session), cmsgpack.pack(all))
    unit.add('expiry', session[ALIVE_UNTIL], id)
    unit.add('worker', 0, listed(id, session))
    sessions.set(id, session)
    return {'opened', session[ALIVE_UNTIL]}
end)

-- known_session: whether a session lives, died, or never was, in one word.
-- asked: id
register_reading('known_session', function(asked)
    if sessions.get(asked[1]) then
        return sessions.is_alive(asked[1]) and 'alive' or 'dead'
    end
    return unit.get('unique', signposts.field('t', asked[1])) and 'dead' or 'never'
end)

-- heartbeat: keeps sessions alive.
-- asked, each: id, the highest number that is acknowledged, until when it lives at most or false, and what it believes to hold:
--     id, partition, attempt, epoch
-- answers, each: false when it is dead; or until when it lives, which of those do not hold, by their places, and
--     how many leases it has asked for and holds
register('heartbeat', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, acknowledged, latest, believed = unpack(asked[n])
        if sessions.is_alive(id) then
            local session = sessions.get(id)
            local leases = sessions.acknowledge(id, session, acknowledged)
            sessions.renew(id, session, latest)
            local lost, ids = {}, {}
            for b = 1, #believed do
                ids[b] = believed[b][1]
            end
            executions.fetch(ids)
            for b = 1, #believed do
                local execution, partition, attempt, epoch = unpack(believed[b])
                local x = executions.get(execution)
                if x ~= false and not (x and x[PARTITION] == partition and x[SITUATION] == RUNNING
                    and x[SESSION] == id and x[ATTEMPTS] - 1 == attempt and x[EPOCH] == epoch) then
                    lost[#lost + 1] = b
                end
            end
            answers[n] = {session[ALIVE_UNTIL], lost, leases}
        else
            answers[n] = false
        end
    end
    return answers
end)

-- What a dead session still holds: executions as they are, no more than so many, and whether there is more. A session that holds
-- nothing any more is buried: it is known, and nothing looks at it again.
local function remains(id, session, most)
    local pieces, kept, unreadable = {}, {}, 0
    local more = false
    for n = 1, #session[RECEIPTS] do
        local number = session[RECEIPTS][n]
        -- What is not told now is not looked at.
        local full = #pieces >= most
        local held = full and {} or sessions.held(id, sessions.receipt(id, number))
        more = more or full
        if full or #held > 0 then
            kept[#kept + 1] = number
        else
            sessions.drop_receipt(id, number)
        end
        for h = 1, #held do
            if not executions.get(held[h]) then
                unreadable = unreadable + 1
            elseif #pieces < most then
                pieces[#pieces + 1] = {held[h], unit.get('execution', held[h]), unit.get('detail', held[h] .. 's')}
            else
                more = true
            end
        end
    end
    session[RECEIPTS] = kept
    if #kept == 0 and not session[BURIED] then
        unit.drop('worker', listed(id, session))
        session[BURIED] = true
        unit.add('worker', 0, listed(id, session))
        unit.add('worker', 0, grave(id, session))
        unit.drop('expiry', id)
        local others, left = of_instance(session), {}
        for n = 1, #others do
            if others[n] ~= id then
                left[#left + 1] = others[n]
            end
        end
        unit.set('unique', instance_field(session), #left > 0 and cmsgpack.pack(left))
    end
    sessions.set(id, session)
    return {pieces, unreadable, more}
end

-- die: ends a session, if it is alive or holds something.
-- asked: id, whether only if its time has run out, how many pieces are told at most, and an event to be told first
-- answers: false when there is none; or whether it was alive, and what it still holds
register('die', {'allow-oom'}, function(asked)
    local id, only_late, most, event = unpack(asked)
    local session = sessions.get(id)
    if not session or session[BURIED] or (only_late and sessions.is_alive(id)) then
        return false
    end
    local alive = sessions.is_alive(id)
    if alive and event then
        log.append(event)
        session[SESSION_STEPS] = log.noted(id, session[SESSION_STEPS])
    end
    if not session[DIED] then
        session[DIED] = unit.now
        -- What cannot be returned now is looked at again and again.
        unit.add('expiry', math.min(session[ALIVE_UNTIL], unit.now), id)
        executions.losers[id] = event and true or nil
    end
    return {alive and true or false, remains(id, session, most)}
end)

-- forget_sessions: forgets sessions that died long ago; their ids stay dead.
-- asked: for how long they are known, and how many at most
-- answers: how many, and whether there may be more
register('forget_sessions', {'allow-oom'}, function(asked)
    local known, most = unpack(asked)
    local oldest = math.max(0, unit.now - known)
    local graves = redis.call('ZRANGEBYLEX', key.worker, '[\0', '(\0' .. bytes.six(oldest), 'LIMIT', 0, most)
    local left = FORGOTTEN_MOVES
    for n = 1, #graves do
        local id = string.sub(graves[n], 8)
        local session = sessions.get(id)
        local all = true
        if session then
            left, all = log.forget(id, session[SESSION_STEPS], left)
        end
        if not all then
            return {n - 1, true}
        end
        unit.drop('worker', graves[n])
        signposts.put('t', id, nil)
        if session then
            unit.drop('worker', listed(id, session))
            unit.remove('session', id)
        end
    end
    return {#graves, #graves == most}
end)
