import type { FunctionComponent, ReactNode } from "react";
import type { AuthClient, ClientError, Session, WatchOptions } from "../../../src/client.ts";

/** What changes the session from a component. */
type Update = AuthClient["update"];

interface Known {
  data: Session;
  status: "authenticated";
  update: Update;
  /** Why the session could not be read the last time; what was known before still stands. */
  error: ClientError | null;
}

interface Unknown<Status extends string> {
  data: null;
  status: Status;
  update: Update;
  /** Why the session could not be read the last time; what was known before still stands. */
  error: ClientError | null;
}

/** What `useSession` gives; with `required` nobody is never signed in. */
export type SessionContextValue<Required extends boolean = false> = Required extends true
  ? Known | Unknown<"loading">
  : Known | Unknown<"loading" | "unauthenticated">;

/** Options of `useSession`. */
export interface UseSessionOptions<Required extends boolean> {
  /** Whoever is not signed in is led to the sign-in page, and the state is `loading` meanwhile. */
  required: Required;
  /** What happens instead. */
  onUnauthenticated?: () => void;
}

/** Props of `SessionProvider`; all but `session` and `children` are looked at once. */
export interface SessionProviderProps extends WatchOptions {
  children?: ReactNode;
  /** Of no effect: nothing is asked while the browser is offline. */
  refetchWhenOffline?: boolean;
}

/** A client with the components and hooks of one configuration. */
export interface ReactClient extends AuthClient {
  SessionProvider: FunctionComponent<SessionProviderProps>;
  useSession<Required extends boolean = false>(
    options?: UseSessionOptions<Required>,
  ): SessionContextValue<Required>;
}
