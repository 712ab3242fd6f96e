import { createAuthClient, type SignInResult } from "keyhook/client";
import { createReactClient, SessionProvider, useSession } from "keyhook/react";
import { provideSession, SignIn, SignOut } from "keyhook/svelte";
import type { Session } from "keyhook/types";
import { authPlugin, useSession as useVueSession } from "keyhook/vue";

declare module "keyhook/types" {
  interface Session {
    tenant?: string;
  }
}

export const client = createAuthClient({ basePath: "/api/auth" });
export const result: Promise<SignInResult> = client.signIn("github");

/** Reads the application's own fields in a page. */
export async function tenant(): Promise<string | undefined> {
  const session: Session | null = await client.getSession();
  return session?.tenant ?? useSession().data?.tenant ?? useVueSession().data.value?.tenant;
}

export const shown = {
  createReactClient,
  SessionProvider,
  provideSession,
  SignIn,
  SignOut,
  authPlugin,
};
Object.assign(globalThis, { shown, tenant });
