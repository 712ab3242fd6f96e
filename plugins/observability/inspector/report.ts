import type {
  AuthContext,
  CookieAttributes,
  CookieKey,
  Inspection,
  TapInfo,
} from "../../../src/kernel.ts";
// The service that the inspector shows, if an application has it.
import type {} from "../../providers/outbox.ts";
import { isReportedLocal } from "./local.ts";
import type { Log, LogEntry } from "./log.ts";
import { maskPatterns } from "./mask.ts";
import { SIGN_IN_AS } from "./sign-in-as.ts";
import type { Timing, Timings } from "./timings.ts";
import type { Users } from "./users.ts";

/** A registered cookie, and what this browser sent under its name. */
export interface BrowserCookie {
  /** The purpose of the cookie (`CookieKey`). */
  readonly key: string;
  readonly name: string;
  readonly attributes: CookieAttributes;
  /** Names with the length of their values. A cookie may be split, or exist once for each attempt. */
  readonly sent: readonly { readonly name: string; readonly size: number }[];
}

/** A tap with its times since boot. */
export interface TapTiming extends TapInfo, Partial<Timing> {}

/** The resolved configuration for this request. */
export interface Decisions {
  readonly origin: string;
  /** Whether `AUTH_URL` sets the origin. Otherwise the request does. */
  readonly hasFixedOrigin: boolean;
  readonly basePath: string;
  readonly trustHost: boolean | readonly string[];
  readonly trustProxy: number | string;
  readonly secureCookies: boolean;
  readonly csrfProtection: boolean;
  /** Whether the server reports the address of its clients. */
  readonly hasClientAddress: boolean;
  /** Number of accepted secrets. */
  readonly secrets: number;
  /** Lifetimes in seconds. */
  readonly session: {
    readonly strategy: string;
    readonly maxAge: number;
    readonly updateAge: number;
    readonly absoluteMaxAge?: number;
  };
}

/** A user to sign in as. */
export interface KnownUser {
  /** The value that the form posts. */
  readonly key: string;
  readonly name: string;
  /** The address, masked. */
  readonly email?: string;
}

/** An e-mail that was kept instead of sent. `at` is in ISO 8601. */
export interface KeptMail {
  readonly at: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The sign-in link. */
  readonly url: string;
}

/** What the inspector shows, as `GET <base>/inspector?format=json` sends it. */
export interface InspectorReport {
  readonly decisions: Decisions;
  readonly browser: {
    /** What the cookies of this browser mean, as sentences. */
    readonly state: readonly string[];
    readonly cookies: readonly BrowserCookie[];
    /** Other cookies that this browser sent. */
    readonly others: readonly string[];
  };
  /**
   * Users to sign in as, newest first. Absent if that is not possible, because there is no CSRF protection or the
   * client's address is unknown.
   */
  readonly users?: readonly KnownUser[];
  /**
   * Unmasked e-mails that `outboxPlugin` has kept, newest first. Absent without that plugin, or if the client's address
   * is unknown.
   */
  readonly outbox?: readonly KeptMail[];
  /** Newest first. */
  readonly requests: readonly LogEntry[];
  readonly inspection: Inspection;
  /** The taps of each hook, in the order in which they run. */
  readonly taps: Readonly<Record<string, readonly TapTiming[]>>;
}

/** The lifetime of an attempt in seconds. Cookies that live longer belong to something else. */
const ATTEMPT_SECONDS = 900;
const CORE: readonly string[] = ["sessionToken", "callbackUrl", "csrfToken", "pendingLogin"];

