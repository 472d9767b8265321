-- The keys of a partition. Every call declares all of them, in this order, and touches nothing else: so a cluster leads a
-- call to where they are, also while it moves them, and a list of access rights needs to know no more than their prefix.
--
-- Hashes, by what their fields are:
--   meta        what is counted up: numbers that were given to lanes, routes, gates, submissions and entries of the log
--   name        the numbers of lanes, routes and gates, by what they are; and changes of lanes, under way or passed on
--   lane        lanes, by number
--   route       kinds and needs of work, by number
--   gate        lanes, routes, quotas and budgets of work, by number
--   users       how many executions have not ended behind a gate, where it is not to be kept for ever
--   head        the first entry behind a gate, and what shuts the gate; those without work have none
--   execution   how executions stand, by id
--   detail      everything else of executions, by id and letter (see executions.lua)
--   unique      executions, by namespace and idempotency key; of sessions and signposts, which begin with a zero byte, see
--               session.lua and signposts.lua
--   count       how many executions are in each situation, by lane
--   quota       quotas, by namespace and name
--   meter       what counts against a quota, by namespace, name and key
--   budget      budgets and how they stand, by namespace and name
--   spending    what was reported, by namespace, budget and key
--   session     worker processes, by id
--   receipt     what claims gave, by session and number
--   share       rounds of lanes where keys take turns
--   namespace   settings of namespaces, by name
--   frame       what workers said in attempts, and how that stands (see stream.lua)
--   log         everything that happened: the events of each call, by its number
--   history     which entries of the log are about an execution or a session, by its id and a number
--   flow        flows, by id, and what else is kept of them (see flows.lua)
--   member      their members, by id and number
--   global      what is not of one namespace: signing keys, duties of engines; and schedules, by namespace and name: what they
--               are, and how they stand
-- Sorted sets. In the first ones the scores are equal, and the members are sorted as bytes:
--   ready       what can be claimed: gate, place, id
--   front       the gates with work that are not known to be shut: lane, route, place of the first entry, gate
--   shut        the gates with work that are: what shuts them, gate
--   closed      the same gates: lane, route, gate
--   turns       fresh work in lanes where keys take turns: lane, priority, key, round, id; and the keys by their last round:
--               no lane, lane, priority, round, key
--   standing    all executions: lane, how they ended if they have, in the order of submission
--   stream      the frames that there are: execution, attempt, place
--   tag         all executions with tags: lane, tag, in the order of submission
--   ended       what has ended and is kept as long as its namespace says: lane, when, id
--   worker      sessions: namespace, whether they are buried, id; the buried: a zero byte, when they died, id; and signposts: a
--               byte of one, until when they stand, letter, id; and what work that is gone may have left elsewhere: see forget.lua
--   waitpoint   waitpoints that are open, or were until their time was over: lane, when they were opened, id, name
--   arc         the edges of flows, by both of their ends (see flows.lua)
--   flows       flows in the order of submission, and in that of their ends (see flows.lua)
--   listing     names of lanes, quotas, budgets and schedules: letter, namespace, name; of namespaces: letter, name; of
--               schedules that are to be seen to: letter, when, namespace, name; and of partitions with schedules: letter, number
-- In the others the scores are times, but in the last one:
--   deadline    when executions expire; attempt, stall, wake, suspension, grant: when their leases, silences, delays, waits, grants are over
--   expiry      when sessions die
--   forget      when executions are forgotten that say so themselves
--   unsettled   when others see to flows in which something is still to be done
--   due         what else time will do: a letter and a name (q: a rate has room, b: a budget begins anew, x: a breach has
--               left something running, l: the change of a spread lane has taken for too long)
--   told        what is forgotten while the log still tells of it: the number of the last entry about it
local KEYS_OF_A_PARTITION = {
    'meta', 'name', 'lane', 'route', 'gate', 'users', 'head', 'execution', 'detail', 'unique', 'count', 'quota', 'meter',
    'budget', 'spending', 'session', 'receipt', 'share', 'namespace', 'log', 'history', 'global', 'ready', 'front', 'shut',
    'closed', 'turns', 'standing', 'tag', 'ended', 'worker', 'listing', 'deadline', 'attempt', 'stall', 'wake', 'grant',
    'expiry', 'forget', 'due', 'told', 'waitpoint', 'suspension', 'frame', 'stream',
    'flow', 'member', 'arc', 'flows', 'unsettled'}

local key = {}
