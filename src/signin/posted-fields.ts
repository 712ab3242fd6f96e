import { setBody } from "../request/context.ts";
import { ifStored } from "../storage/if-stored.ts";
import type { Body, FlowContext, Kernel } from "../types/kernel.ts";

/** What other sites posted for attempts to link an account, until the request that brings the session. */
export interface PostedFields {
  /** Keeps the fields of an attempt, for a minute. */
  keep(attempt: string, fields: Body): Promise<void>;
  /** Resolves to the fields of an attempt and forgets them; `undefined` where there are none. */
  take(attempt: string): Promise<Body | undefined>;
}

/** Milliseconds from the POST to the request that its redirect leads to. */
const TTL_MS = 60_000;
/** Attempts that one process remembers: each may have 64 kB of fields. */
const MAX_ATTEMPTS = 200;

/** Creates the memory of posted fields: in the store, or in this process where there is none. */
export function createPostedFields(kernel: Kernel): PostedFields {
  const store = kernel.store<Body>("posted-fields", { optional: true });
  const local = kernel.remember(
    "posted fields",
    (createCache) => createCache<Body>("posted fields", { max: MAX_ATTEMPTS, ttl: TTL_MS }),
    { perApplication: true },
  );
  return {
    keep: (attempt, fields) =>
      ifStored(
        () => store.put(attempt, fields, { ttl: TTL_MS }),
        () => {
          local.set(attempt, fields);
        },
      ),
    take: (attempt) =>
      ifStored(
        () => store.take(attempt),
        () => {
          const fields = local.get(attempt);
          local.delete(attempt);
          return fields;
        },
      ),
  };
}

/**
 * Keeps what another site posted for an attempt to link an account, and returns the redirect to the callback itself. Browsers
 * send the session cookie (`SameSite=Lax`) with the GET that follows, but not with the POST of another site, so that the user
 * who asked to link the account is known only then. Returns `undefined` where the session is there.
 */
export async function deferLinking(
  ctx: FlowContext,
  attempt: string,
): Promise<Response | undefined> {
  const { kernel, provider } = ctx;
  const posted = kernel.find("storedUsers")?.postedFields;
  if (!posted || (await kernel.strategy.current(ctx))) return undefined;
  await posted.keep(attempt, await ctx.body());
  return ctx.redirect(provider.callbackUrl);
}

/** Makes the fields that `deferLinking` has kept the body of the request; resolves to whether there are any. */
export async function takePostedFields(ctx: FlowContext, attempt: string): Promise<boolean> {
  const fields = await ctx.kernel.find("storedUsers")?.postedFields.take(attempt);
  if (fields) setBody(ctx, fields);
  return fields !== undefined;
}
