import { setBody } from "../request/context.ts";
import { type EphemeralRecords, openEphemeralRecords } from "../storage/ephemeral-records.ts";
import type { Body, FlowContext, Kernel } from "../types/kernel.ts";

/** What other sites posted for attempts to link an account, by attempt, until the request that brings the session. */
export type PostedFields = EphemeralRecords<Body>;

/** Creates the memory of posted fields. */
export function createPostedFields(kernel: Kernel): PostedFields {
  return openEphemeralRecords(kernel, {
    namespace: "posted-fields",
    cache: "posted fields",
    // Each may have 64 kB.
    max: 200,
    // From the POST to the request that its redirect leads to.
    ttl: 60_000,
  });
}

/**
 * Keeps what another site posted for an attempt to link an account, and returns the redirect to the callback itself. Browsers
 * send the session cookie (`SameSite=Lax`) with the GET that follows, but not with the POST of another site, so that the user
 * who asked to link the account is known only then. Returns `undefined` where the session is there. `state` is the parameter
 * that tells the attempt from others.
 */
export async function deferLinking(
  ctx: FlowContext,
  attempt: string,
  state?: string,
): Promise<Response | undefined> {
  const { kernel, provider } = ctx;
  const posted = kernel.find("storedUsers")?.postedFields;
  if (!posted || (await kernel.strategy.current(ctx))) return undefined;
  await posted.put(attempt, await ctx.body());
  const query = state === undefined ? "" : `?${new URLSearchParams({ [state]: attempt })}`;
  return ctx.redirect(provider.callbackUrl + query);
}

/** Makes the fields that `deferLinking` has kept the body of the request; resolves to whether there are any. */
export async function takePostedFields(ctx: FlowContext, attempt: string): Promise<boolean> {
  const fields = await ctx.kernel.find("storedUsers")?.postedFields.take(attempt);
  if (fields) setBody(ctx, fields);
  return fields !== undefined;
}
