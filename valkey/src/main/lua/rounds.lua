-- Whose turn it is, in lanes where keys take turns: fresh work goes in rounds, one piece of each key in a round.
--
-- Work goes in the round after the one that its key was given last, but in none that is over. A piece that left without being
-- started gives its round back if its key has none later. So places are given last in a call, when all that it takes away
-- is written.

function rounds.begin()
    rounds.unplaced = {}
    rounds.latest = {}
end

local function queue_of(x)
    return bytes.four(x[LANE]) .. bytes.two(x[PRIORITY])
end

local function share_of(x)
    return queue_of(x) .. (x[SHARE] or '')
end

local function reached(x)
    local furthest = unit.get('share', 'r' .. queue_of(x))
    return math.max(furthest and tonumber(furthest) or 0, lanes.get(x[LANE])[FIRST_ROUND])
end

function rounds.of(place)
    return bytes.read_six(place, 3)
end

function rounds.member(id, x)
    return share_of(x) .. '\0' .. string.sub(x[PLACE], 3, 8) .. id
end

-- A lane begins to share, or does so no longer: no round that was given before is on any more.
function rounds.begin_anew(number, lane)
    lane[FIRST_ROUND] = math.max(lane[FIRST_ROUND], tonumber(unit.get('share', 'h' .. bytes.four(number)) or '0') + 1)
end

-- Work needs a round.
function rounds.queue(id, x)
    rounds.unplaced[#rounds.unplaced + 1] = {id, x}
end

-- Work that needed a round does so no more.
function rounds.leave(id)
    for n = #rounds.unplaced, 1, -1 do
        if rounds.unplaced[n][1] == id then
            table.remove(rounds.unplaced, n)
        end
    end
end

-- A claim takes work: its round is on, or over.
function rounds.started(x)
    local round = rounds.of(x[PLACE])
    if round > reached(x) then
        unit.set('share', 'r' .. queue_of(x), tostring(round))
    end
end

-- The last round of a key: one that was started from, or that its work still waits for; nil if it has none.
local function latest(x)
    local share = share_of(x)
    local given = unit.get('share', 'k' .. share)
    if not given then
        return nil
    end
    local prefix = share .. '\0'
    local last = redis.call('ZREVRANGEBYLEX', key.turns, '(' .. bytes.beyond(prefix), '[' .. prefix, 'LIMIT', 0, 1)[1]
    local waits = last and bytes.read_six(last, #prefix + 1) or 0
    return math.min(tonumber(given), math.max(reached(x), waits))
end

-- Which round each key of a queue was given last, in the order of the rounds: no lane has the number 0.
local function given_prefix(queue)
    return bytes.four(0) .. queue
end

local function note_given(x, round)
    local queue, share = queue_of(x), share_of(x)
    local before = unit.get('share', 'k' .. share)
    if before then
        unit.drop('turns', given_prefix(queue) .. bytes.six(tonumber(before)) .. (x[SHARE] or ''))
    end
    unit.set('share', 'k' .. share, tostring(round))
    unit.add('turns', 0, given_prefix(queue) .. bytes.six(round) .. (x[SHARE] or ''))
    local highest = 'h' .. bytes.four(x[LANE])
    if round > tonumber(unit.get('share', highest) or '0') then
        unit.set('share', highest, tostring(round))
    end
end

-- So many keys are forgotten for each piece that comes, so that they are faster than new ones.
local FORGOTTEN = 2

-- Forgets keys whose last round is over: they are like those that were never there.
local function forget_keys(x)
    local queue = queue_of(x)
    local prefix = given_prefix(queue)
    local oldest = bytes.range('turns', prefix, nil, FORGOTTEN)
    for n = 1, #oldest do
        local round = bytes.read_six(oldest[n], #prefix + 1)
        local field = 'k' .. queue .. string.sub(oldest[n], #prefix + 7)
        if round < reached(x) and unit.get('share', field) == tostring(round) then
            unit.remove('share', field)
            unit.drop('turns', oldest[n])
        end
    end
end

-- Gives a round to everything that needs one.
function rounds.place()
    for n = 1, #rounds.unplaced do
        local id, x = rounds.unplaced[n][1], rounds.unplaced[n][2]
        local share = share_of(x)
        local last = rounds.latest[share] or latest(x)
        local round = last and math.max(reached(x), last + 1) or reached(x)
        rounds.latest[share] = round
        note_given(x, round)
        x[PLACE] = lanes.place_of(lanes.get(x[LANE]), x, round)
        unit.add('turns', 0, rounds.member(id, x))
        executions.enter(id, x)
        forget_keys(x)
    end
end
