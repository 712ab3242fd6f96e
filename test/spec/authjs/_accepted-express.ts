import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings for Express. */
export const EXPRESS: readonly Accepted[] = [
  {
    path: /^cookies\.[\w.-]*(?:csrf-token|callback-url)$/,
    why: "no cookie is set before it is needed (B60), and a sign-in and a sign-out change the CSRF token (H13)",
  },
  {
    path: /^cookies\.[\w.-]*session-token$/,
    authjs: /set/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, as SPEC.md says, not at every read",
  },
  {
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "clients are told which providers are posted to at once",
  },
  {
    path: /^outcome$/,
    authjs: /^"400 application/,
    keyhook: /^"(?:404|200) /,
    why: "an unknown path is 404 or the application's, and HEAD is a GET without a body (H31)",
  },
  {
    path: /^outcome$/,
    keyhook: /^"400 application\/json"$/,
    why: "a field that is given twice, and JSON that is none, are refused by the route itself",
  },
  {
    path: /^calls\.0\.username$/,
    authjs: /object Object/,
    keyhook: NOTHING,
    why: "a field is the text of its own name",
  },
  {
    at: /^behind a body parser: (?:text|raw) of all types/,
    path: /./,
    why: "what a parser has left as a text or as bytes is read too: Auth.js finds no CSRF token",
  },
  {
    at: /^getSession.*junk/,
    path: /^cookies\.authjs\.session-token$/,
    authjs: NOTHING,
    why: "`getSession` sets cookies of the response: one that is no session is cleared",
  },
  {
    at: /^(?:trust proxy|AUTH_URL)/,
    path: /^(?:body\.credentials\.\w+Url|cookies\..*)$/,
    why: "the public origin is that of AUTH_URL, or what `trustHost` lets be believed; Auth.js reads AUTH_URL in `getSession` alone",
  },
  {
    at: /^(?:AUTH_URL with the path of a proxy|letters of another case)/,
    path: /^outcome$/,
    authjs: /^"200 /,
    keyhook: /^"404 /,
    why: "the base path is that of AUTH_URL, or else the mount's in lower case",
  },
  {
    at: /^a session callback that throws/,
    path: /^outcome$/,
    keyhook: /^"500 /,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
];
