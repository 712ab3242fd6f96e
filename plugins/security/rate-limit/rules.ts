import { findSimilar } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { RateLimitCount, RateLimitOptions, RateLimitRule } from "./types.ts";

/** A rule with its name and every default applied. */
export interface NamedRule extends RateLimitRule {
  readonly name: string;
  readonly counts: RateLimitCount;
}

const CREDENTIALS = {
  route: "POST /callback/:provider",
  type: "credentials",
  window: 900,
  counts: "failures",
} as const;
const PASSKEY = {
  route: "GET /webauthn-options/:provider",
  type: "webauthn",
  query: { action: "register" },
  window: 900,
} as const;
// Each attempt makes this server send requests to a server that the visitor names.
const ATPROTO = { route: "POST /signin/:provider", type: "atproto", window: 900 } as const;
const EMAIL = { route: "POST /signin/:provider", type: "email", window: 900 } as const;

/**
 * The rules of the standard preset. The first of a route are the narrowest: an attempt that they refuse does
 * not count for the others, so that one client alone cannot lock an account for all.
 */
const DEFAULT_RULES: Readonly<Record<string, RateLimitRule>> = {
  credentials: { ...CREDENTIALS, by: "account+client", max: 5, counts: "consecutive-failures" },
  "credentials-account": { ...CREDENTIALS, by: "account", max: 20 },
  "credentials-client": { ...CREDENTIALS, by: "client", max: 50 },
  "atproto-client": { ...ATPROTO, by: "client", max: 50 },
  "email-account": { ...EMAIL, by: "account", max: 10, counts: "successes" },
  "email-client": { ...EMAIL, by: "client", max: 100 },
  "passkey-account": { ...PASSKEY, by: "account", max: 10 },
  "passkey-client": { ...PASSKEY, by: "client", max: 100 },
};

const SUBJECTS: readonly unknown[] = ["account", "client", "account+client", "route"];
const COUNTS: readonly unknown[] = ["all", "failures", "consecutive-failures", "successes"];
const FIELDS = ["route", "type", "provider", "query", "by", "counts", "max", "window"];
const MAX_COUNT = 1_000_000;
const MAX_WINDOW_S = 30 * 86_400;

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function isQuery(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((text) => typeof text === "string");
}

function listFaults({ name, ...rule }: Partial<NamedRule>): string[] {
  const { route = "", by, counts, max, window, query = {} } = rule;
  const unknown = Object.keys(rule).find((field) => !FIELDS.includes(field));
  const faults = {
    [`has the unknown field \`${unknown}\`; use ${FIELDS.join(", ")}`]: unknown !== undefined,
    "needs a `route`: method and path, such as `POST /callback/:provider`":
      !/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(route),
    "has a `query` whose values are not all texts; write it as `{ name: value }`": !isQuery(query),
    [`needs \`by\`: one of ${SUBJECTS.join(", ")}`]: !SUBJECTS.includes(by),
    [`has an unknown \`counts\`; use one of ${COUNTS.join(", ")}`]: !COUNTS.includes(counts),
    [`needs \`max\`: a whole number from 1 to ${MAX_COUNT}`]: !isWhole(max, MAX_COUNT),
    [`needs \`window\`: whole seconds from 1 to ${MAX_WINDOW_S}`]: !isWhole(window, MAX_WINDOW_S),
  };
  return Object.entries(faults).flatMap(([fault, isFault]) =>
    isFault ? [`The rule "${name}" of rateLimit ${fault}.`] : [],
  );
}

function complete(name: string, given: Partial<RateLimitRule>): Partial<NamedRule> {
  const isSet = ([, value]: [string, unknown]) => value !== undefined;
  const own = Object.fromEntries(Object.entries(given).filter(isSet));
  return { counts: "all", ...DEFAULT_RULES[name], ...own, name };
}

/**
 * Returns the defaults with the application's rules applied, in order.
 * @throws AggregateError of InvalidConfig with every fault.
 */
export function resolveRules({ rules = {}, identify }: RateLimitOptions): readonly NamedRule[] {
  const faults: string[] = [];
  const resolved: Partial<NamedRule>[] = [];
  const names = Object.keys(DEFAULT_RULES);
  for (const [name, rule] of Object.entries({ ...DEFAULT_RULES, ...rules })) {
    const similar = names.includes(name) ? undefined : findSimilar(name, names);
    // Only what is meant to change a default leaves its route out.
    if (similar !== undefined && !(rule && rule.route)) {
      faults.push(`rateLimit has no default rule "${name}". Did you mean "${similar}"?`);
    } else if (rule !== false) resolved.push(complete(name, rule));
    else if (!names.includes(name)) {
      faults.push(
        `rateLimit has no default rule "${name}" to drop; the defaults are ${names.join(", ")}.`,
      );
    }
  }
  faults.push(...resolved.flatMap(listFaults));
  if (identify !== undefined && typeof identify !== "function") {
    faults.push("`identify` of rateLimit is not a function. Return the account of the fields.");
  }
  if (faults.length) throw new AggregateError(faults.map((fault) => new InvalidConfig(fault)));
  return resolved as NamedRule[];
}
