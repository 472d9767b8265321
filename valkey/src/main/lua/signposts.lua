-- Signposts. A session is looked for by its id alone, and so is work whose id names another partition than that of its
-- namespace: the partition that the id leads to says where it lies. A signpost that leads to nothing does no harm.

-- kind: a letter, s for sessions, x for executions, and t for the ids of sessions that are forgotten and stay dead
function signposts.field(kind, id)
    return '\0' .. kind .. id
end

-- For so long a signpost stands, or a tombstone; then it is looked whether anything is there.
local STANDS = 30 * 86400000

-- In the order of time. No namespace begins like this.
local function member(kind, id, at)
    return '\1' .. bytes.six(at) .. kind .. id
end

-- Where a signpost leads to, and until when it stands; nil when there is none.
function signposts.read(kind, id)
    local value = unit.get('unique', signposts.field(kind, id))
    if not value then
        return nil
    end
    local home, at = string.match(value, '^(%d*) (%d+)$')
    return tonumber(home), tonumber(at)
end

-- Puts a signpost up, or leaves it for longer, also within a millisecond: whoever saw it before takes nothing of it down.
-- home: the partition that it leads to; nil for a tombstone
function signposts.put(kind, id, home)
    local _, before = signposts.read(kind, id)
    local at = math.max(unit.now + STANDS, before and before + 1 or 0)
    if before then
        unit.drop('worker', member(kind, id, before))
    end
    unit.set('unique', signposts.field(kind, id), (home or '') .. ' ' .. string.format('%.0f', at))
    unit.add('worker', 0, member(kind, id, at))
end

function signposts.remove(kind, id)
    local _, at = signposts.read(kind, id)
    if at then
        unit.drop('worker', member(kind, id, at))
        unit.remove('unique', signposts.field(kind, id))
    end
end

-- Those whose time is over, no more than so many, each: kind, id, where it leads to, until when it stood.
function signposts.old(most)
    local found = redis.call('ZRANGEBYLEX', key.worker, '[\1', '(\1' .. bytes.six(unit.now), 'LIMIT', 0, most)
    for n = 1, #found do
        local kind, id = string.sub(found[n], 8, 8), string.sub(found[n], 9)
        local home, at = signposts.read(kind, id)
        found[n] = {kind, id, home or false, at or 0}
    end
    return found
end

-- Where work with an id of this partition lies, if that is elsewhere.
function signposts.elsewhere(id)
    if signposts.any == nil then
        -- Where there are none, nothing is looked for.
        signposts.any = unit.get('meta', 'signposts') and true or false
    end
    return signposts.any and signposts.read('x', id) or nil
end

-- Whether ids of this partition lead into a spread namespace of which a caller has not heard.
function signposts.is_unheard(heard)
    return not heard and unit.get('meta', 'spread') and true or false
end

function signposts.begin()
    signposts.any = nil
end
