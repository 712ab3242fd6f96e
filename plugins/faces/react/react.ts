"use client";

import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type AuthClientOptions, authClient, createAuthClient } from "../../../src/client.ts";
import type { AuthClient } from "../../../src/client.ts";
import type {
  ReactClient,
  SessionContextValue,
  SessionProviderProps,
  UseSessionOptions,
} from "./types.ts";

export { ClientError } from "../../../src/client.ts";
export type {
  AuthClientOptions,
  Session,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../../src/client.ts";
export type {
  ReactClient,
  SessionContextValue,
  SessionProviderProps,
  UseSessionOptions,
} from "./types.ts";

function faceOf(client: AuthClient): ReactClient {
  const Context = createContext<SessionContextValue | undefined>(undefined);

  function SessionProvider({ children, session, ...options }: SessionProviderProps) {
    const [watch] = useState(() => client.watchSession({ session, ...options }));
    // What the server rendered is what the first rendering here shows, whatever is known by then.
    const [rendered] = useState(() => watch.read());
    const state = useSyncExternalStore(watch.subscribe, watch.read, () => rendered);
    const json = JSON.stringify(session);
    const given = useRef(json);
    useEffect(() => {
      // A server component rendered anew, after an action that signed somebody in or out.
      if (session !== undefined && given.current !== json) watch.take(session);
      given.current = json;
    }, [json]);
    const value = useMemo(() => ({ ...state, update: client.update }), [state]);
    return createElement(Context.Provider, { value }, children);
  }

  function useSession<Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ): SessionContextValue<Required> {
    const value = useContext(Context);
    if (!value) throw new Error("`useSession` needs a `SessionProvider` around its component.");
    const { required = false, onUnauthenticated } = options ?? {};
    const isBarred = required && value.status === "unauthenticated";
    useEffect(() => {
      if (isBarred) (onUnauthenticated ?? client.requireSignIn)();
    }, [isBarred]);
    const shown = isBarred ? { ...value, status: "loading" as const } : value;
    return shown as SessionContextValue<Required>;
  }

  return { ...client, SessionProvider, useSession };
}

/**
 * The functions below for a server that is mounted elsewhere than at `/auth`. It is called once, in a
 * module of the application that the others import from.
 * @example
 * export const { SessionProvider, useSession, signIn } = createReactClient({ basePath: "/api/auth" });
 */
export function createReactClient(options: AuthClientOptions): ReactClient {
  return faceOf(createAuthClient(options));
}

/** Keeps the session for the components inside; with `session` from the server nothing is asked. */
export const { SessionProvider, useSession } = faceOf(authClient);

export {
  getCsrfToken,
  getProviders,
  getSession,
  registerPasskey,
  signIn,
  signInWithPasskey,
  signOut,
} from "../../../src/client.ts";
