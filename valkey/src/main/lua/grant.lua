-- Work that is given out as tickets.

-- Whether a ticket is still good: the execution is granted to the session that shows it, and by this very grant.
local function opens(x, session, partition, epoch)
    return x and x[PARTITION] == partition and x[SITUATION] == GRANTED and x[SESSION] == session and x[EPOCH] == epoch
        and x[UNTIL] > unit.now and not executions.past_deadline(x)
end

-- redeem: turns grants into leases.
-- asked: session, number, grants, each: id, partition, epoch
-- answers: 'dead', 'used', or 'given' with the pieces; of a repeat 'again' with the pieces that it still has
register('redeem', {}, function(asked)
    local id, number, tickets = unpack(asked)
    if not sessions.is_alive(id) then
        return {'dead'}
    end
    local session = sessions.get(id)
    if number <= session[ACKNOWLEDGED] then
        return {'used'}
    end
    local receipt = sessions.receipt(id, number)
    if receipt then
        return {'again', claims.still_held(id, receipt, RUNNING)}
    end
    local given, ids = {}, {}
    for n = 1, #tickets do
        local execution, partition, epoch = unpack(tickets[n])
        local x = executions.get(execution)
        if opens(x, id, partition, epoch) then
            executions.lease(execution, x, id, false)
            given[#given + 1] = execution
            given[#given + 1] = x[EPOCH]
            ids[#ids + 1] = execution
        end
    end
    -- As with a claim, a number that gave nothing can still be used.
    if #ids > 0 then
        sessions.keep_receipt(id, session, number, given)
    end
    return {'given', claims.pieces_of(ids)}
end)

-- granted: which grants could be redeemed.
-- asked: session, grants, each: id, partition, epoch
-- answers: false when the session is dead; or each what was submitted, or false
register_reading('granted', function(asked)
    local id, tickets = unpack(asked)
    if not sessions.is_alive(id) then
        return false
    end
    local answers = {}
    for n = 1, #tickets do
        local execution, partition, epoch = unpack(tickets[n])
        answers[n] = opens(executions.get(execution), id, partition, epoch) and unit.get('detail', execution .. 's') or false
    end
    return answers
end)

-- grant: grants one execution to a session, as the program decided.
-- asked: id, the execution as it was when that was decided, session, for how long
-- answers: 'dead'; 'again' when it has to be decided anew; or 'given' with the epoch and until when
register('grant', {}, function(asked)
    local execution, before, id, ttl = unpack(asked)
    if not sessions.is_alive(id) then
        return {'dead'}
    end
    local x = executions.get(execution)
    if not x or unit.get('execution', execution) ~= before or not lanes.gives(lanes.get(x[LANE]))
        or gates.obstacle(x[GATE]) then
        return {'again'}
    end
    executions.grant(execution, x, id, unit.now + ttl)
    sessions.keep_by_hand(id, sessions.get(id), execution, x[EPOCH])
    return {'given', x[EPOCH], x[UNTIL]}
end)
