import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { Env } from "../types/options.ts";

const MAX_PROXIES = 32;
const HEADER_NAME = /^[a-z0-9-]+$/;
/** Headers to which clients can add their own addresses, in front of those of the proxies. */
const LISTS = new Set(["x-forwarded-for", "forwarded"]);
/** Texts that mean yes or no in other variables. */
const BOOLEANS = /^(?:true|false|yes|no|on|off)$/;

const FIX =
  "Set it to the number of proxies in front of this server (0 to 32), or to the name of a header that the platform " +
  'sets to one address, such as "cf-connecting-ip".';

function findFault(value: unknown): string | undefined {
  if (typeof value === "number") {
    const isCount = Number.isInteger(value) && value >= 0 && value <= MAX_PROXIES;
    return isCount ? undefined : "is not a number of proxies.";
  }
  if (typeof value !== "string" || !HEADER_NAME.test(value) || BOOLEANS.test(value)) {
    return "is neither a number of proxies nor the name of a header.";
  }
  if (LISTS.has(value))
    return `names "${value}", a list to which clients can add. Count your proxies.`;
  return undefined;
}

/**
 * Returns how far headers are trusted for the client's address: `trustProxy` of the configuration, else
 * `AUTH_TRUST_PROXY`, else 0. An invalid value is reported.
 */
export function resolveTrustProxy(
  given: number | string | undefined,
  env: Env,
  report: Report,
): number | string {
  const fromEnv = env.AUTH_TRUST_PROXY?.trim() || undefined;
  const name = given === undefined ? "AUTH_TRUST_PROXY" : "`trustProxy`";
  const text = given ?? fromEnv ?? 0;
  const value =
    typeof text === "string" ? (/^\d+$/.test(text) ? Number(text) : text.toLowerCase()) : text;
  const fault = findFault(value);
  if (fault === undefined) return value;
  report(new InvalidConfig(`${name} ${fault} ${FIX}`));
  return 0;
}
