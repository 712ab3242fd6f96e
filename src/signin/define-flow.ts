import { randomBase64url, timingSafeEqual } from "../crypto/crypto.ts";
import { describeMisspelled } from "../errors/did-you-mean.ts";
import { AuthError, InvalidCheck, InvalidProvider, PluginError } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import { isObject } from "../platform/is-object.ts";
import { recordCalls } from "../platform/made-by.ts";
import { getErrorMessage } from "../request/error-text.ts";
import { getErrorQuery } from "../request/failure.ts";
import { pageUrl } from "../request/redirect.ts";
import type { CookieKey } from "../types/cookie.ts";
import type { AuthContext, Flow, FlowContext, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Page } from "../types/page.ts";
import type { Plugin } from "../types/plugin.ts";
import type { ProviderBase, ProviderTypes } from "../types/provider.ts";
import type { Identity } from "../types/sign-in.ts";
import {
  type CheckLocation,
  clearCheck,
  deriveHandle,
  findHandles,
  makeRoom,
  openCheck,
  openChecks,
  type Room,
  sealCheck,
  type SealedCheck,
} from "./checks.ts";
import { getLinkFingerprint } from "./link-fingerprint.ts";
import { markSession } from "./own-session.ts";
import { deferLinking, takePostedFields } from "./posted-fields.ts";

/** A pending sign-in, bound to this browser and its provider. It signs in at most once. */
export interface Attempt {
  /** 128 random bits in base64url, used as a challenge to sign, a `state` parameter or the key of a record. */
  readonly value: string;
}

/** A provider type whose attempts, redirect target, link requests and errors the kernel handles. */
export interface FlowDefinition<P extends ProviderBase> extends Pick<
  Flow<P>,
  | "resolve"
  | "identify"
  | "limits"
  | "limited"
  | "linked"
  | "completed"
  | "failed"
  | "links"
  | "methods"
  | "csrf"
  | "form"
