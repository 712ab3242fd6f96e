import { computed, type ComputedRef } from "vue";
import { useNuxtApp } from "#imports";
import type {
  AuthClient,
  ClientError,
  Session,
  SessionState,
  SignOutResult,
  User,
} from "../../../../src/client.ts";
import type { NuxtAuth, NuxtClient } from "./state.ts";

const getAuth = (): NuxtAuth => (useNuxtApp() as unknown as { $keyhook: NuxtAuth }).$keyhook;

/** The session, as `useSession` returns it. */
export interface UseSession {
  readonly data: ComputedRef<Session | null>;
  readonly status: ComputedRef<SessionState["status"]>;
  /** Why the last read failed. `data` is then the previous session. */
  readonly error: ComputedRef<ClientError | null>;
  /**
   * Changes the session: the `jwt` and `session` callbacks receive the data.
   * @throws ClientError when the server could not be reached, or refused.
   */
  readonly update: AuthClient["update"];
  /**
   * Reads the session from the server now.
   * @throws ClientError when that fails. The previous session is then kept.
   */
  readonly refresh: NuxtAuth["refresh"];
}

/** Returns the session, kept up to date. */
export function useSession(): UseSession {
  const { client, state, refresh } = getAuth();
  return {
    data: computed(() => state.value.data),
    status: computed(() => state.value.status),
    error: computed(() => state.value.error),
    update: client.update,
    refresh,
  };
}

/** The session, and the functions that change it. */
export interface UseAuth extends NuxtClient, Omit<UseSession, "data" | "update"> {
  readonly session: ComputedRef<Session | null>;
  readonly user: ComputedRef<User | null>;
  readonly signedIn: ComputedRef<boolean>;
  /** Whether it is known if there is a session. It is not yet known on pages that were rendered for all visitors. */
  readonly ready: ComputedRef<boolean>;
  /**
   * Resolves to the session once it is known, for route middleware and plugins. Resolves to `null` without a session,
   * and when it could not be read. It is also `null` on the server for a page that is rendered for all visitors; the
   * browser then decides.
   * @example const session = await useAuth().waitForSession();
   */
  readonly waitForSession: () => Promise<Session | null>;
}

/**
 * Returns the session and the functions that change it.
 * @example const { user, signedIn, signIn, signOut } = useAuth();
 */
export function useAuth(): UseAuth {
  const { data, status, ...rest } = useSession();
  const { client, settle } = getAuth();
  return {
    ...client,
    ...rest,
    waitForSession: async () => (await settle()).data,
    status,
    session: data,
    user: computed(() => data.value?.user ?? null),
    signedIn: computed(() => status.value === "authenticated"),
    ready: computed(() => status.value !== "loading"),
  };
}

/** The session under the names of nuxt-auth-utils. */
export interface UseUserSession {
  readonly ready: ComputedRef<boolean>;
  readonly loggedIn: ComputedRef<boolean>;
  readonly user: ComputedRef<User | null>;
  readonly session: ComputedRef<Session | null>;
  fetch(): Promise<Session | null>;
  clear(): Promise<SignOutResult>;
}

/** Returns the session under the names of nuxt-auth-utils, for applications that migrate from it. */
export function useUserSession(): UseUserSession {
  const { ready, signedIn, user, session, refresh, signOut } = useAuth();
  const clear = () => signOut({ redirect: false });
  return { ready, loggedIn: signedIn, user, session, fetch: refresh, clear };
}
