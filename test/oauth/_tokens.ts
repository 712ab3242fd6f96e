import {
  type AccessToken,
  type AccessTokenRequest,
  accessTokens,
  type AccessTokensAuth,
  type AccessTokensOptions,
} from "../../plugins/oauth/access-tokens.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore, type StoreBackend } from "../../src/kernel.ts";
import { createIdentityProvider, type IdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, ORIGIN, type TestAuth, type TestAuthOptions } from "../_app.ts";

export const ADA_AT_IDP = {
  sub: "ada-1",
  name: "Ada",
  email: "ada@example.com",
  email_verified: true,
};

/** Options of `createTokensApp` in addition to those of `createTestAuth`. */
export interface TokensAppOptions extends TestAuthOptions {
  idp?: IdentityProvider;
  tokens?: AccessTokensOptions;
  /** Backend of the plugins' store. Applications with the same backend act as processes of one application. */
  shared?: StoreBackend;
}

/** An application with `accessTokens`, whose calls receive and set the cookies of a browser. */
export interface TokensApp extends TestAuth {
  readonly idp: IdentityProvider;
  /** What `tokensRefreshed` and `refreshTokenRejected` have reported. */
  readonly events: string[];
  /** Calls `auth.getAccessToken` as server code does, with the cookies of a jar. */
  getToken(request?: Partial<AccessTokenRequest>, jar?: Map<string, string>): Promise<AccessToken>;
  /** Returns the number of refresh requests that the provider has received. */
  countRefreshes(): number;
}

/** Creates the application. */
export function createTokensApp(options: TokensAppOptions = {}): TokensApp {
  const { idp = createIdentityProvider(), tokens, shared, use = [], ...rest } = options;
  const app = createTestAuth({
    preset: standardPreset,
    providers: [idp.provider()],
    idp,
    use: [...(shared ? [defineStore(shared)] : []), ...use, accessTokens(tokens)],
    ...rest,
  } as TestAuthOptions);
  const events: string[] = [];
  app.auth.use({
    name: "test/token-events",
    setup(kernel) {
      for (const name of ["tokensRefreshed", "refreshTokenRejected"] as const) {
        kernel.events.hook(name, () => void events.push(name));
      }
    },
  });
  const auth = app.auth as TestAuth["auth"] & AccessTokensAuth;
  return Object.assign(app, {
    idp,
    events,
    async getToken(request: Partial<AccessTokenRequest> = {}, jar = app.browser.cookies) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const event = {
        req: new Request(`${ORIGIN}/page`, { headers: { cookie } }),
        res: { headers: new Headers() },
      };
      try {
        return await auth.getAccessToken(event, { provider: "idp", ...request });
      } finally {
        for (const set of event.res.headers.getSetCookie()) {
          const [, name = "", value = "", attributes = ""] =
            /^([^=]+)=([^;]*)(.*)$/.exec(set) ?? [];
          if (/max-age=0/i.test(attributes)) jar.delete(name);
          else jar.set(name, value);
        }
      }
    },
    countRefreshes: () =>
      idp.requests.filter(({ body }) => body.get("grant_type") === "refresh_token").length,
  });
}
