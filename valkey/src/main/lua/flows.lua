-- Flows: graphs of executions. What is kept of one, by its id:
--   flow     what it is, as the program writes it; and behind its id
--     i  its inbox: members that have ended without the others being told, of each its number and how it ended; and the execution that awaited it
--     p  its input
--     s  its number in the order of submission
--     g  while it is forgotten: how many of its members are gone
--     n  how many of its members are not forgotten
--     h  where it lies, in the partition that its id names, if that is another one
--   member   each of its members, behind its number: how it ended or 0, what came of the edges into it or 0, the id of its execution,
--            the rest as the program writes it
--   arc      each of its edges twice: behind '>' the numbers of upstream and downstream, behind '<' those of downstream and upstream; and
--            which end of the upstream counts
--   flows    behind 'a' and its namespace its number in the order of submission; behind 'e' and its namespace when it ended
-- All of it changes only with what it is, which has a version: so whoever compares that knows that nothing has changed.

-- So long others wait for the process that has something to do in a flow.
local PATIENCE = 1000

function flows.begin()
    -- Whether the program knows of the ends of this call: they need not be told again.
    flows.settling = false
end

-- The flow that an execution is a member of.
function flows.of(x)
    return string.sub(x[MEMBER], 1, 16)
end

-- Takes note that a member has ended: what follows from it is still to be done.
function flows.note_end(x)
    if not flows.settling then
        local id = flows.of(x)
        unit.set('flow', id .. 'i', (unit.get('flow', id .. 'i') or '') .. string.sub(x[MEMBER], 17) .. string.char(x[SITUATION]))
        flows.note_work(id)
    end
end

-- What stands in an inbox in place of a number for the execution that awaited the flow.
flows.PARENT = '\255\255\255\255'

-- Takes note that an execution has ended that awaited a flow, if there still is one.
function flows.note_abandoned(id)
    if unit.get('flow', id) then
        unit.set('flow', id .. 'i', (unit.get('flow', id .. 'i') or '') .. flows.PARENT .. '\0')
        flows.note_work(id)
    end
end

-- Takes note that something is still to be done in a flow.
function flows.note_work(id)
    unit.add('unsettled', unit.now + PATIENCE, id)
end

-- So many flows that were left are told of at once.
local MOST = 100

-- Flows in which something is still to be done, by processes that are gone.
function flows.due()
    return redis.call('ZRANGEBYSCORE', key.unsettled, '-inf', unit.now, 'LIMIT', 0, MOST)
end

-- A member is gone.
function flows.forget_member(x)
    unit.sum('flow', flows.of(x) .. 'n', -1)
end

function flows.member(id, number)
    return unit.get('member', id .. bytes.four(number))
end

-- What all flows of a namespace begin with among those that are listed, or that have ended.
function flows.prefix(letter, namespace)
    return letter .. namespace .. '\0'
end
