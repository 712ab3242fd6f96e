import { findSimilar } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { Flow } from "../../../src/kernel.ts";
import type { RateLimitCount, RateLimitOptions, RateLimitRule } from "./types.ts";

/** A rule with its name and every default applied. */
export interface NamedRule extends RateLimitRule {
  readonly name: string;
  readonly counts: RateLimitCount;
}

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
    "has a `query` whose values are not all strings; write it as `{ name: value }`":
      !isQuery(query),
    [`needs \`by\`: one of ${SUBJECTS.join(", ")}`]: !SUBJECTS.includes(by),
    [`has an unknown \`counts\`; use one of ${COUNTS.join(", ")}`]: !COUNTS.includes(counts),
    [`needs \`max\`: a whole number from 1 to ${MAX_COUNT}`]: !isWhole(max, MAX_COUNT),
    [`needs \`window\`: whole seconds from 1 to ${MAX_WINDOW_S}`]: !isWhole(window, MAX_WINDOW_S),
  };
  return Object.entries(faults).flatMap(([fault, isFault]) =>
    isFault ? [`The rule "${name}" of rateLimit ${fault}.`] : [],
  );
}

type Rules = Readonly<Record<string, RateLimitRule>>;

// The limits that provider types define, as rules for their providers.
function listDefaults(flows: ReadonlyMap<string, Flow>): Rules {
  const rules: Record<string, RateLimitRule> = {};
  for (const [type, { limits = {} }] of flows) {
    for (const [name, limit] of Object.entries(limits)) {
      const other = rules[name]?.type;
      if (other !== undefined) {
        throw new InvalidConfig(
          `The flows "${other}" and "${type}" both have a limit "${name}". Rename one: "${type}-${name}".`,
        );
      }
      rules[name] = { ...limit, type };
    }
  }
  return rules;
}

function complete(
  name: string,
  given: Partial<RateLimitRule>,
  defaults: Rules,
): Partial<NamedRule> {
  const isSet = ([, value]: [string, unknown]) => value !== undefined;
  const own = Object.fromEntries(Object.entries(given).filter(isSet));
  return { counts: "all", ...defaults[name], ...own, name };
}

/**
 * Returns the limits of the flows with the application's rules applied, in order.
 * @throws AggregateError of InvalidConfig with every fault.
 */
export function resolveRules(
  { rules = {}, identify }: RateLimitOptions,
  flows: ReadonlyMap<string, Flow>,
): readonly NamedRule[] {
  const defaults = listDefaults(flows);
  const faults: string[] = [];
  const resolved: Partial<NamedRule>[] = [];
  const names = Object.keys(defaults);
  for (const [name, rule] of Object.entries({ ...defaults, ...rules })) {
    const similar = names.includes(name) ? undefined : findSimilar(name, names);
    // Only a rule that changes a default omits its route.
    if (similar !== undefined && !(rule && rule.route)) {
      faults.push(`rateLimit has no default rule "${name}". Did you mean "${similar}"?`);
    } else if (rule !== false) resolved.push(complete(name, rule, defaults));
    else if (!names.includes(name)) {
      faults.push(
        `rateLimit has no default rule "${name}" to drop; the defaults are ${names.join(", ")}.`,
      );
    }
  }
  faults.push(...resolved.flatMap(listFaults));
  if (identify !== undefined && typeof identify !== "function") {
    faults.push(
      "`identify` of rateLimit is not a function. Pass one that returns the account that the fields name.",
    );
  }
  if (faults.length) throw new AggregateError(faults.map((fault) => new InvalidConfig(fault)));
  return resolved as NamedRule[];
}
