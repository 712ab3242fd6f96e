import { AccessDenied, AuthError } from "./errors.ts";
import { ask } from "./hooks.ts";
import { pageUrl } from "./redirect.ts";
import type { AuthContext, FlowContext, Identity } from "./types/kernel.ts";
import type { SignInParams } from "./types/options.ts";

/**
 * Asks the `signIn` hook. Answers where to go instead of in, when a tap says so.
 * @throws AccessDenied when a tap refuses or throws; an `AuthError` goes through as it is.
 */
export async function allow(ctx: AuthContext, params: SignInParams): Promise<string | undefined> {
  let verdict: boolean | string | undefined;
  try {
    verdict = await ask(ctx.kernel.hooks.signIn, params, ctx);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    const thrown = error as Error;
    throw new AccessDenied(thrown.message, { cause: { err: thrown } });
  }
  if (verdict === false) throw new AccessDenied("A tap of the signIn hook refused.");
  return typeof verdict === "string" ? ctx.safeRedirect(verdict) : undefined;
}

/** Lets a proved identity in: the one landing of every provider type. */
export async function land(ctx: FlowContext, identity: Identity): Promise<Response> {
  const { kernel, provider } = ctx;
  const flow = kernel.flow(provider.type);
  const links = flow.links ?? "account";
  const { account, profile, credentials } = identity;

  // Loaded with the first sign-in: who only reads sessions never needs it.
  const { confirm, lookUp, settle } = await import("./settle.ts");
  const facts = await lookUp(ctx, identity, links);
  const elsewhere = await allow(ctx, {
    user: facts.owner ?? (links === "email" ? facts.namesake : null) ?? identity.user,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials }),
  });
  if (elsewhere !== undefined) return ctx.redirect(elsewhere);

  const login = await settle(ctx, identity, links, facts);
  await flow.linked?.(ctx, login);
  const target = identity.callbackUrl ?? (await ctx.callbackUrl());
  const { newUser } = kernel.config.pages;
  const welcomed = login.isNewUser && newUser;
  // The answer comes before the session: nothing may fail once somebody is in.
  const response = ctx.redirect(
    welcomed ? pageUrl(newUser, ctx.origin, { callbackUrl: target }) : target,
  );
  const handOver = await kernel.strategy.create(ctx, login);
  await confirm(ctx, links, login);
  await handOver();
  await kernel.emit("signIn", login);
  return response;
}
