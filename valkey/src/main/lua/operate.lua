-- What operators do that is not only a step.

-- claim_by_hand: leases one execution to a session, past the order of its lane and past what the session serves.
-- asked: session, id, the execution as it was when it was decided, who does it and why
-- answers: 'dead'; 'changed'; 'shut' with the letter and the name of what leaves no room; 'given' with the piece
register('claim_by_hand', {}, function(asked)
    local worker, id, before, by = unpack(asked)
    if not sessions.is_alive(worker) then
        return {'dead'}
    end
    local x = executions.get(id)
    if not x or unit.get('execution', id) ~= before or x[SITUATION] ~= READY or executions.past_deadline(x) then
        return {'changed'}
    end
    local obstacle = gates.obstacle(x[GATE])
    if obstacle then
        return {'shut', obstacle}
    end
    if x[NEXT] == FIRST and lanes.get(x[LANE])[SHARING] then
        rounds.started(x)
    end
    executions.lease(id, x, worker, by)
    sessions.keep_by_hand(worker, sessions.get(worker), id, x[EPOCH])
    return {'given', claims.pieces_of({id})[1]}
end)

-- put_aside: holds work back that a session was given and that the program cannot read.
-- asked: session, the number under which it was given, and the steps as they were decided
-- answers: whether nothing is left of what was given under the number, which can then be used again
register('put_aside', {'allow-oom'}, function(asked)
    local id, number, steps = unpack(asked)
    for n = 1, #steps do
        executions.take_step(unpack(steps[n]))
    end
    local session = sessions.get(id)
    local receipt = session and sessions.receipt(id, number)
    if not receipt then
        return session and true or false
    end
    if #sessions.held(id, receipt) > 0 then
        return false
    end
    local kept = {}
    for n = 1, #session[RECEIPTS] do
        if session[RECEIPTS][n] ~= number then
            kept[#kept + 1] = session[RECEIPTS][n]
        end
    end
    session[RECEIPTS] = kept
    sessions.drop_receipt(id, number)
    sessions.set(id, session)
    return true
end)
