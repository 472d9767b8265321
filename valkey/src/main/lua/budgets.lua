-- What is used up and set aside of budgets. A budget is known by its namespace and its name.

function budgets.begin()
    budgets.known = {}
    budgets.changed = {}
    budgets.taken = {}
end

-- A budget, also a deleted one; nil where there was never one.
function budgets.get(name)
    local budget = budgets.known[name]
    if budget == nil then
        local packed = unit.get('budget', name)
        budget = packed and cmsgpack.unpack(packed)
        budgets.known[name] = budget
    end
    return budget or nil
end

-- Calls back for a budget and those above it, also deleted ones, until there is an answer.
function budgets.upwards(name, visit)
    while name do
        local budget = budgets.get(name)
        if not budget then
            return nil
        end
        local answer = visit(budget, name)
        if answer ~= nil then
            return answer
        end
        name = budget[BUDGET_PARENT]
    end
    return nil
end

function budgets.dimension(budget, wanted)
    local dimensions = budget[BUDGET_DIMENSIONS]
    for n = 1, #dimensions do
        if dimensions[n][DIMENSION] == wanted then
            return dimensions[n]
        end
    end
    return nil
end

local function fits(dimension, held, amount)
    local hard = dimension[HARD]
    return not hard or (dimension[USED] < hard and dimension[USED] + held + amount <= hard)
end

-- Whether a budget has room for something, however little.
function budgets.has_room(name)
    local budget = budgets.get(name)
    if not budget or budget[BUDGET_DELETED] or not budget[BUDGET_STOPS] then
        return true
    end
    local dimensions = budget[BUDGET_DIMENSIONS]
    for n = 1, #dimensions do
        if not fits(dimensions[n], dimensions[n][HELD], 0) then
            return false
        end
    end
    return true
end

-- The budget that leaves no room for work that would set so much aside of one: itself, or one above it.
function budgets.obstacle(name, reserve)
    return budgets.upwards(name, function(budget, at)
        if budget[BUDGET_DELETED] or not budget[BUDGET_STOPS] then
            return nil
        end
        local dimensions = budget[BUDGET_DIMENSIONS]
        for n = 1, #dimensions do
            if not fits(dimensions[n], dimensions[n][HELD], reserve[dimensions[n][DIMENSION]] or 0) then
                return at
            end
        end
        return nil
    end)
end

-- The dimensions that leave no room, in a budget and those above it, without what this call has set aside.
function budgets.blocks(name, reserve, words)
    budgets.upwards(name, function(budget, at)
        local dimensions = budget[BUDGET_DIMENSIONS]
        for n = 1, #dimensions do
            local wanted = dimensions[n][DIMENSION]
            local held = dimensions[n][HELD] - (budgets.taken[at .. '\0' .. wanted] or 0)
            if not budget[BUDGET_DELETED] and budget[BUDGET_STOPS] and not fits(dimensions[n], held, reserve[wanted] or 0) then
                words['b' .. wanted] = true
            end
        end
        return nil
    end)
end

-- Sets something aside, or gives it back, in one budget.
function budgets.hold(name, wanted, amount)
    local budget = budgets.get(name)
    local dimension = budgets.dimension(budget, wanted)
    dimension[HELD] = dimension[HELD] + amount
    budgets.changed[name] = true
    if amount < 0 then
        gates.reopen('b' .. name, budget[BUDGET_SHUT] > 0)
    end
end

-- Sets aside what a lease or a grant needs, and notes in a list where, and how much.
function budgets.take(name, reserve, held)
    for wanted, amount in pairs(reserve) do
        if amount > 0 then
            budgets.upwards(name, function(budget, at)
                if budgets.dimension(budget, wanted) then
                    budgets.hold(at, wanted, amount)
                    held[#held + 1] = at
                    held[#held + 1] = wanted
                    held[#held + 1] = amount
                    local slot = at .. '\0' .. wanted
                    budgets.taken[slot] = (budgets.taken[slot] or 0) + amount
                end
                return nil
            end)
        end
    end
end

-- Notes that so many gates more, or fewer, are shut by it.
function budgets.shuts(name, more)
    local budget = budgets.get(name)
    budget[BUDGET_SHUT] = budget[BUDGET_SHUT] + more
    budgets.changed[name] = true
end

-- The budgets that a breach cancels for, and that are breached, among what work draws on.
function budgets.breaches(drawn)
    local found = {}
    for n = 1, #drawn do
        budgets.upwards(drawn[n], function(budget, at)
            if budgets.cancels(budget) then
                found[#found + 1] = at
            end
            return nil
        end)
    end
    return found
end

-- Whether a budget is breached, and cancels for it.
function budgets.cancels(budget)
    if budget[BUDGET_DELETED] or not budget[BUDGET_CANCELS] then
        return false
    end
    local dimensions = budget[BUDGET_DIMENSIONS]
    for n = 1, #dimensions do
        if dimensions[n][HARD] and dimensions[n][USED] >= dimensions[n][HARD] then
            return true
        end
    end
    return false
end

-- Begins at zero again; what is set aside stays so. Reports up to this one are forgotten.
function budgets.reset(name)
    local budget = budgets.get(name)
    local dimensions = budget[BUDGET_DIMENSIONS]
    for n = 1, #dimensions do
        dimensions[n][USED] = 0
    end
    budget[COUNTS_AFTER] = unit.last_number('reports')
    budgets.reopen(name)
end

-- A budget has changed, and may have room.
function budgets.reopen(name)
    budgets.changed[name] = true
    gates.reopen('b' .. name, budgets.get(name)[BUDGET_SHUT] > 0)
end

function budgets.finish()
    for name in pairs(budgets.changed) do
        unit.set('budget', name, cmsgpack.pack(budgets.known[name]))
    end
end
