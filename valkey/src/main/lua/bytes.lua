-- Numbers as bytes that sort as the numbers do.

function bytes.two(number)
    return struct.pack('>I2', number)
end

function bytes.four(number)
    return struct.pack('>I4', number)
end

-- Up to 2^48: times in milliseconds, and numbers that are given out one by one.
function bytes.six(number)
    return struct.pack('>I6', number)
end

-- Up to 2^53.
function bytes.eight(number)
    return struct.pack('>I8', number)
end

function bytes.read_eight(text, at)
    return (struct.unpack('>I8', text, at))
end

function bytes.read_two(text, at)
    return (struct.unpack('>I2', text, at))
end

function bytes.read_four(text, at)
    return (struct.unpack('>I4', text, at))
end

function bytes.read_six(text, at)
    return (struct.unpack('>I6', text, at))
end

-- Whether one text sorts before another of the same length, as bytes: the comparison of the language depends on where the
-- server was started.
function bytes.before(one, other)
    for at = 1, #one do
        local a, b = string.byte(one, at), string.byte(other, at)
        if a ~= b then
            return a < b
        end
    end
    return false
end

-- The members of a sorted set that begin with some bytes, from one on, no more than so many.
function bytes.range(name, prefix, after, most)
    local from = after and '(' .. after or '[' .. prefix
    return redis.call('ZRANGEBYLEX', key[name], from, '(' .. bytes.beyond(prefix), 'LIMIT', 0, most)
end

-- What sorts just behind everything that begins with some bytes, of which the last is not the highest there is.
function bytes.beyond(prefix)
    local last = #prefix
    while string.byte(prefix, last) == 255 do
        last = last - 1
    end
    return string.sub(prefix, 1, last - 1) .. string.char(string.byte(prefix, last) + 1)
end

-- A packed list; nil when there is none, false when it cannot be read. One that is damaged must not keep a call from what it does
-- for others.
function bytes.list(packed)
    if not packed then
        return nil
    end
    local fine, list = pcall(cmsgpack.unpack, packed)
    return fine and type(list) == 'table' and list
end
