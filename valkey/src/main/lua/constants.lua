-- Names for numbers. They are put in where they are used when the library is put together: Lua has no constants, and a
-- lookup in a table would be paid with every step. The program in Java has the same numbers; LibraryTest compares them.

-- Situations of executions, in the order of the state table.
READY = 0
DELAYED = 1
BACKING_OFF = 2
RESUMING_LATER = 3
AWAITING_CHILDREN = 4
HELD_BY_OPERATOR = 5
GRANTED = 6
RUNNING = 7
SUSPENDED = 8
COMPLETED = 9
FAILED = 10
CANCELLED = 11
EXPIRED = 12
SKIPPED = 13

-- What a lease is for. A lease for the first three begins an attempt; work for the first waits for its first start.
FIRST = 0
RETRY = 1
REPLAY = 2
CONTINUE = 3
RECLAIM = 4

-- Steps that functions take by themselves. All others are decided by the program.
STEP_SUBMIT = 0
STEP_CLAIM = 2
STEP_RECLAIM = 3
STEP_GRANT = 4
STEP_REDEEM = 5
STEP_FORFEIT = 6
STEP_LAPSE = 14
STEP_REPRIORITISE = 19
STEP_REPLAY = 23

-- The fields of an execution.
SITUATION = 1
NEXT = 2
LANE = 3
GATE = 4
SEQUENCE = 5
SUBMITTED = 6
CHANGED = 7
PRIORITY = 8
PLACE = 9
ATTEMPTS = 10
EPOCH = 11
RETRIES = 12
RECLAIMS = 13
REPLAYS = 14
DEADLINE = 15
UNTIL = 16
DELAYED_BY = 17
SESSION = 18
SINCE = 19
BY_HAND = 20
COUNTED = 21
GIVEN_UP = 22
ATTEMPT_TIMEOUT = 23
STALL_TIMEOUT = 24
PROGRESS_AT = 25
RETENTION = 26
SHARE = 27
PARTITION = 28
STEPS = 29
RECORDED = 30
SUSPENSION = 31
SIGNALS = 32
STREAMED = 33
MEMBER = 34
EXECUTION_FIELDS = 34

-- How a stream stands: the next place, how many frames stay and how large they are, how many do not, when the last one was appended, how
-- many patches its summary is made of, how many of those that do not stay are gone, and the attempt before that has a stream.
STREAM_NEXT = 1
STREAM_FRAMES = 2
STREAM_BYTES = 3
STREAM_PASSING = 4
STREAM_AT = 5
STREAM_VERSION = 6
STREAM_GONE = 7
STREAM_PREVIOUS = 8

-- What workers have recorded of an execution: how many steps, how large they are together, and when the last one was.
RECORDED_STEPS = 1
RECORDED_BYTES = 2
RECORDED_AT = 3

-- What an execution counts against while somebody has it.
COUNTED_QUOTAS = 1
COUNTED_AT = 2
COUNTED_BUDGETS = 3
HELD_AMOUNTS = 4

-- The fields of a lane.
LANE_NAMESPACE = 1
LANE_NAME = 2
LANE_STATE = 3
WEIGHT = 4
AGEING = 5
SHARING = 6
LANE_QUOTAS = 7
LANE_BUDGETS = 8
FIRST_ROUND = 9
PASS = 10
SETTINGS = 11
SINCE_WHEN = 12
REGISTERED_BY = 13
LANE_CHANGED = 14
RANK_VERSION = 15
LANE_CHANGED_BY = 16
LANE_STAMP = 17
GATHERED = 18

-- The states of a lane.
ACTIVE = 0
PAUSED = 1
DRAINING = 2
DISABLED = 3

-- The fields of a gate.
GATE_LANE = 1
GATE_ROUTE = 2
GATE_QUOTAS = 3
GATE_BUDGETS = 4

-- The fields of a session.
SESSION_NAMESPACE = 1
SESSION_LANES = 2
TTL = 3
ALIVE_UNTIL = 4
ACKNOWLEDGED = 5
DIED = 6
BURIED = 7
OPENED = 8
WORKER = 9
INSTANCE = 10
DESCRIPTION = 11

-- The fields of a quota, and of what counts against one of its keys.
CONCURRENCY = 1
RATE = 2
WINDOW = 3
QUOTA_SETTINGS = 4
METER_RUNNING = 1
METER_STARTS = 2
METER_SHUT = 3

-- The fields of a budget, of one of its dimensions, and of how that stands.
BUDGET_STOPS = 1
BUDGET_CANCELS = 2
BUDGET_PARENT = 3
BUDGET_DELETED = 4
BUDGET_PERIOD = 5
BUDGET_RESETS = 6
BUDGET_DIMENSIONS = 7
BUDGET_SHUT = 8
BUDGET_SETTINGS = 9
COUNTS_AFTER = 10
DIMENSION = 1
SOFT = 2
HARD = 3
USED = 4
HELD = 5

-- What an event is about.
EVENT_STEP = 0
EVENT_OTHER = 1
EVENT_RENEWAL = 2
EVENT_BUDGET_REACHED = 3
EVENT_GONE = 4
EVENT_DRIFTED = 5
EVENT_RENEWAL_OF_PART = 6
EVENT_OTHER_OF_PART = 7
EVENT_STEP_RECORDED = 8
EVENT_STEPS = 9
EVENT_SIGNAL_RECEIVED = 10
EVENT_WAITPOINT_CLOSED = 11

-- The fields of a report of what was used up.
REPORTED_BUDGET = 1
REPORTED_DIMENSION = 2
REPORTED_AMOUNT = 3
REPORTED_KEY = 4
REPORTED_AT = 5
REFUNDED = 6
REPORT_NUMBER = 7

-- What was submitted, as far as functions look at it.
SUBMITTED_NAMESPACE = 1
SUBMITTED_KEY = 5
SUBMITTED_TAGS = 6

-- A change of an execution, as the program decides it.
CHANGE_STEP = 1
CHANGE_SITUATION = 2
CHANGE_NEXT = 3
CHANGE_UNTIL = 4
CHANGE_DELAYED_BY = 5
CHANGE_WORDS = 6
CHANGE_PRIORITY = 7
CHANGE_RETRIES = 8
CHANGE_RECLAIMS = 9
CHANGE_REPLAYS = 10
CHANGE_DEADLINE = 11
CHANGE_BY = 12
CHANGE_FAILURE = 13
CHANGE_RESULT = 14
CHANGE_GATE = 15
CHANGE_FRESH = 16
CHANGE_SUSPENSION = 17
CHANGE_ABANDONED = 18

-- What is written of a wait, as the program decides it; the step and the signal in it.
WAITED_REMEMBERED = 1
WAITED_LISTED = 2
WAITED_STEP = 3
WAITED_SIGNAL = 4
SESSION_STEPS = 12
RECEIPTS = 13
IS_PART = 14
