import { InvalidConfig } from "../../src/errors.ts";
import {
  type AnyRequestSource,
  definePlugin,
  type Kernel,
  type Plugin,
  requireMethods,
} from "../../src/kernel.ts";
import { pageRenderer } from "../pages/renderer.ts";
import { type Apps, resolveApps } from "./native-apps/apps.ts";
import { decideConsent, askAgain, showConsent } from "./native-apps/authorize.ts";
import { decideDevice, showDevice, startDevice } from "./native-apps/device.ts";
import { InvalidUserCode } from "./native-apps/errors.ts";
import { createGrants } from "./native-apps/grants.ts";
import { ENGLISH } from "./native-apps/messages.ts";
import { buildMetadata, sendMetadata, type ServerMetadata } from "./native-apps/metadata.ts";
import type { NativeAppsOptions } from "./native-apps/options.ts";
import type { Parts, Run } from "./native-apps/parts.ts";
import { sendToken } from "./native-apps/token.ts";
import { createLimiter } from "./rate-limit.ts";

export { InvalidUserCode } from "./native-apps/errors.ts";
export type { ServerMetadata } from "./native-apps/metadata.ts";
export type * from "./native-apps/options.ts";

/** What `nativeApps` adds to an Auth. */
export interface NativeAppsAuth {
  /**
   * Resolves to the metadata of the routes (RFC 8414), for `GET /.well-known/oauth-authorization-server` followed by
   * the base path. Clients that know only the URL of the routes look there, which is outside of the base path.
   * @example app.get("/.well-known/oauth-authorization-server/auth", (event) => auth.getServerMetadata(event));
   */
  getServerMetadata(call: AnyRequestSource): Promise<ServerMetadata>;
}

const NAME = "security/native-apps";

type RouteOptions = Pick<Parameters<Kernel["addRoute"]>[0], "auth" | "csrf" | "cookies" | "json">;

/** An app calls the route, not a browser. A cookie would belong to a user whom the app does not know. */
const APP_ROUTE: RouteOptions = { csrf: false, cookies: false, json: true };

const ROUTES: readonly [method: "GET" | "POST", path: string, run: Run, options: RouteOptions][] = [
  ["GET", "/authorize", showConsent, {}],
  ["POST", "/authorize", decideConsent, { auth: true }],
  ["POST", "/token", sendToken, APP_ROUTE],
  ["GET", "/.well-known/oauth-authorization-server", sendMetadata, { cookies: false, json: true }],
];

/** Registered if there is an app for devices. */
const DEVICE_ROUTES: typeof ROUTES = [
  ["POST", "/device-authorization", startDevice, APP_ROUTE],
  ["GET", "/device", showDevice, { auth: true }],
  ["POST", "/device", decideDevice, { auth: true }],
];

// The account of an app's session names the app, which a callback could mistake for a provider with the same id.
function checkIds({ providers }: Kernel, apps: Apps): void {
  for (const id of apps.keys()) {
    if (!providers.has(id)) continue;
    throw new InvalidConfig(
      `The app "${id}" of nativeApps() has the id of a provider. Give it another id, such as "${id}-app".`,
    );
  }
}

/**
 * Lets native applications sign users in by the pages. Apps on mobile and desktop systems use an authorization code
 * with PKCE (OAuth 2.0, RFC 8252). Command lines and devices without a browser use a code that the user types (RFC
 * 8628). The user signs in in the browser, with any provider, and allows the app. The app then gets its own session
 * token, which an Auth with `bearer()` accepts. Requires an atomic store.
 * @throws InvalidConfig at boot for an invalid app, such as one with a redirect URI that another app could claim.
 * @example
 * export const auth = createAuth({ providers }).use(redisStore(client)).use(nativeApps({
 *   apps: { ios: { name: "Acme for iOS", redirectUris: ["com.acme.app:/signed-in"] } },
 * }));
 */
export const nativeApps: (options: NativeAppsOptions) => Plugin<NativeAppsAuth> = definePlugin(
  function nativeApps(options): Plugin<NativeAppsAuth> {
    return {
      name: NAME,
      conflicts: ["security/bearer"],
      extend: (run) => ({
        getServerMetadata: (call) =>
          run(call, async (ctx) => buildMetadata(resolveApps(options), ctx)),
      }),
      plugins: [pageRenderer()],
      setup(kernel) {
        const apps = resolveApps(options);
        const parts: Parts = {
          apps,
          grants: createGrants(kernel),
          limiter: createLimiter(kernel, "native-app-codes"),
          warned: new Set(),
        };
        kernel.addMessages("en", ENGLISH);
        kernel.addError(InvalidUserCode, {
          text: "device",
          message: "The code is wrong, used or expired.",
        });
        kernel.hooks.error.tap(NAME, askAgain);
        kernel.hooks.ready.tap(NAME, (it) => {
          checkIds(it, apps);
          if (it.adapter) requireMethods(it, "native apps", ["getUser"]);
        });
        const hasDevices = [...apps.values()].some(({ device }) => device);
        for (const [method, path, run, rest] of hasDevices
          ? [...ROUTES, ...DEVICE_ROUTES]
          : ROUTES) {
          kernel.addRoute({ method, path, handler: (ctx) => run(parts, ctx), ...rest });
        }
      },
    };
  },
);
