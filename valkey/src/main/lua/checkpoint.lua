-- Steps that workers record of their executions. Each has a number, from 1 in the order in which they were recorded, and is kept
-- beside its execution, by the id of that and a letter:
--   n  and its name: its number
--   c  and its number: its name, what a repeat is compared with, the attempt in which and the time when it was recorded
--   d  and its number: its content

function executions.step_count(x)
    return x[RECORDED] and x[RECORDED][RECORDED_STEPS] or 0
end

-- Steps from one number to another: of each what is told of it, and its content.
function executions.steps(id, first, last)
    local fields = {}
    for nth = first, last do
        fields[#fields + 1] = id .. 'c' .. bytes.two(nth)
        fields[#fields + 1] = id .. 'd' .. bytes.two(nth)
    end
    return unit.get_all('detail', fields)
end

function executions.clear_steps(id, x)
    for nth = 1, executions.step_count(x) do
        local told = bytes.list(unit.get('detail', id .. 'c' .. bytes.two(nth)))
        if told then
            unit.remove('detail', id .. 'n' .. told[1])
        end
        unit.remove('detail', id .. 'c' .. bytes.two(nth))
        unit.remove('detail', id .. 'd' .. bytes.two(nth))
    end
    x[RECORDED] = false
end

-- Adds a step to those of an execution.
function executions.keep_step(id, x, name, digest, content, size, attempt, at)
    local steps, together = executions.step_count(x), x[RECORDED] and x[RECORDED][RECORDED_BYTES] or 0
    local nth = bytes.two(steps + 1)
    unit.set('detail', id .. 'n' .. name, tostring(steps + 1))
    unit.set('detail', id .. 'c' .. nth, cmsgpack.pack({name, digest, attempt, at}))
    unit.set('detail', id .. 'd' .. nth, content)
    x[RECORDED] = {steps + 1, together + size, at}
end

-- Records a step under a lease that holds.
local function record(id, x, item)
    local attempt, epoch, name, digest, content, size, most, most_bytes = unpack(item, 3)
    local known = unit.get('detail', id .. 'n' .. name)
    if known then
        return {'known', unit.get('detail', id .. 'c' .. bytes.two(tonumber(known)))}
    end
    local steps, together = executions.step_count(x), x[RECORDED] and x[RECORDED][RECORDED_BYTES] or 0
    if steps >= most or together + size > most_bytes then
        return {'full', steps, together}
    end
    executions.keep_step(id, x, name, digest, content, size, attempt, unit.now)
    if x[STALL_TIMEOUT] then
        unit.add('stall', unit.now + x[STALL_TIMEOUT], id)
    end
    log.append({EVENT_STEP_RECORDED, id, x[PARTITION], x[LANE], name, attempt, epoch, unit.now})
    x[STEPS] = log.noted(id, x[STEPS])
    executions.changed[id] = x
    return {true, unit.now}
end

-- checkpoint: records steps.
-- asked, each: id, partition, attempt, epoch, name, what a repeat is compared with, content, how large that is with its name; how
--     many steps an execution may have, and how large they may be together
-- answers, each: true and when it was recorded; 'known' with what is told of the step that has the name; 'full' with how many
--     there are and how large they are; or why not
register('checkpoint', {}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local id, partition, attempt, epoch = unpack(asked[n], 1, 4)
        local x = executions.get(id)
        if not x or x[PARTITION] ~= partition or not executions.holds(x, attempt, epoch) then
            answers[n] = executions.unheld(id, partition, x)
        else
            answers[n] = record(id, x, asked[n])
        end
    end
    return answers
end)

-- steps: steps of an execution, in the order in which they were recorded.
-- asked: id, partition, how many are before the first one, how many at most, how many bytes are enough
-- answers: false when there is no such execution; or of each step what is told of it and its content, one behind the other, and
--     whether there are more
register_reading('steps', function(asked)
    local id, partition, before, most, enough = unpack(asked)
    local x = executions.get(id)
    if not x or x[PARTITION] ~= partition then
        return x == false and 'unreadable'
    end
    local last = executions.step_count(x)
    local found, size, nth = {}, 0, before
    while nth < math.min(last, before + most) and size < enough do
        nth = nth + 1
        local step = executions.steps(id, nth, nth)
        found[#found + 1] = step[1]
        found[#found + 1] = step[2]
        size = size + (step[2] and #step[2] or 0)
    end
    return {found, nth < last}
end)
