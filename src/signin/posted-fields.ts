import { setBody } from "../request/context.ts";
import { type EphemeralRecords, openEphemeralRecords } from "../storage/ephemeral-records.ts";
import type { Body, FlowContext, Kernel } from "../types/kernel.ts";

/**
 * What other sites posted for attempts to link an account, keyed by attempt, until the request that brings the session.
 */
export type PostedFields = EphemeralRecords<Body>;

/** Creates the memory of posted fields. */
export function createPostedFields(kernel: Kernel): PostedFields {
  return openEphemeralRecords(kernel, {
    namespace: "posted-fields",
    cache: "posted fields",
    // Each entry may have 64 kB.
    max: 200,
    // The time from the POST to the request that its redirect leads to.
    ttl: 60_000,
  });
}

/**
 * Keeps what another site posted for an attempt to link an account, and returns a redirect to the same callback by GET.
 * Browsers send the session cookie (`SameSite=Lax`) with that GET but not with a POST from another site, so only then
 * is the user who asked to link the account known. Returns `undefined` if the session is present. `state` is the
 * parameter that identifies the attempt.
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

/** Sets the fields that `deferLinking` kept as the body of the request. Resolves to whether there are any. */
export async function takePostedFields(ctx: FlowContext, attempt: string): Promise<boolean> {
  const fields = await ctx.kernel.find("storedUsers")?.postedFields.take(attempt);
  if (fields) setBody(ctx, fields);
  return fields !== undefined;
}
