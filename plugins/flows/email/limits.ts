import { createCache, PluginError } from "../../../src/index.ts";
import type { EmailLimits, Kernel, Limit, Store } from "../../../src/index.ts";
import type { EmailContext } from "./types.ts";

type Kind = "address" | "network" | "attempts";

/** Counts what people ask for. */
export interface Limits {
  /** Counts one more of a kind; `false` when that is too many. */
  admit(ctx: EmailContext, kind: Kind, who: string | undefined): Promise<boolean>;
  /** Takes one back that did no harm. */
  forgive(ctx: EmailContext, kind: Kind, who: string | undefined): Promise<void>;
}

const DEFAULTS: Readonly<Record<Kind, Limit>> = {
  address: { max: 10, window: 900 },
  network: { max: 100, window: 900 },
  attempts: { max: 10, window: 900 },
};
/** Counters of one process, where there is no store. */
const MAX_LOCAL = 20_000;

// A stored token does not say whose it is: what one provider makes can be tried at every other one.
function isGuessable({ kernel }: EmailContext): boolean {
  return [...kernel.providers.values()].some(
    (provider) => provider.type === "email" && "generateVerificationToken" in provider,
  );
}

function limitOf(ctx: EmailContext, kind: Kind): Limit | false {
  const given = ctx.provider.limits?.[kind];
  if (given !== undefined) return given;
  return kind !== "attempts" || isGuessable(ctx) ? DEFAULTS[kind] : false;
}

// Everybody gets half of a whole IPv6 network: counting single addresses would bound nobody.
function networkOf(request: Request): string | undefined {
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

/** The network a request comes from, if that can be known. */
export function networkOfRequest({ provider, request }: EmailContext): string | undefined {
  const { networkOf: own } = (provider.limits ?? {}) as EmailLimits;
  return (own ?? networkOf)(request) || undefined;
}

/** Makes the counters: in the store if there is one, else in this process. */
export function createLimits(kernel: Kernel, counters: Store<number>): Limits {
  const local = createCache<{ count: number; ends: number }>({ max: MAX_LOCAL });

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
    who: string,
    by: number,
    { window }: Limit,
  ): Promise<number> => {
    const key = [kind, kind === "attempts" ? "" : provider.id, who] as const;
    try {
      return await counters.increment(key, by, { ttl: window * 1000 });
    } catch (error) {
      // A store that is down must not keep everybody out.
      if (!(error instanceof PluginError)) kernel.logger.error(error as Error);
      return countHere(JSON.stringify(key), by, window);
    }
  };

  return {
    async admit(ctx, kind, who) {
      const limit = limitOf(ctx, kind);
      if (!limit || who === undefined) return true;
      const sum = await count(ctx, kind, who, 1, limit);
      if (sum === limit.max + 1) {
        kernel.logger.warn(
          `email-limit-${kind}`,
          `"${ctx.provider.id}": more than ${limit.max} in ${limit.window} seconds. No mail is sent, ` +
            `or token accepted, until they are over; \`limits.${kind}\` sets the bound.`,
        );
      }
      return sum <= limit.max;
    },
    async forgive(ctx, kind, who) {
      const limit = limitOf(ctx, kind);
      if (limit && who !== undefined) await count(ctx, kind, who, -1, limit);
    },
  };
}
