/** What stands between Keyhook and the targets of a section that it does not meet: measured, by profiles and by removal. */
export const LIMITS: Readonly<Record<string, string>> = {
  Plugins:
    "Each asynchronous tap is awaited before the next one, as a hook promises: 50 of them are 50 turns of the microtask queue.",
  "Routes and pages":
    "A standard `Response` with its headers takes 5 us here, and the two HMACs of a CSRF token 1.4: with the request's context, no GET /auth/csrf " +
    "takes less than 11. The page is a `Response` of 8 KB (10 us), a CSRF token, a nonce and the visitor's blocks. Only responses that are no " +
    "`Response` until someone looks go below that; servers on `node:http` get those, other callers of `auth.fetch` would notice.",
  "Signing in":
    "No function takes more than 5 % of a sign-in. OAuth is six `Response`s, twenty URLs, three sealed cookies, seven HMACs and 370 promises " +
    "(the floor: 64); OIDC verifies a signature on the thread pool besides.",
  "Stored sessions":
    "A sign-in claims its one-time attempt, links the account, adds to the user's list of sessions and writes the session, each of them atomically, so " +
    "that a process which is killed in between leaves nothing half done: four commits, where @auth/core has one. A read parses two records.",
  "Over a socket":
    "Of 20 us a request with a session cookie, Node takes 12 to parse it and to write a constant response; @fastify/secure-session opens a " +
    "cookie, and calls no callback. Under h3, its own router and srvx come to that.",
  "Cold start":
    "A fixed `Response` in one file takes 0.9 of what @auth/core takes. V8 compiles 390 functions for our first response, and 50 for theirs: " +
    "the plugins' setup and the checks of the configuration, a flat profile. On workerd, parsing and evaluating the file are half of it.",
  "Size of a server's bundle":
    "Without a single text, and with names of one letter, `keyhook/minimal` with GitHub is 46.8 KiB. OAuth is 13 KiB of it, texts for developers 11, " +
    "checks of the configuration 9, hooks and events 7, plugins 6.",
};
