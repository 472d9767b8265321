-- sign: puts up signposts.
-- asked, each: the letter of its kind, id, the partition that it is to lead to, and the one that it may lead to so far or false
-- answers, each: false when it is up; or the partition that it leads to instead, or that has the work itself
register('sign', {'allow-oom'}, function(asked)
    local answers = {}
    for n = 1, #asked do
        local kind, id, home, instead = unpack(asked[n])
        local field = signposts.field(kind, id)
        local before = unit.get('unique', field)
        if kind == 'x' and unit.get('execution', id) then
            answers[n] = 'here'
        elseif before and tonumber(before) ~= home and tonumber(before) ~= instead then
            answers[n] = tonumber(before)
        else
            if not before and kind == 'x' then
                unit.set('meta', 'signposts', tostring(tonumber(unit.get('meta', 'signposts') or '0') + 1))
            end
            unit.set('unique', field, tostring(home))
            answers[n] = false
        end
    end
    return answers
end)

-- unsign: takes down the signposts of executions that are forgotten.
-- asked, each: id, and the partition that it led to
register('unsign', {'allow-oom'}, function(asked)
    local gone = 0
    for n = 1, #asked do
        local field = signposts.field('x', asked[n][1])
        if unit.get('unique', field) == tostring(asked[n][2]) then
            unit.remove('unique', field)
            gone = gone + 1
        end
    end
    local left = tonumber(unit.get('meta', 'signposts') or '0') - gone
    unit.set('meta', 'signposts', left > 0 and tostring(left))
    return gone
end)
