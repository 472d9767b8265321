-- Namespaces, where the default one lies: which are in use, and which of them are spread over several partitions.

local function spread_namespaces()
    local packed = unit.get('global', 'spreads')
    return packed and cmsgpack.unpack(packed) or {}
end

local function is_used(name)
    local member = 'n' .. name
    return bytes.range('listing', member, nil, 1)[1] == member
end

-- use_namespace: notes that a namespace is in use.
-- asked: its name, and over how many partitions it is to be spread if it was never used
-- answers: over how many it is
register('use_namespace', {'allow-oom'}, function(asked)
    local name, wanted = unpack(asked)
    local spreads = spread_namespaces()
    for n = 1, #spreads do
        if spreads[n][1] == name then
            return spreads[n][2]
        end
    end
    if is_used(name) then
        return 1
    end
    unit.add('listing', 0, 'n' .. name)
    if wanted > 1 then
        spreads[#spreads + 1] = {name, wanted}
        unit.set('global', 'spreads', cmsgpack.pack(spreads))
    end
    return wanted
end)

-- spreads: whether a namespace is in use, and all those that are spread over several partitions.
-- asked: its name
-- answers: whether it is; and of each that is spread its name, and over how many
register_reading('spreads', function(asked)
    return {is_used(asked), spread_namespaces()}
end)
