import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings. */
export const BINDINGS: readonly Accepted[] = [
  // Cookies.
  {
    path: /cookies\.[\w-]*(?:authjs\.)?(?:csrf-token|callback-url)$/,
    keyhook: NOTHING,
    why: "a cookie is set only when it is needed",
  },
  {
    path: /cookies\.[\w-]*authjs\.session-token$/,
    authjs: /value/,
    keyhook: NOTHING,
    why: "a session is renewed once per `updateAge`, not at every read",
  },
  {
    path: /cookies\.(?:__Host-)?keyhook\.[\w-]+$|cookies\.authjs\.state$/,
    authjs: NOTHING,
    why: "Keyhook has further cookies, and adds `state` unless the metadata lists S256",
  },
  {
    at: /^(?:signIn|an error of signIn)/,
    path: /cookies\.authjs\.callback-url$/,
    authjs: NOTHING,
    why: "the target is kept after a failed sign-in",
  },
  {
    at: /^auth\(\) with junk/,
    path: /cookies\.authjs\.session-token$/,
    authjs: NOTHING,
    why: "where cookies can be set, an invalid session cookie is cleared",
  },

  {
    at: /that renews the session/,
    path: /cookies\.authjs\.session-token$|expires$/,
    keyhook: /value|12:00:00/,
    why: "where cookies can be set, `auth()` also renews a session that is due, and its result has the new expiry",
  },

  // The session.
  {
    at: /\(database\)/,
    path: /^value\.(?:body\.)?(?:user\.(?:emailVerified|role)|sessionToken|userId)$/,
    keyhook: NOTHING,
    why: "the user in the `session` callback has only `id`, `name`, `email` and `image`",
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
    why: "a configuration function also receives the request of components and actions",
  },
  {
    at: /^unstable_update \(database\)/,
    path: /^value\.user\.id$/,
    authjs: NOTHING,
    why: "the user of `unstable_update` has the `id` that `auth()` gives it",
  },

  // Route handlers and the proxy.
  {
    at: /^a route handler with a configuration function/,
    path: /./,
    authjs: NOTHING,
    why: "with a configuration function, `auth(handler)` of Auth.js returns a promise, which is not a route handler",
  },
  {
    at: /^a route handler with a configuration function/,
    path: /^throws$/,
    why: "the same difference as in the previous row",
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
    why: "the sign-in page and the page to return to are at the public origin",
  },
  {
    at: /^a proxy at a route of the library/,
    path: /./,
    why: "the routes stay reachable, whatever `authorized` returns",
  },
  {
    at: /^a proxy for a request of a script/,
    path: /./,
    why: "a script gets status 401 instead of a page",
  },
  {
    at: /^a proxy/,
    path: /^(?:status|location\.a)$/,
    why: "the sign-in page's URL does not get the query of another page, and a posted form is not posted to it",
  },

  // Routes, `signIn` and `signOut`.
  {
    at: /^the route of providers/,
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "the list of providers says which of them receive a POST directly",
  },
  {
    at: /^signIn of a provider \(/,
    path: /^redirects\.(?:scope|state)$/,
    why: "no scope is added for a provider of type `oauth`, but `state` is added",
  },
  {
    at: /^signIn of a provider with a configuration function/,
    path: /^value$/,
    why: "the same difference as in the previous row",
  },
  {
    at: /^signIn/,
    path: /^(?:redirects\.callbackUrl|value)$/,
    authjs: /"\/|callbackUrl=%2F/,
    keyhook: /http:|https:|callbackUrl=http/,
    why: "the target of the sign-in page is an absolute URL",
  },
  {
    at: /^signIn to {2}\(/,
    path: /^redirects/,
    why: "an empty field is not a target, so the visitor stays on the page",
  },
  {
    at: /^signOut that does not redirect/,
    path: /^value/,
    why: "`signOut` resolves to the URL, like `signIn`",
  },
  {
    at: /^signOut by a form/,
    path: /^redirects/,
    why: "a form can also contain the target of `signOut`",
  },
];
