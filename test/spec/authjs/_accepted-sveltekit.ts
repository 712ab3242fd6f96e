import type { Accepted } from "./_accepted.ts";

const NOTHING = /^$/;

/** Intended differences of the bindings for SvelteKit. */
export const SVELTEKIT: readonly Accepted[] = [
  {
    path: /^cookies\.[\w.-]*(?:csrf-token|callback-url)$/,
    why: "no cookie is set before it is needed (B60)",
  },
  {
    at: /^locals\.\w+\(\)(?! where the session callback throws)/,
    path: /^cookies\.[\w-]*authjs\.session-token/,
    why: "a session is renewed once per `updateAge`, as SPEC.md says, and cookies are cleared with their own attributes",
  },
  {
    at: /^locals\.auth\(\) where the session callback throws/,
    path: /./,
    why: "a session that could not be read is an error, never `null` (SECURITY.md R7)",
  },
  {
    at: /^locals\.auth\(\) of a function/,
    path: /^calls\.1$/,
    authjs: NOTHING,
    why: "the routes and the page ask for the configuration, and equal ones are booted once",
  },

  // Routes.
  {
    path: /^body\.credentials\.direct$/,
    authjs: NOTHING,
    why: "clients are told which providers are posted to at once",
  },
  {
    at: /^GET \/auth\/csrf/,
    path: /^outcome$/,
    authjs: /404/,
    why: "routes need the CSRF token: `@auth/sveltekit` switches that off",
  },
  {
    at: /^POST \/auth\/signin\/github without a CSRF token/,
    path: /^location/,
    why: "the same",
  },
  {
    at: /^GET \/auth\/providers with AUTH_URL >/,
    path: /^body\.\w+\.\w+Url$/,
    keyhook: /https:\/\/app\.example/,
    why: "the public origin is that of AUTH_URL, for every route",
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
    why: "what follows a post is a GET, for every client",
  },
  {
    at: /^signIn to ""/,
    path: /^redirects/,
    why: "a field that is empty states no target: the visitor stays on the page",
  },
  {
    at: /that does not redirect/,
    path: /^value$/,
    authjs: /undefined/,
    keyhook: /"url"/,
    why: "an action that does not redirect returns where it would have led",
  },
  {
    at: /^signIn (?:without a|of an unknown) provider/,
    path: /^redirects\.callbackUrl$/,
    why: "the target of the sign-in page is a URL",
  },
  {
    at: /^signIn with GitHub/,
    path: /^(?:redirects|cookies\.authjs)\.state$|^cookies\.keyhook\.browser$/,
    authjs: NOTHING,
    why: "`state` is added unless metadata lists S256 (H30), with a cookie of the browser",
  },
  {
    at: /^signIn while Kit builds/,
    path: /./,
    why: "Kit posts no form while it builds",
  },
];
