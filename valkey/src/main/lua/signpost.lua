-- sign: puts up signposts.
-- asked: whether it is known where ids of this partition lead to; and for each the letter of its kind, id, the partition that it
--     is to lead to, and the one that it may lead to so far or false
-- answers 'unheard' when ids of this partition lead into a spread namespace and the caller does not know it; or for each: false
--     when it is up; or the partition that it leads to instead, or that has the work itself
register('sign', {'allow-oom'}, function(asked)
    local heard, signs = unpack(asked)
    local answers = {}
    if #signs > 0 and signs[1][1] == 'x' and signposts.is_unheard(heard) then
        return 'unheard'
    end
    for n = 1, #signs do
        local kind, id, home, instead = unpack(signs[n])
        local before = signposts.read(kind, id)
        if kind == 'x' and unit.get('execution', id) then
            answers[n] = 'here'
        elseif before and before ~= home and before ~= instead then
            answers[n] = before
        else
            if not before and kind == 'x' then
                -- Events about it are told elsewhere, for as long as anything is.
                unit.set('meta', 'strayed', '1')
                unit.set('meta', 'signposts', tostring(tonumber(unit.get('meta', 'signposts') or '0') + 1))
            end
            signposts.put(kind, id, home)
            answers[n] = false
        end
    end
    return answers
end)

-- ids_lead_away: notes that ids of this partition lead into a namespace that is spread over several, before the first of them is
-- used there.
-- answers: whether ids of this partition may have been used before that was noted
register('ids_lead_away', {'allow-oom'}, function()
    local noted = unit.get('meta', 'spread')
    if not noted then
        local used = unit.last_number('submissions') > 0 or unit.get('meta', 'strayed')
        noted = used and 'used' or 'unused'
        unit.set('meta', 'spread', noted)
    end
    return noted == 'used'
end)

local function count_down(gone)
    local left = tonumber(unit.get('meta', 'signposts') or '0') - gone
    unit.set('meta', 'signposts', left > 0 and tostring(left))
end

-- unsign: takes down the signposts of executions that are forgotten.
-- asked, each: id, the partition that it led to, and until when it stood
register('unsign', {'allow-oom'}, function(asked)
    local gone = 0
    for n = 1, #asked do
        local home, at = signposts.read('x', asked[n][1])
        -- One that was put up again meanwhile stands for longer.
        if home == asked[n][2] and at == asked[n][3] then
            signposts.remove('x', asked[n][1])
            gone = gone + 1
        end
    end
    count_down(gone)
    return gone
end)

-- shut_out: takes no more work here that was made findable elsewhere before this call (see submit.lua), and says which is here.
-- asked: ids
-- answers, each: whether it is here
register('shut_out', {'allow-oom'}, function(asked)
    local answers = {}
    unit.next_number('removals')
    for n = 1, #asked do
        answers[n] = unit.get('execution', asked[n]) and true or false
    end
    return answers
end)

-- old_signposts: those whose time is over.
-- asked: how many at most
-- answers, each: the letter of its kind, id, the partition that it leads to or false, and until when it stood
register_reading('old_signposts', function(asked)
    return signposts.old(asked[1])
end)

-- renew_signposts: leaves signposts for longer, or takes them down.
-- asked, each: the letter of its kind, id, until when it stood, and whether something is there
-- answers: how many were taken down
register('renew_signposts', {'allow-oom'}, function(asked)
    local gone, strays = 0, 0
    for n = 1, #asked do
        local kind, id, stood, found = unpack(asked[n])
        local home, at = signposts.read(kind, id)
        -- One that was put up again meanwhile stands for another time.
        if at == stood and found then
            signposts.put(kind, id, home)
        elseif at == stood then
            signposts.remove(kind, id)
            gone = gone + 1
            strays = strays + (kind == 'x' and 1 or 0)
        end
    end
    count_down(strays)
    return gone
end)
