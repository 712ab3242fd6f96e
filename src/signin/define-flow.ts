import { randomBase64url } from "../crypto/crypto.ts";
import { InvalidCheck, PluginError } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import type { CookieKey } from "../types/cookie.ts";
import type { AuthContext, Flow, FlowContext, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Page } from "../types/page.ts";
import type { Plugin } from "../types/plugin.ts";
import type { ProviderBase, ProviderTypes } from "../types/provider.ts";
import type { Identity } from "../types/sign-in.ts";
import { clearCheck, openCheck, sealCheck } from "./checks.ts";
import { getLinkingUser } from "./linking-user.ts";
import { markSession } from "./own-session.ts";

/** A sign-in under way, bound to this browser and to its provider; `finish` accepts it once. */
export interface Attempt {
  /** 128 random bits in base64url: a challenge to sign, a `state` parameter, or the key of a record. */
  readonly value: string;
}

/** A provider type whose attempts, target, link and errors the kernel handles. */
export interface FlowDefinition<P extends ProviderBase> extends Pick<
  Flow<P>,
  "resolve" | "identify" | "limited" | "links" | "methods" | "csrf" | "form"
> {
  /**
   * Handles `POST /signin/:provider`, when the attempt has begun. Without a Response, the browser is
   * redirected to the `page`.
   */
  start?(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Response | void>;
  /** Returns the page that asks for what `finish` verifies, with a form for `provider.callbackUrl`. */
  page?(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Omit<Page, "name">>;
  /** Handles `GET` or `POST /callback/:provider`: verifies, and returns the identity. */
  finish(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Identity>;
}

/** Options of `defineFlow`. */
export interface FlowOptions {
  /** Plugins that the flow adds, such as `pageRenderer()` of `keyhook/pages/renderer` for a `page`. */
  plugins?: readonly Plugin[];
  /** Registers errors with their texts, routes and the like. */
  setup?(kernel: Kernel): void;
}

interface Names {
  type: string;
  cookie: CookieKey;
}

async function begin<P extends ProviderBase>(
  ctx: FlowContext<P>,
  { start, page, csrf }: FlowDefinition<P>,
  { type, cookie }: Names,
): Promise<Response> {
  const value = randomBase64url(16);
  const callbackUrl = await ctx.callbackUrl();
  const linkTo = await getLinkingUser(ctx);
  const session = await markSession(ctx);
  const check = { value, callbackUrl, session, linkTo };
  // A callback that another site posts brings no cookie otherwise.
  await sealCheck(ctx, cookie, check, { crossSite: csrf === false });
  const response = await start?.(ctx, { value });
  if (response) return response;
  if (page) return ctx.redirect(`${ctx.base}/${type}/${ctx.provider.id}`);
  throw new PluginError(
    `\`start\` of the flow "${type}" must return a Response: it has no \`page\`.`,
  );
}

async function end<P extends ProviderBase>(
  ctx: FlowContext<P>,
  { finish }: FlowDefinition<P>,
  { type, cookie }: Names,
): Promise<Identity> {
  const { value, callbackUrl, linkTo, session } = await openCheck(ctx, cookie);
  clearCheck(ctx, cookie);
  if (!(await ctx.kernel.useOnce(type, value))) {
    throw new InvalidCheck("The sign-in was completed, or failed, before.");
  }
  const identity = await finish(ctx, { value });
  // `runFlow` reports what is no identity.
  if (typeof identity !== "object" || identity === null) return identity;
  return {
    callbackUrl,
    linkTo,
    session,
    ...identity,
  };
}

function toFlow<P extends ProviderBase>(definition: FlowDefinition<P>, names: Names): Flow<P> {
  const { start, page, finish, ...rest } = definition;
  if (typeof finish !== "function" || (!start && !page)) {
    throw new PluginError(`The flow "${names.type}" needs \`finish\`, and \`start\` or \`page\`.`);
  }
  return {
    ...rest,
    start: (ctx) => begin(ctx, definition, names),
    finish: (ctx) => end(ctx, definition, names),
  };
}

function addPage<P extends ProviderBase>(
  kernel: Kernel,
  { page }: FlowDefinition<P>,
  { type: name, cookie }: Names,
): void {
  if (!page) return;
  kernel.addRoute({
    method: "GET",
    path: `/${name}/:provider`,
    async handler(ctx: AuthContext) {
      const flowContext = ctx as FlowContext<P>;
      const { value } = await openCheck(flowContext, cookie);
      return ctx.page({ ...(await page(flowContext, { value })), name });
    },
  });
}

/**
 * Defines the flow of a provider type: `start` leads to what authenticates the user, `finish` verifies it.
 * Each attempt is random, bound to its browser and provider by a cookie (`<type>Attempt`, 15 minutes) and
 * accepted once; the target of the redirect and the request to link an account are kept with it. A definition
 * with a state of its own, such as a store, is a function that receives the kernel at boot.
 * @example
 * export const ssoFlow = defineFlow<SsoProvider>("sso", {
 *   start: (ctx, { value }) => ctx.redirect(`${ctx.provider.url}?state=${value}`),
 *   async finish(ctx, { value }) {
 *     const { id, name } = await verify(ctx.url.searchParams, value);
 *     return { user: { name }, account: { providerAccountId: id } };
 *   },
 * });
 */
export function defineFlow<P extends ProviderBase>(
  type: P["type"],
  definition: FlowDefinition<P> | ((kernel: Kernel) => FlowDefinition<P>),
  { plugins, setup }: FlowOptions = {},
): () => Plugin {
  const names: Names = { type, cookie: `${type}Attempt` as CookieKey };
  return () => ({
    name: `flows/${type}`,
    provides: [`flow:${type}`],
    ...(plugins && { plugins }),
    setup(kernel) {
      const defined = typeof definition === "function" ? definition(kernel) : definition;
      kernel.addCookie(names.cookie, { name: `keyhook.${type}-attempt`, maxAge: CHECK_MAX_AGE_S });
      kernel.addFlow(type as Extract<keyof ProviderTypes, string>, toFlow(defined, names) as never);
      addPage(kernel, defined, names);
      setup?.(kernel);
    },
  });
}
