-- What workers say in their attempts. It is kept by the id of the execution and the attempt, in four bytes:
--   and a place in six bytes: a frame, which begins with its time in six bytes
--   m: how the stream stands         s: its summary
--   r  and a number in six bytes: the place of a frame that does not stay, of which that is the number
-- The frames that there are stand in the set called stream. An execution knows the last attempt that has a stream, and each stream the
-- one before.
--
-- The program decides what appends come to, from how the stream stands; here that is written, unless the stream has gone on meanwhile.

-- So many members are read at once.
local PORTION = 500

local function prefix_of(id, attempt)
    return id .. bytes.four(attempt)
end

-- How the stream of an attempt stands; nil when there is none, false when that cannot be read.
local function standing_of(prefix)
    return bytes.list(unit.get('frame', prefix .. 'm'))
end

local function is_held(x, partition, attempt, epoch)
    return x and x[PARTITION] == partition and executions.holds(x, attempt, epoch)
end

-- stream_standings: how streams stand to which something is to be appended.
-- asked, each: id, partition, attempt, epoch, whether the summary is wanted, places
-- answers, each: true, how the stream stands or false, the summary or false, and of the frames that there are at these places the
--     place and the frame, one behind the other; or why not
register_reading('stream_standings', function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, patched, places = unpack(asked[n])
        local x = executions.get(id)
        local prefix = prefix_of(id, attempt)
        local standing = standing_of(prefix)
        if not is_held(x, partition, attempt, epoch) then
            answers[n] = executions.unheld(id, partition, x)
        elseif standing == false then
            answers[n] = {'unreadable'}
        else
            local last = standing and standing[STREAM_NEXT] or 0
            local kept = {}
            for p = 1, #places do
                local frame = places[p] < last and unit.get('frame', prefix .. bytes.six(places[p]))
                if frame then
                    kept[#kept + 1] = places[p]
                    kept[#kept + 1] = frame
                end
            end
            answers[n] = {true, unit.get('frame', prefix .. 'm'), patched and unit.get('frame', prefix .. 's'), kept}
        end
    end
    return answers
end)

local function remove_frame(prefix, place)
    unit.remove('frame', prefix .. place)
    unit.drop('stream', prefix .. place)
end

-- Writes frames, and how the stream stands then.
local function write(id, x, attempt, before, standing, document, frames)
    local prefix = prefix_of(id, attempt)
    if before then
        standing[STREAM_PREVIOUS] = before[STREAM_PREVIOUS]
    else
        standing[STREAM_PREVIOUS] = x[STREAMED]
        x[STREAMED] = attempt
        executions.changed[id] = x
    end
    for number = (before and before[STREAM_GONE] or 0) + 1, standing[STREAM_GONE] do
        local field = prefix .. 'r' .. bytes.six(number)
        local place = unit.get('frame', field)
        if place then
            unit.remove('frame', field)
            remove_frame(prefix, place)
        end
    end
    for n = 1, #frames do
        local position, number, frame = unpack(frames[n])
        local place = bytes.six(position)
        unit.set('frame', prefix .. place, frame)
        unit.add('stream', 0, prefix .. place)
        if number > 0 then
            unit.set('frame', prefix .. 'r' .. bytes.six(number), place)
        end
    end
    if document then
        unit.set('frame', prefix .. 's', document)
    end
    unit.set('frame', prefix .. 'm', cmsgpack.pack(standing))
    executions.streamed[id] = true
end

-- append: appends frames to streams.
-- asked, each: id, partition, attempt, epoch, the next place as it was when it was decided, how the stream stands then, its summary
--     if that is another one, and the frames: place, number if it does not stay or 0, frame
-- answers, each: true; 'again' when the stream has gone on since; or why not
register('append', {}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch, next_place, standing, document, frames = unpack(asked[n])
        local x = executions.get(id)
        local before = standing_of(prefix_of(id, attempt))
        if not is_held(x, partition, attempt, epoch) then
            answers[n] = executions.unheld(id, partition, x)
        elseif before == false then
            answers[n] = {'unreadable'}
        elseif (before and before[STREAM_NEXT] or 0) == next_place then
            write(id, x, attempt, before, standing, document, frames)
            answers[n] = {true}
        else
            answers[n] = {'again'}
        end
    end
    return answers
end)

-- The first place from which on no frame is earlier than a moment, between two of them.
local function first_since(prefix, moment, low, high)
    while low < high do
        local middle = math.floor((low + high) / 2)
        local member = redis.call(
            'ZRANGEBYLEX', key.stream, '[' .. prefix .. bytes.six(middle), '(' .. bytes.beyond(prefix), 'LIMIT', 0, 1)[1]
        local frame = member and unit.get('frame', member)
        if frame and bytes.read_six(frame, 1) < moment then
            low = middle + 1
        else
            high = middle
        end
    end
    return low
end

-- Adds frames of a stream to those that were found; whether there are more.
local function find(found, prefix, first, last, latest, most, enough)
    local size, count, from = 0, 0, '[' .. prefix .. bytes.six(first)
    while true do
        local members = redis.call('ZRANGEBYLEX', key.stream, from, '[' .. prefix .. bytes.six(last), 'LIMIT', 0, PORTION)
        for n = 1, #members do
            local frame = unit.get('frame', members[n])
            if frame and bytes.read_six(frame, 1) > latest then
                return false
            end
            if count == most or size >= enough then
                return true
            end
            if frame then
                found[#found + 1] = bytes.read_six(members[n], 21)
                found[#found + 1] = frame
                count = count + 1
                size = size + #frame
            end
        end
        if #members < PORTION then
            return false
        end
        from = '(' .. members[#members]
    end
end

-- frames: frames of an attempt, in their order.
-- asked: id, partition, attempt, the first and the last place, the first and the last moment, how many at most, how many bytes are
--     enough
-- answers: false when there is no such execution; or how many attempts were started, situation, what the next lease is for, the
--     place of the next frame; of each frame its place and itself, one behind the other; and whether there are more
register_reading('frames', function(asked)
    local id, partition, attempt, first, last, earliest, latest, most, enough = unpack(asked)
    local x = executions.get(id)
    if not x or x[PARTITION] ~= partition then
        return x == false and 'unreadable'
    end
    local prefix = prefix_of(id, attempt)
    local standing = x[STREAMED] and standing_of(prefix)
    if x[STREAMED] and standing == false then
        return 'unreadable'
    end
    local last_place = standing and standing[STREAM_NEXT] or 0
    local found, more = {}, false
    if first < last_place then
        first = earliest > 0 and first_since(prefix, earliest, first, last_place) or first
        more = find(found, prefix, first, last, latest, most, enough)
    end
    return {x[ATTEMPTS], x[SITUATION], x[NEXT], last_place, found, more}
end)

-- summary: what the patches of an attempt have come to.
-- asked: id, partition, attempt
-- answers: false when there is no such execution; or how many patches there were, and the summary
register_reading('summary', function(asked)
    local id, partition, attempt = unpack(asked)
    local x = executions.get(id)
    if not x or x[PARTITION] ~= partition then
        return x == false and 'unreadable'
    end
    local prefix = prefix_of(id, attempt)
    local standing = x[STREAMED] and standing_of(prefix)
    if x[STREAMED] and standing == false then
        return 'unreadable'
    end
    local version = standing and standing[STREAM_VERSION] or 0
    return {version, version > 0 and unit.get('frame', prefix .. 's')}
end)

-- Forgets streams of an execution, with no more than so many frames. Says how many frames there were, and whether there may be more.
function streams.forget(id, x, most)
    local gone = 0
    while x[STREAMED] do
        local prefix = prefix_of(id, x[STREAMED])
        local after, members = nil, nil
        repeat
            members = bytes.range('stream', prefix, after, PORTION)
            for n = 1, #members do
                after = members[n]
                unit.remove('frame', after)
                unit.drop('stream', after)
            end
            gone = gone + #members
        until #members < PORTION or gone >= most
        if gone >= most then
            return gone, true
        end
        local standing = standing_of(prefix)
        for number = standing and standing[STREAM_GONE] + 1 or 1, standing and standing[STREAM_PASSING] or 0 do
            unit.remove('frame', prefix .. 'r' .. bytes.six(number))
        end
        unit.remove('frame', prefix .. 'm')
        unit.remove('frame', prefix .. 's')
        if standing then
            x[STREAMED] = standing[STREAM_PREVIOUS]
        else
            -- Which attempt had the one before is not known: all of them are looked at.
            x[STREAMED] = x[STREAMED] > 0 and x[STREAMED] - 1
        end
        executions.changed[id] = x
    end
    return gone, false
end
