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
    return {'given', piece(id, x)}
end)
