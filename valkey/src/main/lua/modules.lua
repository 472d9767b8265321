-- What the library consists of, each in a file of its own.
local unit = {}       -- what a call reads and what it will write
local bytes = {}      -- numbers as bytes
local log = {}        -- what happened
local lanes = {}      -- queues, and how they share
local rounds = {}     -- whose turn it is, in lanes where keys take turns
local gates = {}      -- what work needs before it may start
local quotas = {}     -- how much may run
local budgets = {}    -- how much may be used up
local held_keys = {}  -- keys of work that lies in another partition
local signposts = {}  -- where something lies that is looked for here
local sessions = {}   -- worker processes
local records = {}    -- executions as they are stored
local executions = {} -- pieces of work, and the steps that they take
local streams = {}    -- what workers say while they work
local plain = {}      -- the same steps of work that has nothing special
local surroundings = {} -- what decides how work reads from outside
local claims = {}     -- which of it a worker gets
