import { InvalidConfig } from "../../../src/errors.ts";

/** A rate limit: at most `max` attempts in `window` seconds; the next one locks for `window` seconds. */
export interface Limit {
  /** A whole number, at least 1. */
  max: number;
  /** A whole number of seconds, at least 1, at most 2592000 (30 days). */
  window: number;
}

/**
 * What a rule counts together. `account`: the account that the posted fields name, at the provider; without a
 * provider in the path, the user who is signed in. `client`: the client's address (`ctx.ip`), of IPv6 the
 * network (/64). `account+client`: both. `route`: all requests. A rule does not apply to a request in which
 * what it counts by is not known.
 */
export type RateLimitSubject = "account" | "client" | "account+client" | "route";

/**
 * What a rule counts. `all`: every attempt. `failures`: those that end with an error. `consecutive-failures`:
 * those since the last success. `successes`: those that end without an error. Every attempt is counted when it
 * begins, and taken back when it ends otherwise: concurrent ones cannot exceed the limit.
 */
export type RateLimitCount = "all" | "failures" | "consecutive-failures" | "successes";

/** A rule: a limit for the requests of one route. */
export interface RateLimitRule extends Limit {
  /** Method and path of the route, as its plugin registered it: `POST /callback/:provider`. */
  route: string;
  /** Only for providers of this type. */
  type?: string;
  /** Only for the provider of this id. */
  provider?: string;
  by: RateLimitSubject;
  /** Default `all`. */
  counts?: RateLimitCount;
}

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /**
   * Rules by name. Those of the name of a default change it, `false` drops it; others are added, and need
   * `route`, `by`, `max` and `window`.
   */
  rules?: Readonly<Record<string, Partial<RateLimitRule> | false>>;
  /**
   * Returns the account that the posted fields of a provider name, where its first text field alone does not,
   * such as a name within an organisation; `undefined` leaves it to the provider's type. Spell it as
   * `authorize` compares it. Upper and lower case are the same.
   */
  identify?(fields: Record<string, unknown>, provider: string): string | undefined;
}

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
const EMAIL = { route: "POST /signin/:provider", type: "email", window: 900 } as const;

/**
 * The rules of the standard preset. The first of a route are the narrowest: an attempt that they refuse does
 * not count for the others, so that one client alone cannot lock an account for all.
 */
export const DEFAULT_RULES: Readonly<Record<string, RateLimitRule>> = {
  credentials: { ...CREDENTIALS, by: "account+client", max: 5, counts: "consecutive-failures" },
  "credentials-account": { ...CREDENTIALS, by: "account", max: 20 },
  "credentials-client": { ...CREDENTIALS, by: "client", max: 50 },
  "email-account": { ...EMAIL, by: "account", max: 10, counts: "successes" },
  "email-client": { ...EMAIL, by: "client", max: 100 },
};

const SUBJECTS: readonly unknown[] = ["account", "client", "account+client", "route"];
const COUNTS: readonly unknown[] = ["all", "failures", "consecutive-failures", "successes"];
const FIELDS = ["route", "type", "provider", "by", "counts", "max", "window"];
const MAX_COUNT = 1_000_000;
const MAX_WINDOW_S = 30 * 86_400;

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}

function listFaults({ name, ...rule }: Partial<NamedRule>): string[] {
  const { route = "", by, counts, max, window } = rule;
  const unknown = Object.keys(rule).find((field) => !FIELDS.includes(field));
  const faults = {
    [`has the unknown field \`${unknown}\`; use ${FIELDS.join(", ")}`]: unknown !== undefined,
    "needs a `route`: method and path, such as `POST /callback/:provider`":
      !/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(route),
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
  for (const [name, rule] of Object.entries({ ...DEFAULT_RULES, ...rules })) {
    if (rule !== false) resolved.push(complete(name, rule));
    else if (!Object.hasOwn(DEFAULT_RULES, name)) {
      const names = Object.keys(DEFAULT_RULES).join(", ");
      faults.push(`rateLimit has no default rule "${name}" to drop; the defaults are ${names}.`);
    }
  }
  faults.push(...resolved.flatMap(listFaults));
  if (identify !== undefined && typeof identify !== "function") {
    faults.push("`identify` of rateLimit is not a function. Return the account of the fields.");
  }
  if (faults.length) throw new AggregateError(faults.map((fault) => new InvalidConfig(fault)));
  return resolved as NamedRule[];
}