> {
  /**
   * Handles `POST /signin/:provider` once the attempt has begun. If it returns no Response, the browser is redirected
   * to `page`.
   */
  start?(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Response | void>;
  /**
   * Returns the page that asks for what `finish` verifies, with a form for `provider.callbackUrl`. Without its own
   * `message`, the page shows the error of the last try.
   */
  page?(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Omit<Page, "name">>;
  /**
   * Handles `GET` or `POST /callback/:provider`: verifies the request and returns the identity. A Response is sent as
   * it is and also ends the attempt.
   */
  finish(ctx: FlowContext<P>, attempt: Attempt): Awaitable<Response | Identity>;
  /**
   * How many times `finish` may throw before the attempt ends, such as 5 for a code that may be mistyped; at most 20.
   * Until then, a public error leads back to the `page`. Default 1.
   */
  tries?: number;
  /**
   * Name of the parameter or posted field in which the callback repeats `attempt.value`, such as `state`. With it, one
   * browser may have several attempts at once, and a callback ends only its own attempt. Default: none, and a browser's
   * newest attempt replaces the older one.
   */
  state?: string;
}

/** Options of `defineFlow`. */
export interface FlowOptions {
  /** Plugins that the flow adds, such as `pageRenderer()` of `keyhook/pages/renderer` for a `page`. */
  plugins?: readonly Plugin[];
  /** Registers errors with their texts, routes and the like. */
  setup?(kernel: Kernel): void;
}

const FIELDS: Readonly<Record<keyof FlowDefinition<ProviderBase>, true>> = {
  start: true,
  page: true,
  finish: true,
  tries: true,
  state: true,
  resolve: true,
  identify: true,
  limits: true,
  limited: true,
  linked: true,
  completed: true,
  failed: true,
  links: true,
  methods: true,
  csrf: true,
  form: true,
};

const DEFAULT_METHODS = ["GET", "POST"] as const;
const MAX_TRIES = 20;
const ROOM: Room = { attempts: 4, length: 4000 };

/** The parts of a flow besides its definition. */
interface Parts {
  type: string;
  cookie: CookieKey;
  /** The requests whose error lets the visitor try again. */
  retries: WeakSet<AuthContext>;
}

const getPagePath = (type: string, provider: string): string => `/${type}/${provider}`;

async function begin<P extends ProviderBase>(
  ctx: FlowContext<P>,
  { start, page, csrf, state }: FlowDefinition<P>,
  { type, cookie }: Parts,
): Promise<Response> {
  const value = randomBase64url(16);
  const callbackUrl = await ctx.callbackUrl();
  const linkTo = await getLinkFingerprint(ctx);
  const session = await markSession(ctx);
  const check = { value, callbackUrl, session, linkTo };
  if (state !== undefined) await makeRoom(ctx, [cookie], ROOM);
  const handle = state === undefined ? undefined : await deriveHandle(value);
  // Otherwise, browsers send no cookie with a callback that another site posts.
  await sealCheck(ctx, cookie, check, { handle, crossSite: csrf === false });
  const response = await start?.(ctx, { value });
  if (response) return response;
  if (page) return ctx.redirect(ctx.base + getPagePath(type, ctx.provider.id));
  throw new PluginError(
    `\`start\` of the flow "${type}" must return a Response: it has no \`page\`.`,
  );
}

// Opens the attempt that the callback names, or else the only one.
async function openAttempt<P extends ProviderBase>(
  ctx: FlowContext<P>,
  { state }: FlowDefinition<P>,
  { cookie }: Parts,
): Promise<{ check: SealedCheck; place: CheckLocation }> {
  if (state === undefined) return { check: await openCheck(ctx, cookie), place: {} };
  const isPost = ctx.request.method === "POST";
  const stated = isPost ? (await ctx.body())[state] : ctx.url.searchParams.get(state);
  if (typeof stated === "string" && stated !== "") {
    const place = { handle: await deriveHandle(stated) };
    const check = await openCheck(ctx, cookie, place);
    if (timingSafeEqual(check.value, stated)) return { check, place };
  }
  throw new InvalidCheck(`The parameter "${state}" of the callback belongs to no attempt.`);
}

// Opens the attempt that a page is shown for.
async function openNewest<P extends ProviderBase>(
  ctx: FlowContext<P>,
  { state }: FlowDefinition<P>,
  { cookie }: Parts,
): Promise<SealedCheck> {
  for (const handle of state === undefined ? [] : findHandles(ctx, [cookie]).toReversed()) {
    const opened = await openChecks(ctx, cookie, { handle });
    const check = opened.find(({ provider }) => provider === ctx.provider.id);
    if (check) return check;
  }
  return openCheck(ctx, cookie);
}

const nameTry = (value: string, at: number): string => (at === 0 ? value : `${value} ${at}`);

// Takes the next try of an attempt. Resolves to the number of tries that are left.
async function takeTry(
  { kernel }: AuthContext,
  type: string,
  value: string,
  tries: number,
): Promise<number> {
  for (let at = 0; at < tries; at++) {
    if (await kernel.useOnce(type, nameTry(value, at))) return tries - at - 1;
  }
  throw new InvalidCheck("The sign-in has already completed or failed.");
}

// Of two concurrent requests with a valid try, only one signs in. Afterwards, a copy of the cookie has no try left.
async function endTries(
  { kernel }: AuthContext,
  type: string,
  value: string,
  [from, to]: readonly [from: number, to: number],
): Promise<void> {
  if (!(await kernel.useOnce(type, `${value} end`))) {
    throw new InvalidCheck("The sign-in has already completed.");
  }
  for (let at = from; at < to; at++) await kernel.useOnce(type, nameTry(value, at));
}

async function tryFinish<P extends ProviderBase>(
  ctx: FlowContext<P>,
  [value, place]: readonly [value: string, place: CheckLocation],
  { finish, tries = 1 }: FlowDefinition<P>,
  { type, cookie, retries }: Parts,
): Promise<Response | Identity> {
  let left = 0;
  try {
    left = await takeTry(ctx, type, value, tries);
    const returned = await finish(ctx, { value });
    const used = tries - left;
    left = 0;
    if (tries > 1) await endTries(ctx, type, value, [used, tries]);
    return returned;
  } catch (error) {
    if (left > 0) retries.add(ctx);
    throw error;
  } finally {
    if (left === 0) clearCheck(ctx, cookie, place);
  }
}

async function end<P extends ProviderBase>(
  ctx: FlowContext<P>,
  definition: FlowDefinition<P>,
  parts: Parts,
): Promise<Response | Identity> {
  const { csrf, methods = DEFAULT_METHODS, state } = definition;
  const { check, place } = await openAttempt(ctx, definition, parts);
  const { value, callbackUrl, linkTo, session } = check;
  const isLinking = csrf === false && linkTo !== undefined;
  if (ctx.request.method === "POST") {
    const deferred = isLinking && (await deferLinking(ctx, value, state));
    if (deferred) return deferred;
  } else if (!(isLinking && (await takePostedFields(ctx, value))) && !methods.includes("GET")) {
    throw new InvalidProvider(`"${ctx.provider.id}" has no callback for GET.`);
  }
  const returned = await tryFinish(ctx, [value, place], definition, parts);
  // `runFlow` reports values that are not an identity.
  if (returned instanceof Response || !isObject(returned)) return returned;
  return { callbackUrl, linkTo, session, ...returned };
}

function checkDefinition<P extends ProviderBase>(
  definition: FlowDefinition<P>,
  { type }: Parts,
): void {
  const { start, page, finish, tries = 1 } = definition;
  const hints = describeMisspelled(definition, Object.keys(FIELDS));
  if (hints) throw new PluginError(`The flow "${type}"${hints}`);
  if (typeof finish !== "function" || (!start && !page)) {
    throw new PluginError(`The flow "${type}" needs \`finish\`, and \`start\` or \`page\`.`);
  }
  if (!Number.isInteger(tries) || tries < 1 || tries > MAX_TRIES) {
    throw new PluginError(`The flow "${type}" needs \`tries\` from 1 to ${MAX_TRIES}.`);
  }
  if (tries > 1 && !page) {
    throw new PluginError(
      `The flow "${type}" has \`tries\` and no \`page\` to try again on. Add it.`,
    );
  }
}

function toFlow<P extends ProviderBase>(definition: FlowDefinition<P>, parts: Parts): Flow<P> {
  const { page: _, tries: __, state: ___, methods, ...rest } = definition;
  return {
    ...rest,
    // A form that another site posted may be repeated by GET (`deferLinking`).
    ...(methods && rest.csrf !== false && { methods }),
    start: (ctx) => begin(ctx, definition, parts),
    finish: (ctx) => end(ctx, definition, parts),
  };
}

function addPage<P extends ProviderBase>(
  kernel: Kernel,
  definition: FlowDefinition<P>,
  parts: Parts,
): void {
  const { page } = definition;
  const { type } = parts;
  if (!page) return;
  kernel.addRoute({
    method: "GET",
    path: getPagePath(type, ":provider"),
    async handler(ctx: AuthContext) {
      const flowContext = ctx as FlowContext<P>;
      const { value } = await openNewest(flowContext, definition, parts);
      const shown = await page(flowContext, { value });
      const hasError = !shown.message && ctx.url.searchParams.has("error");
      const message = hasError ? getErrorMessage(ctx, await ctx.translator()) : undefined;
      return ctx.page({ ...shown, ...message, name: type });
    },
  });
}

// Leads back to the page on which a wrong code was entered.
function addRetries(kernel: Kernel, { type, retries }: Parts): void {
  // Late, so that a tap of the application may return its own response.
  kernel.hooks.error.tap({ name: `flows/${type}`, stage: "late" }, (error, ctx) => {
    if (!retries.has(ctx) || !(error instanceof AuthError) || !error.public) return undefined;
    const page = ctx.base + getPagePath(type, String(ctx.provider?.id));
    return ctx.redirect(pageUrl(page, ctx.origin, getErrorQuery(error)));
  });
}

/**
 * Defines the flow of a provider type: `start` leads to what authenticates the user, and `finish` verifies the result.
 * Each attempt is random, bound to its browser and provider by a cookie (`<type>Attempt`, 15 minutes), and signs in at
 * most once. The attempt keeps the redirect target and a request to link an account. A definition with its own state,
 * such as a store, is a function that receives the kernel at boot.
 * @example
 * export const ssoFlow = defineFlow<SsoProvider>("sso", {
 *   state: "state",
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
  const cookie = `${type}Attempt` as CookieKey;
  return recordCalls((): Plugin => ({
    name: `flows/${type}`,
    provides: [`flow:${type}`],
    ...(plugins && { plugins }),
    setup(kernel) {
      const defined = typeof definition === "function" ? definition(kernel) : definition;
      const parts: Parts = { type, cookie, retries: new WeakSet() };
      checkDefinition(defined, parts);
      kernel.addCookie(cookie, { name: `keyhook.${type}-attempt`, maxAge: CHECK_MAX_AGE_S });
      kernel.addFlow(type as Extract<keyof ProviderTypes, string>, toFlow(defined, parts) as never);
      addPage(kernel, defined, parts);
      if (defined.tries !== undefined) addRetries(kernel, parts);
      setup?.(kernel);
    },
  }));
}
