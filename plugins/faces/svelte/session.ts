import { getContext, setContext } from "svelte";
import type { Readable } from "svelte/store";
import { type AuthClient, authClient, createAuthClient } from "../../../src/client.ts";
import type {
  AuthClientOptions,
  SessionState,
  SessionWatch,
  WatchOptions,
} from "../../../src/client.ts";

/** Options of `sessionStore` and `provideSession`. */
export interface SessionStoreOptions extends WatchOptions, AuthClientOptions {}

/** The session as a store, with the verbs beside it. */
export interface SessionStore extends Readable<SessionState> {
  readonly client: AuthClient;
  update: AuthClient["update"];
  refresh: SessionWatch["refresh"];
  /** Takes what the server said elsewhere, such as with newly loaded data. */
  take: SessionWatch["take"];
}

const KEY = Symbol("keyhook");

/**
 * The session as a store, kept up to date while something is subscribed. On a server: one for each
 * request. With `session` nothing is asked.
 * @example
 * const session = sessionStore();
 */
export function sessionStore(options: SessionStoreOptions = {}): SessionStore {
  const { basePath, baseUrl, fetch, ...choices } = options;
  const isPlain = basePath === undefined && baseUrl === undefined && fetch === undefined;
  const client = isPlain ? authClient : createAuthClient(options);
  const { read, subscribe, refresh, take } = client.watchSession(choices);
  return {
    client,
    update: client.update,
    refresh,
    take,
    subscribe(run) {
      run(read());
      return subscribe(() => run(read()));
    },
  };
}

/** Makes a store for all components below the one that calls this while it is made. */
export function provideSession(options?: SessionStoreOptions): SessionStore {
  return setContext(KEY, sessionStore(options));
}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** Whoever is not signed in is led to the sign-in page, and the state is `loading` meanwhile. */
  required?: boolean;
  /** What happens instead. */
  onUnauthenticated?: () => void;
}

// Nobody is shown as `loading`: the page is being left.
function requiring(store: SessionStore, onUnauthenticated: () => void): SessionStore {
  let isBarred = false;
  const bar = (state: SessionState): SessionState => {
    const wasBarred = isBarred;
    isBarred = state.status === "unauthenticated";
    // A server says nothing but what it renders.
    if (isBarred && !wasBarred && typeof document !== "undefined") onUnauthenticated();
    return isBarred ? { ...state, status: "loading", data: null } : state;
  };
  return { ...store, subscribe: (run) => store.subscribe((state) => run(bar(state))) };
}

/** The store that a component above provides. */
export function useSession({ required, onUnauthenticated }: UseSessionOptions = {}): SessionStore {
  const found = getContext<SessionStore | undefined>(KEY);
  if (!found) throw new Error("No component above has called `provideSession()`.");
  return required ? requiring(found, onUnauthenticated ?? found.client.requireSignIn) : found;
}

/** The verbs: of the server that a component above provides the session of, else of one at `/auth`. */
export function useAuth(): AuthClient {
  return getContext<SessionStore | undefined>(KEY)?.client ?? authClient;
}
