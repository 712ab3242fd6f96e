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
import {
  type AuthClientOptions,
  authClient,
  createAuthClient,
  type AuthClient,
} from "../../src/client.ts";
import type {
  ReactClient,
  SessionContextValue,
  SessionProviderProps,
  UseSessionOptions,
} from "./react/types.ts";

export { ClientError } from "../../src/client.ts";
export type {
  AuthClientOptions,
  AuthorizationParams,
  Session,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../src/client.ts";
export type {
  ReactClient,
  SessionContextValue,
  SessionProviderProps,
  UpdateSession,
  UseSessionOptions,
} from "./react/types.ts";

function buildReactClient(client: AuthClient): ReactClient {
  const SessionContext = createContext<SessionContextValue | undefined>(undefined);

  function SessionProvider({ children, session, ...options }: SessionProviderProps) {
    const [watch] = useState(() => client.watchSession({ session, ...options }));
    // The first render must match the server's (hydration), even if the client already knows a newer session.
    const [rendered] = useState(() => watch.read());
    const state = useSyncExternalStore(watch.subscribe, watch.read, () => rendered);
    const json = JSON.stringify(session);
    const given = useRef(json);
    useEffect(() => {
      // A server component was rendered again, after an action that signed a user in or out.
      if (session !== undefined && given.current !== json) watch.set(session);
      given.current = json;
    }, [json]);
    const value = useMemo(() => ({ ...state, update: client.update }), [state]);
    return createElement(SessionContext.Provider, { value }, children);
  }

  function useSession<Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ): SessionContextValue<Required> {
    const value = useContext(SessionContext);
    if (!value)
      throw new Error(
        "`useSession` needs a `SessionProvider` around its component. Render one near the root.",
      );
    const { required = false, onUnauthenticated } = options ?? {};
    const isBarred = required && value.status === "unauthenticated";
    useEffect(() => {
      if (isBarred) (onUnauthenticated ?? client.requireSignIn)();
    }, [isBarred]);
    const shown = isBarred ? { ...value, status: "loading" as const } : value;
    return shown as SessionContextValue<Required>;
  }

  return { ...client, SessionContext, SessionProvider, useSession };
}

/**
 * Returns the functions of this module for a server that is not mounted at `/auth`. Call it once, in a module from
 * which the application's other modules import.
 * @example
 * export const { SessionProvider, useSession, signIn } = createReactClient({ basePath: "/api/auth" });
 */
export function createReactClient(options: AuthClientOptions): ReactClient {
  return buildReactClient(createAuthClient(options));
}

const react: ReactClient = buildReactClient(authClient);

/** The context of `SessionProvider`. Tests and stories can set a session with its `Provider`. */
export const SessionContext: ReactClient["SessionContext"] = react.SessionContext;
/** Provides the session to the components inside. With `session` from the server, none is fetched initially. */
export const SessionProvider: ReactClient["SessionProvider"] = react.SessionProvider;
/**
 * Returns the session of the `SessionProvider` around the component.
 * @throws Error without a `SessionProvider`.
 */
export const useSession: ReactClient["useSession"] = react.useSession;

export {
  getCsrfToken,
  getProviders,
  getSession,
  registerPasskey,
  signIn,
  signInWithPasskey,
  signOut,
} from "../../src/client.ts";
