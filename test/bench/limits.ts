/** What stands between Keyhook and the targets of a section that it does not meet: measured, by profiles and by removal. */
export const LIMITS: Readonly<Record<string, string>> = {
  Plugins:
    "Each asynchronous tap is awaited before the next one, as a hook promises: 50 of them are 50 turns of the microtask queue.",
  "Routes and pages":
    "The floor, a fixed `Response`, is most of each target: three quarters of the time of GET /auth/csrf is spent in the platform, for `Request`, `Response`, " +
    "the two HMACs of a CSRF token and its random bytes. The page is a `Response` of 8 KB, a CSRF token, a nonce and the visitor's blocks. Only responses " +
    "that are no `Response` until someone looks go below that; servers on `node:http` get those, other callers of `auth.fetch` would notice. The list of " +
    "providers, and the page, grow with what they contain.",
  "Signing in":
    "No function takes more than 5 % of a sign-in. OAuth is six `Response`s, twenty URLs, three sealed cookies, seven HMACs and 370 promises " +
    "(the floor: 64); OIDC verifies a signature on the thread pool besides.",
  "Stored sessions":
    "A sign-in claims its one-time attempt, links the account, adds to the user's list of sessions and writes the session, each of them atomically, so " +
    "that a process which is killed in between leaves nothing half done: four commits, where @auth/core has one. A read parses two records.",
  "Over a socket":
    "Three quarters of a request are Node's: to parse it, and to write the response. @fastify/secure-session opens a cookie, and calls no callback; a bare " +
    "route of h3 alone takes four fifths of its time, so that under h3 a fifth is left for cookies, token, callbacks and response.",
  "Cold start":
    "A fixed `Response` in one file takes 0.9 of what @auth/core takes. V8 compiles 390 functions for our first response, and 50 for theirs: " +
    "the plugins' setup and the checks of the configuration, a flat profile. On workerd, parsing and evaluating the file are half of it.",
  "Size of a server's bundle":
    "Without a single text, and with names of one letter, `keyhook/minimal` with GitHub is 46.8 KiB. OAuth is 13 KiB of it, texts for developers 11, " +
    "checks of the configuration 9, hooks and events 7, plugins 6.",
};
