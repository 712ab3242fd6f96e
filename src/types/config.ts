import type { Adapter, DefaultAdapterUser } from "./adapter.ts";
import type { CookiesOptions } from "./cookie.ts";
import type { Awaitable } from "./models.ts";
import type {
  CallbacksOptions,
  EventsOptions,
  Logger,
  PagesOptions,
  SessionOptions,
  Theme,
} from "./options.ts";
import type { Plugin } from "./plugin.ts";
import type { Provider } from "./provider.ts";
import type { JWTOptions } from "./token.ts";

/** An entry of `providers`: a plain object, a plugin of the catalogue, or a function that returns either. */
export type ProviderEntry =
  | Provider
  | Plugin
  // A function is called once, at boot.
  | (() => Provider | Plugin);

/** The configuration of `createAuth`. Every field is optional. */
export interface AuthConfig {
  /**
   * The sign-in methods, in the order of the sign-in page; `use(githubPlugin())` adds one too. Default: none.
   * @example providers: [githubPlugin(), credentialsPlugin({ credentials: { pin: {} }, authorize })]
   */
  providers?: readonly ProviderEntry[];
  /** Plugins in addition to those of the preset; `use(plugin)` adds one too. Default: none. */
  plugins?: readonly Plugin[];
  /**
   * Where users, accounts and stored sessions are kept: an adapter written for Auth.js 5 or for Keyhook. Plugins such
   * as `storeAdapter()` can set one too. Default: none, so nothing is stored and sessions live in cookies. The type
   * requires only the default fields, because an adapter from a package cannot know the fields that an application
   * adds to `User`; storing those is the application's responsibility.
   */
  adapter?: Adapter<DefaultAdapterUser>;
  /**
   * Path below which the routes are mounted. Default: that of `AUTH_URL`, else the preset's, else `/auth`.
   */
  basePath?: string;
  /** The application's decisions, each a tap of the hook with the same name. Default: none. */
  callbacks?: CallbacksOptions;
  /**
   * Names and attributes of cookies that override the defaults, by purpose.
   * @example cookies: { sessionToken: { name: "sid" } }
   */
  cookies?: CookiesOptions;
  /** Writes debug messages to the console if `logger` has no `debug`. For development. Default `false`. */
  debug?: boolean;
  /** Listeners that are told what has happened and change nothing. Default: none. */
  events?: EventsOptions;
  /** `enableWebAuthn`: allows passkeys, with a warning at boot. Default `false`. */
  experimental?: { enableWebAuthn?: boolean };
  /** Session tokens of the strategies `jwt` and `hybrid`. */
  jwt?: JWTOptions;
  /** Receives log messages. Default: the console. */
  logger?: Logger;
  /** Pages of the application that replace the built-in ones. */
  pages?: PagesOptions;
  /**
   * Full URL at which the routes are mounted on the deployment that receives OAuth callbacks for this one.
   * Default `AUTH_REDIRECT_PROXY_URL`.
   */
  redirectProxyUrl?: string;
  /**
   * At least 32 random characters. The first of several signs and seals; all are accepted. Default: `AUTH_SECRET_3`,
   * `_2`, `_1` and `AUTH_SECRET`, else `NEXTAUTH_SECRET`; in development also a random one, with a warning. Production
   * refuses to boot without a secret, and with one of fewer than 16 characters.
   */
  secret?: string | readonly string[];
  /** How sessions are kept, and for how long. */
  session?: SessionOptions;
  /** The symbol `skipCSRFCheck` leaves CSRF protection to the surrounding framework. */
  skipCSRFCheck?: symbol;
  /**
   * Names this application's part of the store: applications with the same text share their records, whatever their
   * secrets, and session cookies are valid only under the same text. Set a different one for each tenant to keep
   * tenants apart. Default: derived from the secrets, so that applications with other secrets find none of the
   * records.
   */
  storeNamespace?: string;
  /**
   * Seconds that a call of the adapter or the store may take, 1 to 8; a request with all its calls has 10. Default 2.
   * Raise it for a database that sleeps between requests.
   */
  storageTimeout?: number;
  /** The look of the built-in pages and e-mails. */
  theme?: Theme;
  /**
   * Whether the host of a request (`X-Forwarded-Host`, else that of its URL) is trusted as the public origin. A list
   * names the trusted hosts (`app.example.com`, `*.example.com`); on a redirect proxy it also names the deployments
   * that it serves. An entry means the default port unless it has one, and may include the scheme
   * (`http://app.internal:3000`). Default: `true` with `AUTH_URL`, else `AUTH_TRUST_HOST`, else only on Vercel, on
   * Cloudflare Pages and in development (`NODE_ENV` of `development` or `test`; or, if neither it nor a public
   * `AUTH_URL` is set, a request from this machine). No link is mailed to a host that only the request states.
   */
  trustHost?: boolean | readonly string[];
  /**
   * Which headers are trusted for the client's address (`ctx.ip`). A number: how many proxies are in front of this
   * server; the address is that entry of `X-Forwarded-For`, counted from the right. A header name: one that the
   * platform sets to a single address (`cf-connecting-ip`, `x-real-ip`) and that clients cannot send. Default
   * `AUTH_TRUST_PROXY`, else 0: no header, only the address of the connection.
   */
  trustProxy?: number | string;
  /** Whether cookies are `Secure` and have prefixed names. Default: whether the public origin is https. */
  useSecureCookies?: boolean;
  /**
   * Environment variables to use instead of those of the process or the Worker. Default: those that the preset's
   * binding takes from the framework, if it does. The `env` of a Worker can be passed as is, bindings included.
   */
  env?: object;
}

/** A configuration, or a function that returns one for each request. */
export type ConfigSource = AuthConfig | ((request: Request | undefined) => Awaitable<AuthConfig>);
