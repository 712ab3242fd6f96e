import type { NextRequest } from "next/server";
import { homePlugin } from "../plugins/bindings/_home.ts";
import {
  getNextBase,
  nextBinding,
  type NextAuthResult,
  type NextAuthConfig,
  type NextConfigSource,
  type NextMembers,
} from "../plugins/bindings/next.ts";
import { storedUserId } from "../plugins/bindings/next/user-id.ts";
import {
  type ConfigSource,
  type CreateAuth,
  createAuthWith,
  definePreset,
  type Preset,
} from "../src/kernel.ts";
import { standardPreset } from "./standard.ts";

const base = getNextBase();

/** The standard preset with the binding for Next.js. The routes are below `/api/auth`. */
export const nextPreset: Preset<NextMembers> = definePreset({
  name: "next",
  extends: [standardPreset],
  plugins: [storedUserId(), ...(base ? [homePlugin(base)] : [])],
  defaults: { basePath: `${base}/api/auth` },
  binding: nextBinding,
});

// The requests of components, actions and the Pages router are not Next.js requests.
async function toNextRequest(request: Request | undefined): Promise<NextRequest | undefined> {
  if (!request || "nextUrl" in request) return request as NextRequest | undefined;
  const { NextRequest: Made } = await import("next/server.js");
  return new Made(request.url, { method: request.method, headers: request.headers });
}

/**
 * Creates an Auth of the standard preset for Next.js 15 and 16.
 * @example
 * export const { handlers, auth, signIn, signOut } = createAuth().use(githubPlugin());
 */
export const createAuth: CreateAuth<NextAuthResult, NextConfigSource, NextAuthConfig> = (
  config?: NextConfigSource,
) => {
  const source =
    typeof config === "function"
      ? async (request: Request | undefined) => config(await toNextRequest(request))
      : config;
  return createAuthWith(nextPreset, source as ConfigSource | undefined) as NextAuthResult;
};

/** Has the name of `NextAuth` in Auth.js 5, so that an application needs to change only its import. */
export { createAuth as NextAuth };

export { AuthError, CredentialsSignin } from "../src/errors.ts";
export { customFetch } from "../src/kernel.ts";
export type {
  NextAuthConfig,
  NextAuthFunction,
  NextAuthRequest,
  NextAuthResult,
  NextConfigSource,
  NextMembers,
  NextRouteContext,
  NextSignInOptions,
  NextSignOutOptions,
} from "../plugins/bindings/next.ts";
export type { Account, DefaultSession, Profile, Session, User } from "../src/types.ts";
// The types of providers that are plain objects.
export type {} from "./standard.ts";
export default createAuth;
