import { PluginError } from "../errors/errors.ts";
import { withTimeout } from "../platform/timeout.ts";
import { isTrusted, NO_STORE, REQUEST_TIMEOUT_MS } from "../request/context.ts";
import { describeError, describeResponse } from "../request/log.ts";
import type { FlowContext } from "../types/kernel.ts";
import type { Identity } from "../types/sign-in.ts";
import { checkSignIn } from "./check-sign-in.ts";
import { completeLogin } from "./complete-login.ts";
import { completeIdentity } from "./identity.ts";
import { toOwnLogin } from "./login.ts";
import { expectOwnSession } from "./own-session.ts";
import { reportFailure } from "./report-failure.ts";
import { getStoredUsers, NO_USERS } from "./stored-users.ts";

/** Time limit of a flow's step in milliseconds: between the limits of the request and of the route. */
const FLOW_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 500;

/** Completes the sign-in of an identity: the `signIn` hook, linking, the `login` hook and the session. */
async function completeSignIn(ctx: FlowContext, returned: Identity): Promise<Response> {
  const { kernel, provider } = ctx;
  const flow = kernel.flow(provider.type);
  const identity = completeIdentity(ctx, returned);
  const { account, profile, credentials } = identity;
  ctx.debug?.("the identity is authenticated", {
    hasAddress: Boolean(identity.user.email),
    emailVerified: identity.emailVerified ?? "not stated",
  });

  const storedUsers = getStoredUsers(kernel);
  const facts = (await storedUsers?.lookUp(ctx, identity)) ?? NO_USERS;
  ctx.debug?.("the stored users were looked up", {
    byAccount: facts.userByAccount !== null,
    byEmail: facts.userByEmail !== null,
    linking: facts.intent,
  });
  const storedUser = storedUsers?.find(ctx, identity, facts);
  // A link has its own conditions: the same user must still be signed in.
  if (identity.linkTo === undefined) {
    await expectOwnSession(
      ctx,
      identity.session,
      storedUser === undefined ? identity.user : storedUser,
    );
  }
  const known = {
    account: facts.userByAccount,
    email: facts.userByAccount ?? facts.userByEmail,
    none: null,
  }[identity.links];
  const redirectTo = await checkSignIn(ctx, {
    user: known ?? identity.user,
    ...(storedUser !== undefined && { storedUser }),
    account,
    ...(profile && { profile }),
    ...(identity.emailVerified !== undefined && { emailVerified: identity.emailVerified }),
    ...(credentials && { credentials }),
  });
  ctx.debug?.(
    redirectTo === undefined ? "the `signIn` hook allows it" : "the `signIn` hook redirects",
  );
  if (redirectTo !== undefined) return ctx.redirect(redirectTo);

  const login = (await storedUsers?.resolve(ctx, identity, facts)) ?? toOwnLogin(identity);
  await flow.linked?.(ctx, login);
  return completeLogin(ctx, login, identity.callbackUrl ?? (await ctx.callbackUrl()));
}

// Resolves to the error that the flow reports instead of the one that ended the sign-in of its identity.
async function askFlow(ctx: FlowContext, error: unknown, identity: Identity): Promise<unknown> {
  const flow = ctx.kernel.flow(ctx.provider.type);
  try {
    return (await flow.failed?.(ctx, error, identity)) ?? error;
  } catch (second) {
    // This error must not hide the one that `failed` was called for.
    ctx.log.error(second as Error);
    return error;
  }
}

/**
 * Runs a flow's step for the request's provider, and completes the sign-in of the identity that it resolves to. Every
 * sign-in, of every provider type, passes through this function. A HEAD request, such as that of a link scanner, runs
 * no flow.
 */
export async function runFlow(ctx: FlowContext, step: "start" | "finish"): Promise<Response> {
  const { kernel } = ctx;
  if (ctx.request.method === "HEAD" && !isTrusted(ctx)) {
    return new Response(null, { headers: NO_STORE });
  }
  const flow = kernel.flow(ctx.provider.type);
  let returned: Response | Identity | undefined;
  ctx.debug?.(step === "start" ? "a sign-in starts" : "a sign-in continues", {
    type: ctx.provider.type,
  });
  try {
    // Also sets the cookie, so that the target is known if this attempt fails.
    if (step === "start" || flow.direct) await ctx.callbackUrl();
    // A flow that respects `ctx.signal` ends before this limit, with its own error.
    returned = await withTimeout(flow[step]?.(ctx), FLOW_TIMEOUT_MS, () => {
      const { id, type } = ctx.provider;
      return new PluginError(
        `\`${step}\` of the flow "${type}" (provider "${id}") has not settled within ${FLOW_TIMEOUT_MS / 1000} ` +
          "seconds. End its work when `ctx.signal` is aborted.",
      );
    });
  } catch (error) {
    ctx.debug?.("the flow refuses", describeError(error));
    await reportFailure(ctx, ctx.provider.id, error);
    throw error;
  }
  if (returned instanceof Response) {
    ctx.debug?.("the flow responds", describeResponse(returned));
    return returned;
  }
  const identity = returned as Identity;
  let response: Response;
  try {
    response = await completeSignIn(ctx, identity);
  } catch (error) {
    const reported = await askFlow(ctx, error, identity);
    ctx.debug?.("the sign-in is refused", describeError(reported));
    await reportFailure(ctx, ctx.provider.id, reported, identity);
    throw reported;
  }
  try {
    await flow.completed?.(ctx, identity);
  } catch (error) {
    // The user is signed in, so reporting a failure to the visitor would be wrong.
    ctx.log.error(error as Error);
  }
  return response;
}
