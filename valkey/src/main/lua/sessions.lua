-- Worker processes. One that misses its heartbeats is dead, and never lives again; it is buried once it holds nothing.

function sessions.begin()
    sessions.known = {}
end

-- A session, alive or dead; nil when there is none.
function sessions.get(id)
    local session = sessions.known[id]
    if session == nil then
        local packed = unit.get('session', id)
        session = packed and cmsgpack.unpack(packed)
        sessions.known[id] = session
    end
    return session or nil
end

function sessions.set(id, session)
    sessions.known[id] = session
    unit.set('session', id, cmsgpack.pack(session))
end

function sessions.is_alive(id)
    local session = id and sessions.get(id)
    return session and not session[DIED] and session[ALIVE_UNTIL] > unit.now
end

-- Until when a session lives that shows a sign of life now.
-- latest: until when it does where it is told, if that is in another partition: it is to live nowhere for longer
function sessions.end_of_life(ttl, latest)
    return math.min(unit.now + ttl, latest or math.huge)
end

-- Shows a sign of life.
function sessions.renew(id, session, latest)
    -- One that comes late must not take back what a later one has given.
    session[ALIVE_UNTIL] = math.max(session[ALIVE_UNTIL], sessions.end_of_life(session[TTL], latest))
    log.append({session[IS_PART] and EVENT_RENEWAL_OF_PART or EVENT_RENEWAL, id, session[SESSION_NAMESPACE], unit.now, session[ALIVE_UNTIL]})
    session[SESSION_STEPS] = log.noted(id, session[SESSION_STEPS])
    unit.add('expiry', session[ALIVE_UNTIL], id)
    sessions.set(id, session)
end

local function is_held(id, execution, epoch)
    local x = executions.get(execution)
    -- What cannot be read may be held.
    return x == false or (x and x[SESSION] == id and x[EPOCH] == epoch)
end

-- What a claim gave: ids and epochs, to answer its repeats and to return the work when the session dies.

local function receipt_field(id, number)
    return id .. bytes.six(number)
end

-- What was given under a number; nil when it was not used.
function sessions.receipt(id, number)
    local packed = unit.get('receipt', receipt_field(id, number))
    return packed and cmsgpack.unpack(packed) or nil
end

function sessions.keep_receipt(id, session, number, given)
    unit.set('receipt', receipt_field(id, number), cmsgpack.pack(given))
    session[RECEIPTS][#session[RECEIPTS] + 1] = number
    sessions.set(id, session)
end

-- What operators gave belongs to no claim: it is kept under a number that none has, with what is still held of it.
function sessions.keep_by_hand(id, session, execution, epoch)
    local given = {execution, epoch}
    local earlier = sessions.receipt(id, 0)
    if not earlier then
        sessions.keep_receipt(id, session, 0, given)
        return
    end
    for n = 1, #earlier, 2 do
        if earlier[n] ~= execution and is_held(id, earlier[n], earlier[n + 1]) then
            given[#given + 1] = earlier[n]
            given[#given + 1] = earlier[n + 1]
        end
    end
    unit.set('receipt', receipt_field(id, 0), cmsgpack.pack(given))
end

function sessions.drop_receipt(id, number)
    unit.remove('receipt', receipt_field(id, number))
end

-- The executions that a session has, or has grants for.
function sessions.all_held(id, session)
    local all = {}
    for n = 1, #session[RECEIPTS] do
        local held = sessions.held(id, sessions.receipt(id, session[RECEIPTS][n]))
        for h = 1, #held do
            all[#all + 1] = held[h]
        end
    end
    return all
end

-- How many executions a session has now.
function sessions.running(id, session)
    local held = sessions.all_held(id, session)
    local count = 0
    for n = 1, #held do
        local x = executions.get(held[n])
        if x and x[SITUATION] == RUNNING then
            count = count + 1
        end
    end
    return count
end

-- The ids of the sessions of a namespace that live, or may still hold work.
function sessions.unburied(namespace)
    local prefix = namespace .. '\0a'
    local ids = bytes.range('worker', prefix, nil, -1)
    for n = 1, #ids do
        ids[n] = string.sub(ids[n], #prefix + 1)
    end
    return ids
end

-- Drops the receipts up to a number that nobody will ask for again, and that lead to nothing held. Says how many leases the
-- session holds of those that it has asked for.
function sessions.acknowledge(id, session, number)
    session[ACKNOWLEDGED] = math.max(session[ACKNOWLEDGED], number)
    local kept, leases = {}, 0
    for n = 1, #session[RECEIPTS] do
        local used = session[RECEIPTS][n]
        local held = sessions.held(id, sessions.receipt(id, used))
        for h = 1, #held do
            local x = executions.get(held[h])
            if x and x[SITUATION] == RUNNING and not x[BY_HAND] then
                leases = leases + 1
            end
        end
        if used > session[ACKNOWLEDGED] or #held > 0 then
            kept[#kept + 1] = used
        else
            sessions.drop_receipt(id, used)
        end
    end
    session[RECEIPTS] = kept
    return leases
end

-- The executions of a receipt that a session still has, or has a grant for.
function sessions.held(id, receipt)
    local ids = {}
    for n = 1, #receipt, 2 do
        ids[#ids + 1] = receipt[n]
    end
    local may = executions.may_be_held(ids)
    local held = {}
    for n = 1, #receipt, 2 do
        if may[receipt[n]] and is_held(id, receipt[n], receipt[n + 1]) then
            held[#held + 1] = receipt[n]
        end
    end
    return held
end

-- Calls back for everything in a namespace that somebody has, or has a grant for, as far as it can be read.
function sessions.each_held(namespace, visit)
    local ids = sessions.unburied(namespace)
    for n = 1, #ids do
        local held = sessions.all_held(ids[n], sessions.get(ids[n]))
        for h = 1, #held do
            local x = executions.get(held[h])
            if x then
                visit(held[h], x)
            end
        end
    end
end
