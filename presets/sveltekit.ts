import type { ActionFailure, RequestEvent } from "@sveltejs/kit";
import {
  createKitBinding,
  type KitActionFailure,
  type KitMembers,
} from "../plugins/bindings/sveltekit.ts";
import {
  type Auth,
  type AuthConfig,
  type Awaitable,
  createAuthWith,
  definePreset,
  type Session,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

declare global {
  namespace App {
    interface Locals {
      /** Resolves to the session of this request, or to `null`. Read once. */
      auth(): Promise<Session | null>;
      /** @deprecated The name of `auth` in older Auth.js applications. */
      getSession(): Promise<Session | null>;
    }
    interface PageData {
      /** The session that `load` of a layout returns. */
      session?: Session | null;
    }
  }
}

/** The members that `createAuth` of `keyhook/sveltekit` adds to an Auth. */
export type SvelteKitMembers = KitMembers<ActionFailure<KitActionFailure>>;

/** The configuration of a SvelteKit application. */
export type SvelteKitAuthConfig = AuthConfig;

/** A configuration, or a function of the event that returns one. */
export type SvelteKitConfigSource =
  | SvelteKitAuthConfig
  | ((event: RequestEvent) => Awaitable<SvelteKitAuthConfig>);

/**
 * Creates an Auth of the standard preset for SvelteKit, version 2 and 3.
 * @example
 * // src/hooks.server.ts
 * export const { handle } = createAuth().use(githubPlugin());
 */
export function createAuth(config: SvelteKitConfigSource = {}): Auth & SvelteKitMembers {
  const { binding, find, getPresetParts } = createKitBinding<ActionFailure<KitActionFailure>>();
  const preset = definePreset({
    name: "sveltekit",
    extends: [standardPreset],
    get plugins() {
      return getPresetParts().plugins;
    },
    get defaults() {
      return getPresetParts().defaults;
    },
    binding,
  });
  if (typeof config !== "function") return createAuthWith(preset, config);
  return createAuthWith(preset, (request) => config(find(request as Request) as RequestEvent));
}

/** `createAuth` under its name in Auth.js, so that an application needs to change only its imports. */
export const SvelteKitAuth: typeof createAuth = createAuth;

export type {
  KitActionFailure,
  KitActionResult,
  KitHandle,
  KitSignIn,
  KitSignOut,
} from "../plugins/bindings/sveltekit.ts";
export type { KitEvent } from "../plugins/bindings/sveltekit/visit.ts";
export { AuthError, CredentialsSignin } from "../src/errors.ts";
export { customFetch } from "../src/kernel.ts";
export type { Account, DefaultSession, Profile, Session, User } from "../src/types.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
