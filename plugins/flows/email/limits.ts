import { createCache } from "../../../src/_kit.ts";
import { PluginError } from "../../../src/errors.ts";
import type { Kernel, Store } from "../../../src/kernel.ts";
import type { EmailLimits, Limit } from "./provider.ts";
import type { EmailContext } from "./types.ts";

type Kind = "address" | "network" | "attempts";

/** The rate limits of e-mail providers. */
export interface Limits {
  /**
   * Counts one more of a kind for a subject (an address or a network); `false` when the limit is
   * exceeded.
   */
  admit(ctx: EmailContext, kind: Kind, subject: string | undefined): Promise<boolean>;
  /** Takes back one count, such as of an e-mail that was not sent. */
  forgive(ctx: EmailContext, kind: Kind, subject: string | undefined): Promise<void>;
}

const DEFAULTS: Readonly<Record<Kind, Limit>> = {
  address: { max: 10, window: 900 },
  network: { max: 100, window: 900 },
  attempts: { max: 10, window: 900 },
};
/** Counters of one process without a store. */
const MAX_IN_PROCESS = 20_000;

// A stored token does not name its provider: a token of one can be tried at every other one.
function isGuessable({ kernel }: EmailContext): boolean {
  return [...kernel.providers.values()].some(
    (provider) => provider.type === "email" && "generateVerificationToken" in provider,
  );
}

function getLimit(ctx: EmailContext, kind: Kind): Limit | false {
  const given = ctx.provider.limits?.[kind];
  if (given !== undefined) return given;
  return kind !== "attempts" || isGuessable(ctx) ? DEFAULTS[kind] : false;
}

// A client can have a whole IPv6 network: counting single addresses would limit no one. The first
// half is counted.
function getNetwork(request: Request): string | undefined {
  const first = request.headers.get("x-forwarded-for")?.split(",", 1)[0]?.trim().toLowerCase();
  const address = first?.replace(/^\[(.*)\](?::\d+)?$/, "$1") ?? "";
  if (/^[\d.]{7,15}(?::\d+)?$/.test(address)) return address.replace(/:\d+$/, "");
  if (!/^[\da-f:.]{2,45}$/.test(address)) return undefined;
  const mapped = /^::ffff:([\d.]{7,15})$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::", 2);
  const groups = head.split(":").filter(Boolean);
  const rest = tail?.split(":").filter(Boolean) ?? [];
  while (tail !== undefined && groups.length + rest.length < 8) groups.push("0");
  const half = [...groups, ...rest].slice(0, 4);
  return half.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}

/** Returns the network that a request comes from, if it is known. */
export function networkOfRequest({ provider, request }: EmailContext): string | undefined {
  const { networkOf: own } = (provider.limits ?? {}) as EmailLimits;
  return (own ?? getNetwork)(request) || undefined;
}

/** Creates the counters: in the store if there is one, else in this process. */
export function createLimits(kernel: Kernel, counters: Store<number>): Limits {
  const local = createCache<{ count: number; ends: number }>({ max: MAX_IN_PROCESS });

  const countHere = (key: string, by: number, window: number): number => {
    const known = local.get(key);
    const isOver = !known || known.ends <= Date.now();
    const entry = isOver ? { count: 0, ends: Date.now() + window * 1000 } : known;
    entry.count += by;
    local.set(key, entry);
    return entry.count;
  };

  const count = async (
    { provider }: EmailContext,
    kind: Kind,
    subject: string,
    by: number,
    { window }: Limit,
  ): Promise<number> => {
    const key = [kind, kind === "attempts" ? "" : provider.id, subject] as const;
    try {
      return await counters.increment(key, by, { ttl: window * 1000 });
    } catch (error) {
      // A store that is down must not prevent sign-ins.
      if (!(error instanceof PluginError)) kernel.logger.error(error as Error);
      return countHere(JSON.stringify(key), by, window);
    }
  };

  return {
    async admit(ctx, kind, subject) {
      const limit = getLimit(ctx, kind);
      if (!limit || subject === undefined) return true;
      const sum = await count(ctx, kind, subject, 1, limit);
      if (sum === limit.max + 1) {
        kernel.logger.warn(
          `email-limit-${kind}`,
          `"${ctx.provider.id}": more than ${limit.max} in ${limit.window} seconds. Until they have passed, no e-mail is ` +
            `sent and no token accepted; \`limits.${kind}\` sets the limit.`,
        );
      }
      return sum <= limit.max;
    },
    async forgive(ctx, kind, subject) {
      const limit = getLimit(ctx, kind);
      if (limit && subject !== undefined) await count(ctx, kind, subject, -1, limit);
    },
  };
}
