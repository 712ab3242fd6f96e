/** Why a section misses its targets, as measured with profiles and by removing code. */
export const LIMITS: Readonly<Record<string, string>> = {
  Plugins:
    "Each asynchronous tap is awaited before the next one runs, as hooks guarantee, so 50 taps are 50 turns of the microtask queue.",
  "Routes and pages":
    "The floor, a fixed `Response`, is most of each target. Three quarters of the time of GET /auth/csrf is spent in the platform: for `Request`, " +
    "`Response`, the two HMACs of a CSRF token and its random bytes. The page is a `Response` of 8 KB, a CSRF token, a nonce and the visitor's blocks. " +
    "Only responses that do not create a `Response` until it is read are faster. Servers on `node:http` get such responses; other callers of `auth.fetch` " +
    "would notice the difference. The list of providers and the page grow with their content.",
  "Signing in":
    "No function takes more than 5 % of a sign-in. OAuth creates six `Response`s, twenty URLs, three sealed cookies, seven HMACs and 370 promises " +
    "(the floor: 64). OIDC also verifies a signature on the thread pool.",
  "Stored sessions":
    "A sign-in claims its one-time attempt, links the account, adds to the user's list of sessions and writes the session. Each step is atomic, so a process " +
    "that is killed in between leaves nothing half done. These are four commits, where @auth/core has one. A read parses two records.",
  "Over a socket":
    "Node takes three quarters of a request, to parse it and to write the response. @fastify/secure-session opens a cookie and calls no callback. A bare " +
    "route of h3 takes four fifths of its time, which leaves one fifth under h3 for cookies, token, callbacks and response.",
  "Cold start":
    "A fixed `Response` in one file takes 0.9 of the time of @auth/core. V8 compiles 390 functions for Keyhook's first response, and 50 for that of @auth/core: " +
    "the setup of the plugins and the checks of the configuration, in a flat profile. On workerd, half of the time is parsing and evaluating the file.",
  "Size of a server's bundle":
    "Without any texts, and with names of one letter, `keyhook/minimal` with GitHub is 46.8 KiB. Of these, OAuth takes 13 KiB, texts for developers 11, " +
    "checks of the configuration 9, hooks and events 7, and plugins 6.",
};
