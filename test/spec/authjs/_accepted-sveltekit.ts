import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings for SvelteKit. */
export const SVELTEKIT: readonly Accepted[] = [
  {
    path: /^cookies\.[\w.-]*(?:csrf-token|callback-url)$/,
    why: "a cookie is set only when it is needed",
  },
  {
    at: /^locals\.\w+\(\)(?! where the session callback throws)/,
    path: /^cookies\.[\w-]*authjs\.session-token/,
    why: "a session is renewed once per `updateAge`, and cookies are cleared with their own attributes",
  },
  {
    at: /^locals\.auth\(\) where the session callback throws/,
    path: /./,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
  {
    at: /^locals\.auth\(\) with a configuration function/,
    path: /^calls\.1$/,
    authjs: NOTHING,
    why: "the routes and the page both call the configuration function, and equal configurations are booted once",
  },

  // Routes.
  {
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "the list of providers says which of them receive a POST directly",
  },
  {
    at: /^GET \/auth\/csrf/,
    path: /^outcome$/,
    authjs: /404/,
    why: "routes require the CSRF token, which `@auth/sveltekit` turns off",
  },
  {
    at: /^POST \/auth\/signin\/github without a CSRF token/,
    path: /^location/,
    why: "the same difference as in the previous row",
  },
  {
    at: /^GET \/auth\/providers with AUTH_URL >/,
    path: /^body\.\w+\.\w+Url$/,
    keyhook: /https:\/\/app\.example/,
    why: "the public origin is that of AUTH_URL for every route",
  },
  {
    at: /^GET \/auth\/providers with AUTH_URL with a path/,
    path: /^outcome$/,
    why: "the path of AUTH_URL is the base path; `@auth/sveltekit` ignores it",
  },

  // Actions.
  {
    at: /^sign(?:In|Out)/,
    path: /^status$/,
    authjs: /302/,
    keyhook: /303/,
    why: "a redirect after a POST is followed by a GET in every client",
  },
  {
    at: /^signIn to ""/,
    path: /^redirects/,
    why: "an empty field is not a target, so the visitor stays on the page",
  },
  {
    at: /that does not redirect/,
    path: /^value$/,
    authjs: /undefined/,
    keyhook: /"url"/,
    why: "an action that does not redirect returns the URL to which it would have redirected",
  },
  {
    at: /^signIn (?:without a|of an unknown) provider/,
    path: /^redirects\.callbackUrl$/,
    why: "the target of the sign-in page is an absolute URL",
  },
  {
    at: /^signIn with GitHub/,
    path: /^(?:redirects|cookies\.authjs)\.state$|^cookies\.keyhook\.browser$/,
    authjs: NOTHING,
    why: "`state` is added unless the metadata lists S256, with a cookie that identifies the browser",
  },
  {
    at: /^signIn while Kit builds/,
    path: /./,
    why: "SvelteKit posts no form while it builds",
  },
];
