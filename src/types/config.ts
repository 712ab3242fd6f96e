import type { Adapter } from "./adapter.ts";
import type { Plugin } from "./kernel.ts";
import type { Awaitable } from "./models.ts";
import type {
  CallbacksOptions,
  CookiesOptions,
  Env,
  EventsOptions,
  JWTOptions,
  Logger,
  PagesOptions,
  SessionOptions,
  Theme,
} from "./options.ts";
import type { Provider } from "./provider.ts";

/** What `providers` takes: plain objects, plugins of the catalogue, or functions giving either. */
export type ProviderEntry =
  | Provider
  | Plugin
  // A function is asked once, at boot.
  | (() => Provider | Plugin);

/** Configuration of an authentication. Every field is optional. */
export interface AuthConfig {
  providers?: readonly ProviderEntry[];
  plugins?: readonly Plugin[];
  adapter?: Adapter;
  /** Where the routes are mounted. Default: the path of `AUTH_URL`, else what the preset says (`/auth`). */
  basePath?: string;
  callbacks?: CallbacksOptions;
  cookies?: CookiesOptions;
  debug?: boolean;
  events?: EventsOptions;
  experimental?: { enableWebAuthn?: boolean };
  jwt?: JWTOptions;
  logger?: Logger;
  pages?: PagesOptions;
  /** Full URL of the deployment that takes callbacks for this one. Default `AUTH_REDIRECT_PROXY_URL`. */
  redirectProxyUrl?: string;
  /** At least 32 random characters. The first of several signs, all are accepted. Default `AUTH_SECRET`. */
  secret?: string | readonly string[];
  session?: SessionOptions;
  /** The symbol `skipCSRFCheck` leaves CSRF protection to the framework around. */
  skipCSRFCheck?: symbol;
  theme?: Theme;
  /**
   * Whether the request's host may be believed; a list names the hosts that may
   * (`app.example.com`, `*.example.com`); on a redirect proxy also the deployments it serves. Default `AUTH_TRUST_HOST`, else only outside production.
   */
  trustHost?: boolean | readonly string[];
  /** Default: whether the public origin is https. */
  useSecureCookies?: boolean;
  /** Stands in for the process's environment. */
  env?: Env;
}

/** A configuration, or a function that gives one for each request. */
export type ConfigSource = AuthConfig | ((request: Request | undefined) => Awaitable<AuthConfig>);
