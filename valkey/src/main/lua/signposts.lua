-- Signposts. A session is looked for by its id alone, and so is work whose id names another partition than that of its
-- namespace: the partition that the id leads to says where it lies. A signpost that leads to nothing does no harm.

-- kind: a letter, s for sessions and x for executions
function signposts.field(kind, id)
    return '\0' .. kind .. id
end

-- Where work with an id of this partition lies, if that is elsewhere.
function signposts.elsewhere(id)
    if signposts.any == nil then
        -- Where there are none, nothing is looked for.
        signposts.any = unit.get('meta', 'signposts') and true or false
    end
    local home = signposts.any and unit.get('unique', signposts.field('x', id))
    return home and tonumber(home)
end

function signposts.begin()
    signposts.any = nil
end
