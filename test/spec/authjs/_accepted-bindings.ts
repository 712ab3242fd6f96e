import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings. */
export const BINDINGS: readonly Accepted[] = [
  // Cookies.
  {
    path: /cookies\.[\w-]*(?:authjs\.)?(?:csrf-token|callback-url)$/,
    keyhook: NOTHING,
    why: "no cookie is set before it is needed (B60)",
  },
  {
    path: /cookies\.[\w-]*authjs\.session-token$/,
    authjs: /value/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, as SPEC.md says, not at every read",
  },
  {
    path: /cookies\.(?:__Host-)?keyhook\.[\w-]+$|cookies\.authjs\.state$/,
    authjs: NOTHING,
    why: "cookies of its own, and `state` unless metadata lists S256 (H30)",
  },
  {
    at: /^(?:signIn|an error of signIn)/,
    path: /cookies\.authjs\.callback-url$/,
    authjs: NOTHING,
    why: "the target outlives a sign-in that fails",
  },
  {
    at: /^auth\(\) with junk/,
    path: /cookies\.authjs\.session-token$/,
    authjs: NOTHING,
    why: "where cookies can be set, one that is no session is cleared",
  },

  {
    at: /that renews the session/,
    path: /cookies\.authjs\.session-token$|expires$/,
    keyhook: /value|12:00:00/,
    why: "where cookies can be set, a session that is due is renewed: also by `auth()`, and the result has its new end",
  },

  // The session.
  {
    at: /\(database\)/,
    path: /^value\.(?:body\.)?(?:user\.(?:emailVerified|role)|sessionToken|userId)$/,
    keyhook: NOTHING,
    why: "the `session` callback is given `id`, `name`, `email` and `image` (H28)",
  },
  {
    at: /session callback returns no user/,
    path: /value\.user$/,
    keyhook: NOTHING,
    why: "the session is what the `session` callback returns",
  },
  {
    at: /session callback throws|host that is not trusted/,
    path: /value$|throws$/,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
  {
    path: /^calls\.\d$/,
    authjs: /nothing/,
    keyhook: /a request/,
    why: "a configuration that is a function is given the request of components and actions too",
  },
  {
    at: /^unstable_update \(database\)/,
    path: /^value\.user\.id$/,
    authjs: NOTHING,
    why: "the user of `unstable_update` has the `id` that `auth()` gives it",
  },

  // Route handlers and the proxy.
  {
    at: /^a route handler of a function/,
    path: /./,
    authjs: NOTHING,
    why: "with a function, `auth(handler)` of Auth.js returns a promise: no route handler",
  },
  {
    at: /^a route handler of a function/,
    path: /^throws$/,
    why: "the same",
  },
  {
    at: /^a route handler that returns nothing/,
    path: /^value/,
    why: "Next.js reports a route handler that returns nothing, and `NextResponse.next()` there",
  },
  {
    at: /that authorized refuses/,
    path: /./,
    why: "`authorized` also stops handlers that `auth()` wraps",
  },
  {
    at: /^a proxy of a public address that refuses/,
    path: /^location\.(?:to|callbackUrl)$/,
    keyhook: /https:\/\/app\.example/,
    why: "the sign-in page, and the page it leads back to, are at the public origin",
  },
  {
    at: /^a proxy at a route of the library/,
    path: /./,
    why: "the routes stay reachable, whatever `authorized` returns",
  },
  {
    at: /^a proxy for a request of a script/,
    path: /./,
    why: "a script gets 401, and no page",
  },
  {
    at: /^a proxy/,
    path: /^(?:status|location\.a)$/,
    why: "the sign-in page has no query of another page, and a posted form is not posted to it",
  },

  // Routes, `signIn` and `signOut`.
  {
    at: /^the route of providers/,
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "clients are told which providers are posted to at once",
  },
  {
    at: /^signIn of a provider \(/,
    path: /^redirects\.(?:scope|state)$/,
    why: "no scope is added to that of a provider of type `oauth`; `state` is (H30)",
  },
  {
    at: /^signIn of a provider, of a function/,
    path: /^value$/,
    why: "the same",
  },
  {
    at: /^signIn/,
    path: /^(?:redirects\.callbackUrl|value)$/,
    authjs: /"\/|callbackUrl=%2F/,
    keyhook: /http:|https:|callbackUrl=http/,
    why: "the target of the sign-in page is a URL",
  },
  {
    at: /^signIn to {2}\(/,
    path: /^redirects/,
    why: "a field that is empty states no target: the visitor stays on the page",
  },
  {
    at: /^signOut that does not redirect/,
    path: /^value/,
    why: "`signOut` resolves to the URL, as `signIn` does",
  },
  {
    at: /^signOut by a form/,
    path: /^redirects/,
    why: "a form states the target for `signOut` too",
  },
];
