import {
  getErrorMessage,
  linkHome,
  NO_STORE,
  randomBase64url,
  randomBytes,
  sha256Base64url,
  wantsJson,
} from "../../../src/_kit.ts";
import { type AuthContext, type Page, pageUrl } from "../../../src/kernel.ts";
import { admitAll, getClient } from "../rate-limit.ts";
import { admitOne, QUARTER_S } from "./admit.ts";
import type { App } from "./apps.ts";
import { consentForm, nameUser } from "./authorize.ts";
import { takeConsent } from "./consent.ts";
import { InvalidUserCode } from "./errors.ts";
import { type GrantKey, INTERVAL_S } from "./grants.ts";
import type { Parts } from "./parts.ts";
import { readPosted, refuseToken } from "./refuse.ts";

/** Letters that form no words and are not mistaken for others. Eight letters are 34 bits (RFC 8628 section 6.1). */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const CODE = /^[B-DF-HJ-NP-TV-XZ]{8}$/;
/** Seconds within which the user can decide. */
const DECISION_S = 600;
const DAY_S = 24 * 60 * 60;
/** Limit of codes that one client starts. */
const STARTED = { max: 50, window: QUARTER_S };
/** Limit of codes that all clients with unknown addresses start together. */
const STARTED_BY_ALL = { max: 1000, window: QUARTER_S };
/** Limit of wrong codes that one user types (RFC 8628 section 5.1). */
const TYPED = { max: 10, window: QUARTER_S };
/** Limit of wrong codes that one user, or one client, types in a day. */
const TYPED_DAY = { max: 100, window: DAY_S };

function createUserCode(): string {
  let code = "";
  while (code.length < 8) {
    // A byte beyond the last multiple of 20 would make some letters more likely.
    for (const byte of randomBytes(8)) if (byte < 240) code += ALPHABET[byte % 20];
  }
  return code.slice(0, 8);
}

const format = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

// Users omit the hyphen and type lower-case letters. Anything else is not a code.
function parseUserCode(typed: unknown): string | undefined {
  const code =
    typeof typed === "string" ? typed.slice(0, 20).replaceAll(/[\s-]/g, "").toUpperCase() : "";
  return CODE.test(code) ? code : undefined;
}

/** `POST /device-authorization`: returns the code of a device, and the code that its user types. */
export async function startDevice(parts: Parts, ctx: AuthContext): Promise<Response> {
  const posted = await readPosted(parts.apps, ctx);
  if (posted instanceof Response) return posted;
  const { app } = posted;
  if (!app.device) return refuseToken(ctx, "unauthorized_client", "The app supports no devices.");
  const client = getClient(ctx, parts.warned);
  const limit = client === undefined ? STARTED_BY_ALL : STARTED;
  const started = parts.limiter(limit, "start", client ?? "");
  await admitOne(started, "A client has requested too many device codes.");
  const secret = randomBase64url(32);
  const challenge = await sha256Base64url(secret);
  const grant = { app: app.id, challenge };
  let code = createUserCode();
  while (!(await parts.grants.add(["device", ctx.base, code], grant, DECISION_S))) {
    code = createUserCode();
  }
  const uri = `${ctx.base}/device`;
  return ctx.json(
    {
      device_code: code + secret,
      user_code: format(code),
      verification_uri: uri,
      verification_uri_complete: pageUrl(uri, ctx.origin, { user_code: format(code) }),
      expires_in: DECISION_S,
      interval: INTERVAL_S,
    },
    { headers: NO_STORE },
  );
}

async function showPage(ctx: AuthContext, page: Partial<Page> & Pick<Page, "blocks">) {
  const { t } = await ctx.translator();
  return ctx.page({ name: "device", title: t("device.title"), ...page });
}

// The code of `verification_uri_complete`, which the user compares and submits (RFC 8628 section 3.3.1). It is filled
// in only if the user opened the page directly. Otherwise another site could send a window here with its own device's
// code, and get the buttons pressed by tricking the user into double clicks. Typing a code cannot be tricked that way.
function readLinkedCode({ request, url }: AuthContext): string | undefined {
  const isOpened = (request.headers.get("sec-fetch-site") ?? "none") === "none";
  return isOpened ? parseUserCode(url.searchParams.get("user_code")) : undefined;
}

/** `GET /device`: asks for the code that a device shows. */
export async function showDevice(_: Parts, ctx: AuthContext): Promise<Response> {
  const translator = await ctx.translator();
  const { t } = translator;
  const known = readLinkedCode(ctx);
  const value = known === undefined ? undefined : format(known);
  const attributes = {
    required: true,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: false,
    dir: "ltr",
    maxlength: 20,
  };
  const field = { name: "user_code", label: t("device.code"), value, attributes };
  const form = { action: `${ctx.base}/device`, fields: [field], submit: t("device.submit") };
  return showPage(ctx, {
    ...getErrorMessage(ctx, translator),
    blocks: [
      { kind: "text", text: t("device.text") },
      { kind: "form", form },
    ],
  });
}

function refuseCode(ctx: AuthContext): Response {
  const error = new InvalidUserCode("The code is wrong, used or expired, or too many were wrong.");
  if (wantsJson(ctx.request)) throw error;
  return ctx.redirect(pageUrl(`${ctx.base}/device`, ctx.origin, { error: error.type }));
}

// Counts every typed code, and refunds the right ones, so that no user finds another user's code by trying.
async function findTyped(
  { apps, grants, limiter }: Parts,
  ctx: AuthContext,
): Promise<{ key: GrantKey; code: string; app: App } | undefined> {
  const { id } = await ctx.requireSession();
  const client = getClient(ctx);
  const counters = [
    limiter(TYPED, "user", id),
    limiter(TYPED_DAY, "user-day", id),
    ...(client === undefined ? [] : [limiter(TYPED_DAY, "client-day", client)]),
  ];
  if (await admitAll(counters)) return undefined;
  const code = parseUserCode((await ctx.body()).user_code) ?? "";
  const key = ["device", ctx.base, code] as const;
  const app = apps.get((code && (await grants.findOpen(key))?.app) || "");
  if (!app) return undefined;
  await Promise.all(counters.map((counter) => counter.refund()));
  return { key, code: format(code), app };
}

/** `POST /device`: shows the app that asks, and handles the user's decision. */
export async function decideDevice(parts: Parts, ctx: AuthContext): Promise<Response> {
  const found = await findTyped(parts, ctx);
  if (!found) return refuseCode(ctx);
  const { key, code, app } = found;
  const { name } = app;
  const { allow, deny } = await ctx.body();
  const translator = await ctx.translator();
  const { t } = translator;
  if (deny !== undefined || allow === "1") {
    const consent = deny === undefined ? await takeConsent(parts.limiter, ctx) : null;
    if (!(await parts.grants.decide(key, consent))) return refuseCode(ctx);
    ctx.debug?.("a user has decided on a device", { app: app.id, allowed: consent !== null });
    const text = t(consent ? "device.allowed" : "device.denied");
    return showPage(ctx, {
      message: { tone: "info", text },
      data: { allowed: consent !== null },
      blocks: [await linkHome(ctx)],
    });
  }
  const user = await nameUser(ctx);
  return showPage(ctx, {
    heading: t("app.heading", { name }),
    data: { app: name, user, code },
    blocks: [
      { kind: "text", text: t("app.text", { name, user }) },
      { kind: "code", text: code },
      { kind: "text", text: t("device.warning", { code }) },
      consentForm(translator, `${ctx.base}/device`, { user_code: code }),
    ],
  });
}
