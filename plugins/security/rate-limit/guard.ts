import { AdapterError, InvalidConfig, StoreError } from "../../../src/errors.ts";
import type {
  AuthContext,
  FlowContext,
  Kernel,
  RegisteredRoute,
  Route,
} from "../../../src/kernel.ts";
import { announce } from "./announce.ts";
import { CredentialsLocked, TooManyAttempts } from "./errors.ts";
import type { Counter, Limiter, Lock } from "./limiter.ts";
import type { NamedRule } from "./rules.ts";
import type { OpenSubjects } from "./subject.ts";
import type { RateLimitCount } from "./types.ts";

/** How an attempt ended. `outage`: the adapter or the store failed, so nothing was decided. */
type Outcome = "success" | "failure" | "outage";

/** What happens to a counted attempt, by its outcome. Without an entry, the attempt stays counted. */
const SETTLE: Readonly<Record<RateLimitCount, Partial<Record<Outcome, "refund" | "reset">>>> = {
  all: {},
  failures: { success: "refund", outage: "refund" },
  "consecutive-failures": { success: "reset", outage: "refund" },
  successes: { failure: "refund", outage: "refund" },
};

/** What the rules of a kernel share. */
export interface GuardTools {
  limiter: Limiter;
  openSubjects: OpenSubjects;
}

/** A rule that applies to a request, with the counter of its subject. */
interface Applied {
  rule: NamedRule;
  subject: readonly string[];
  counter: Counter;
}

async function apply(
  ctx: AuthContext,
  rules: readonly NamedRule[],
  { limiter, openSubjects }: GuardTools,
): Promise<Applied[]> {
  const findSubject = openSubjects(ctx);
  const applied: Applied[] = [];
  for (const rule of rules) {
    const subject = await findSubject(rule);
    if (subject) applied.push({ rule, subject, counter: limiter(rule, rule.name, ...subject) });
  }
  return applied;
}

/** Counts an attempt for all rules. Resolves to the lock of the rule that refuses it. */
async function admit(ctx: AuthContext, applied: readonly Applied[]): Promise<Lock | undefined> {
  const locks = await Promise.all(applied.map(({ counter }) => counter.lock()));
  const [longest] = locks
    .filter((lock) => lock !== undefined)
    .sort((one, other) => other.until - one.until);
  if (longest) return longest;
  // Sequentially: an attempt that a rule refuses must not count for later rules.
  for (const [at, { rule, subject, counter }] of applied.entries()) {
    const lock = await counter.add();
    if (!lock) continue;
    await Promise.all(applied.slice(0, at).map((before) => before.counter.refund()));
    if (lock.isNew) await announce(ctx, rule, { subject, lock });
    return lock;
  }
  return undefined;
}

async function refuse(ctx: AuthContext, lock: Lock): Promise<Response> {
  const { provider, action, kernel } = ctx;
  if (provider) {
    const flow = kernel.flow(provider.type);
    if (flow.limited && action === "signin") return flow.limited(ctx as FlowContext);
    // A failed sign-in stores its target, and this response must not differ from it.
    await ctx.callbackUrl();
  }
  const retryAfter = Math.max(1, Math.ceil((lock.until - Date.now()) / 1000));
  const Refused = provider?.type === "credentials" ? CredentialsLocked : TooManyAttempts;
  throw new Refused(`A rate limit refuses attempts for ${retryAfter} s.`, retryAfter);
}

async function settle(applied: readonly Applied[], outcome: Outcome): Promise<void> {
  await Promise.all(
    applied.map(({ rule, counter }) => {
      const action = SETTLE[rule.counts][outcome];
      return action && counter[action]();
    }),
  );
}

function toOutcome(error: unknown): Outcome {
  return error instanceof AdapterError || error instanceof StoreError ? "outage" : "failure";
}

function guard(route: RegisteredRoute, rules: readonly NamedRule[], tools: GuardTools): Route {
  const handler = async (ctx: AuthContext): Promise<Response> => {
    const applied = await apply(ctx, rules, tools);
    const lock = await admit(ctx, applied);
    if (lock) return refuse(ctx, lock);
    let response: Response;
    try {
      response = await route.handler(ctx);
    } catch (error) {
      await settle(applied, toOutcome(error));
      throw error;
    }
    // The kernel reports a handler that returned no Response.
    const isSuccess = response instanceof Response && response.status < 400;
    await settle(applied, isSuccess ? "success" : "failure");
    return response;
  };
  return { ...route, replaces: true, handler };
}

// Returns whether a configured provider matches the rule.
function isInUse({ providers }: Kernel, { type, provider }: NamedRule): boolean {
  if (type === undefined && provider === undefined) return true;
  return [...providers.values()].some(
    (one) => (type ?? one.type) === one.type && (provider ?? one.id) === one.id,
  );
}

/**
 * Puts each rule in front of the handler of its route, so that requests to other routes cost nothing. Returns the rules
 * in use.
 * @throws InvalidConfig when a rule names a route that no plugin registers.
 */
export function guardRoutes(
  kernel: Kernel,
  rules: readonly NamedRule[],
  tools: GuardTools,
): readonly NamedRule[] {
  const used = rules.filter((rule) => isInUse(kernel, rule));
  for (const name of new Set(used.map(({ route }) => route))) {
    const group = used.filter((rule) => rule.route === name);
    const [method = "", path = ""] = name.split(" ");
    const route = kernel.route(method, path);
    if (!route) {
      throw new InvalidConfig(
        `The rule "${group[0]?.name}" of rateLimit names the route ${name}, which no plugin registers. Copy ` +
          "it from `auth.inspect().routes`, or drop the rule with `false`.",
      );
    }
    kernel.addRoute(guard(route, group, tools));
  }
  return used;
}
