const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;

function adapt(delta: number, points: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / points);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; bias += BASE)
    rest = Math.floor(rest / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

// `a` to `z` are 0 to 25, `0` to `9` are 26 to 35.
function toDigit(character: string | undefined): number {
  const digit = parseInt(character ?? "", BASE);
  return digit < 10 ? digit + 26 : digit - 10;
}

/**
 * Decodes a lower-case punycode text without the prefix `xn--` (RFC 3492 section 6.2); returns `undefined` if it is
 * malformed.
 */
export function decodePunycode(text: string): string | undefined {
  const end = text.lastIndexOf("-");
  const points = Array.from(text.slice(0, Math.max(end, 0)), (one) => one.charCodeAt(0));
  let point = INITIAL_CODE_POINT;
  let bias = INITIAL_BIAS;
  let at = 0;
  for (let next = end + 1; next < text.length; at++) {
    const before = at;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = toDigit(text[next++]);
      at += digit * weight;
      if (!Number.isSafeInteger(at)) return undefined;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const count = points.length + 1;
    bias = adapt(at - before, count, before === 0);
    point += Math.floor(at / count);
    at %= count;
    if (point > 0x10_ff_ff) return undefined;
    points.splice(at, 0, point);
  }
  return String.fromCodePoint(...points);
}