function getDecisions(ctx: AuthContext): Decisions {
  const { config } = ctx.kernel;
  const { strategy, maxAge, updateAge, absoluteMaxAge } = config.session;
  return {
    origin: ctx.origin,
    hasFixedOrigin: config.origin !== undefined,
    basePath: config.basePath,
    trustHost: config.trustHost,
    trustProxy: config.trustProxy,
    secureCookies: ctx.cookies.spec("sessionToken").attributes.secure === true,
    csrfProtection: !config.skipCSRFCheck,
    hasClientAddress: ctx.ip !== undefined,
    secrets: config.secret.length,
    session: {
      strategy,
      maxAge,
      updateAge,
      ...(absoluteMaxAge !== undefined && { absoluteMaxAge }),
    },
  };
}

function listCookies({ cookies, kernel }: AuthContext): BrowserCookie[] {
  return [...kernel.cookies.keys()].map((key) => {
    const { name, attributes } = cookies.spec(key as CookieKey);
    const sent = cookies
      .names()
      .filter((one) => one === name || one.startsWith(`${name}.`))
      .map((one) => ({ name: one, size: cookies.get(one)?.length ?? 0 }));
    return { key, name, attributes, sent };
  });
}

function describeState(cookies: readonly BrowserCookie[]): string[] {
  const found = new Map(cookies.filter(({ sent }) => sent.length).map((one) => [one.key, one]));
  const session = found.has("sessionToken")
    ? "This browser has a session cookie."
    : "This browser has no session cookie.";
  const login = found.has("pendingLogin")
    ? "A login is paused before its session: the user is known, and a plugin asked for one more step (pendingLogin, 5 minutes)."
    : "No login is paused.";
  const attempts = [...found.values()]
    .filter(({ key, attributes: { maxAge } }) => {
      return !CORE.includes(key) && maxAge !== undefined && maxAge <= ATTEMPT_SECONDS;
    })
    .map(({ key, sent }) => {
      const names = sent.map(({ name }) => name).join(", ");
      return `A sign-in was started and has not returned: its attempt cookie ${key} is there (${names}).`;
    });
  return [session, login, ...(attempts.length ? attempts : ["No sign-in is under way."])];
}

function listUsers(ctx: AuthContext, users: Users): KnownUser[] | undefined {
  if (!isReportedLocal(ctx) || !ctx.kernel.route("POST", SIGN_IN_AS)) return undefined;
  return users.list().map(([key, { id, name, email }]) => ({
    key,
    name: maskPatterns(name ?? String(id)),
    ...(email && { email: maskPatterns(email) }),
  }));
}

// Links in the e-mails sign in, as the form does.
function listMails(ctx: AuthContext, { services }: Inspection): KeptMail[] | undefined {
  if (!isReportedLocal(ctx) || !services.some(({ name }) => name === "outbox")) return undefined;
  return ctx.kernel.use("outbox").mails.map(({ at, to, subject, text, url }) => ({
    at: at.toISOString(),
    to,
    subject,
    text,
    url,
  }));
}

/** What the inspector remembers. */
export interface Memory {
  readonly log: Log;
  readonly timings: Timings;
  readonly users: Users;
}

/** Builds the report for a request. With an id, its log has only the entry with that number or error id. */
export function buildReport(
  ctx: AuthContext,
  { log, timings, users }: Memory,
  id?: string,
): InspectorReport {
  const inspection = ctx.kernel.inspect();
  const known = listUsers(ctx, users);
  const outbox = listMails(ctx, inspection);
  const cookies = listCookies(ctx);
  const registered = new Set(cookies.flatMap(({ sent }) => sent.map(({ name }) => name)));
  const one = id === undefined ? undefined : log.find(id);
  return {
    decisions: getDecisions(ctx),
    browser: {
      state: describeState(cookies),
      cookies,
      others: ctx.cookies.names().filter((name) => !registered.has(name)),
    },
    ...(known && { users: known }),
    ...(outbox && { outbox }),
    requests: id === undefined ? log.entries() : one ? [one] : [],
    inspection,
    taps: Object.fromEntries(
      Object.entries(inspection.hooks).map(([hook, { taps }]) => [
        hook,
        taps.map((tap) => ({ ...tap, ...timings.get(hook, tap) })),
      ]),
    ),
  };
}
