/**
 * Lua script for all write operations. Redis runs a script atomically.
 *
 * KEYS: the record, and the index of its group. ARGV: operation, now, the record's name in the index (empty if it is in
 * none), expiry, value, and the operand (the expected value of `compareAndSet`, the summand of `increment`).
 *
 * Records are packed texts (`expires|value`) whose expiry is compared with the caller's clock. The TTL in Redis, which
 * uses the server's clock, only frees memory. The index is a sorted set by expiry, so that a group is listed without a
 * scan of the whole database. It is trimmed ten minutes late, because the callers' clocks may differ.
 */
export const SCRIPT = `
local op, now, member, expires, value, other = unpack(ARGV)
local MARGIN = 600000

local function live()
  local text = redis.call('GET', KEYS[1])
  if not text then return nil end
  local at = string.find(text, '|', 1, true)
  local e = string.sub(text, 1, at - 1)
  if e ~= '' and tonumber(e) <= tonumber(now) then return nil end
  return string.sub(text, at + 1), e
end

local function ttl(e, margin)
  return string.format('%.0f', math.max(1, tonumber(e) - tonumber(now) + margin))
end

local function trim()
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', tonumber(now) - MARGIN))
  local top = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  if not top then return end
  if top == 'inf' then redis.call('PERSIST', KEYS[2])
  else redis.call('PEXPIRE', KEYS[2], ttl(top, MARGIN)) end
end

local function set(v, e)
  if e == '' then redis.call('SET', KEYS[1], e .. '|' .. v)
  else redis.call('SET', KEYS[1], e .. '|' .. v, 'PX', ttl(e, 0)) end
  if member ~= '' then
    redis.call('ZADD', KEYS[2], e == '' and '+inf' or e, member)
    trim()
  end
end

local function remove()
  redis.call('DEL', KEYS[1])
  if member ~= '' then redis.call('ZREM', KEYS[2], member) end
end

if op == 'put' then
  set(value, expires)
  return 1
end

local found, e = live()
if op == 'putIfAbsent' then
  if found then return 0 end
  set(value, expires)
  return 1
elseif op == 'take' then
  remove()
  return found and (e .. '|' .. found)
elseif op == 'compareAndSet' then
  if found ~= other then return 0 end
  set(value, expires)
  return 1
elseif op == 'increment' then
  if found and not string.match(found, '^%-?%d+$') then
    return redis.error_reply('ERR record is not a counter')
  end
  local sum = string.format('%.0f', tonumber(found or '0') + tonumber(other))
  if found then set(sum, e) else set(sum, expires) end
  return tonumber(sum)
else
  remove()
  return found and 1 or 0
end
`;
