import type { Context, FunctionComponent, ReactNode } from "react";
import type { AuthClient, ClientError, Session, WatchOptions } from "../../../src/client.ts";

/** The function that updates the session from a component. */
export type UpdateSession = AuthClient["update"];

interface Known {
  data: Session;
  status: "authenticated";
  update: UpdateSession;
  /** Why the last fetch of the session failed. `data` is then the previous session. */
  error: ClientError | null;
}

interface Unknown<Status extends string> {
  data: null;
  status: Status;
  update: UpdateSession;
  /** Why the last fetch of the session failed. `data` is then the previous session. */
  error: ClientError | null;
}

/** The value of `useSession`. With `required`, its status is never `unauthenticated`. */
export type SessionContextValue<Required extends boolean = false> = Required extends true
  ? Known | Unknown<"loading">
  : Known | Unknown<"loading" | "unauthenticated">;

/** Options of `useSession`. */
export interface UseSessionOptions<Required extends boolean> {
  /** Without a session, redirects to the sign-in page. Until then, the status is `loading`. */
  required: Required;
  /** Called instead of redirecting. */
  onUnauthenticated?: () => void;
}

/** Props of `SessionProvider`. All except `session` and `children` are read only once. */
export interface SessionProviderProps extends WatchOptions {
  children?: ReactNode;
  /** Has no effect, because nothing is fetched while the browser is offline. */
  refetchWhenOffline?: boolean;
}

/** A client with the components and hooks for one server. */
export interface ReactClient extends AuthClient {
  /** The context of `SessionProvider`. Tests and stories can set a session with its `Provider`. */
  SessionContext: Context<SessionContextValue | undefined>;
  /** Provides the session to the components inside. With `session` from the server, none is fetched initially. */
  SessionProvider: FunctionComponent<SessionProviderProps>;
  /**
   * Returns the session of the `SessionProvider` around the component.
   * @throws Error without a `SessionProvider`.
   */
  useSession<Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ): SessionContextValue<Required>;
}
