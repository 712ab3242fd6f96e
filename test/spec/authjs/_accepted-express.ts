import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings for Express. */
export const EXPRESS: readonly Accepted[] = [
  {
    path: /^cookies\.[\w.-]*(?:csrf-token|callback-url)$/,
    why: "a cookie is set only when it is needed, and a sign-in and a sign-out change the CSRF token",
  },
  {
    path: /^cookies\.[\w.-]*session-token$/,
    authjs: /set/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, not at every read",
  },
  {
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "the list of providers says which of them receive a POST directly",
  },
  {
    path: /^outcome$/,
    authjs: /^"400 application/,
    keyhook: /^"(?:404|200) /,
    why: "an unknown path gets 404 or is left to the application, and HEAD is a GET without a body",
  },
  {
    path: /^outcome$/,
    keyhook: /^"400 application\/json"$/,
    why: "a repeated field and malformed JSON are refused by the route",
  },
  {
    path: /^calls\.0\.username$/,
    authjs: /object Object/,
    keyhook: NOTHING,
    why: "a field with brackets in its name is not a part of another field",
  },
  {
    at: /^behind a body parser: (?:text|raw) of all types/,
    path: /./,
    why: "a body that a parser has left as text or bytes is also read; Auth.js finds no CSRF token in it",
  },
  {
    at: /^getSession.*junk/,
    path: /^cookies\.authjs\.session-token$/,
    authjs: NOTHING,
    why: "`getSession` sets cookies of the response, so an invalid session cookie is cleared",
  },
  {
    at: /^(?:trust proxy|AUTH_URL)/,
    path: /^(?:body\.credentials\.\w+Url|cookies\..*)$/,
    why: "the public origin is that of AUTH_URL, or one that `trustHost` allows; Auth.js reads AUTH_URL only in `getSession`",
  },
  {
    at: /^(?:AUTH_URL with the path of a proxy|letters of another case)/,
    path: /^outcome$/,
    authjs: /^"200 /,
    keyhook: /^"404 /,
    why: "the base path is that of AUTH_URL, or else the mount path in lower case",
  },
  {
    at: /^a session callback that throws/,
    path: /^outcome$/,
    keyhook: /^"500 /,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
];
