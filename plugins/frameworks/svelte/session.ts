import { getContext, onDestroy, setContext } from "svelte";
import { type Readable, toStore } from "svelte/store";
import {
  type AuthClient,
  authClient,
  createAuthClient,
  type AuthClientOptions,
  type SessionState,
  type SessionWatch,
  type WatchOptions,
} from "../../../src/client.ts";

/** Options of `sessionStore` and `provideSession`. */
export interface SessionStoreOptions extends WatchOptions, AuthClientOptions {}

/** The session as a store, together with the client's functions. */
export interface SessionStore extends Readable<SessionState> {
  /** The client for the server of this session: `signIn`, `signOut` and its other functions. */
  readonly client: AuthClient;
  /**
   * Changes the session: the `jwt` and `session` callbacks receive the data.
   * @throws ClientError when the server could not be reached, or refused.
   */
  update: AuthClient["update"];
  /**
   * Reads the session from the server now.
   * @throws ClientError when that fails. The previous session is then kept.
   */
  refresh: SessionWatch["refresh"];
  /** Sets the session that the server returned by other means, such as with newly loaded data. */
  set: SessionWatch["set"];
}

const KEY = Symbol("keyhook");

/**
 * Returns the session as a store, which is kept up to date while it has subscribers. On a server, create one for each
 * request. With `session`, none is fetched initially.
 * @example
 * const session = sessionStore();
 */
export function sessionStore(options: SessionStoreOptions = {}): SessionStore {
  const { basePath, baseUrl, fetch, ...choices } = options;
  const isPlain = basePath === undefined && baseUrl === undefined && fetch === undefined;
  const client = isPlain ? authClient : createAuthClient(options);
  const { read, subscribe, refresh, set } = client.watchSession(choices);
  return {
    client,
    update: client.update,
    refresh,
    set,
    subscribe(run) {
      run(read());
      return subscribe(() => run(read()));
    },
  };
}

/** Options of `provideSession`. */
export interface ProvideSessionOptions extends Omit<SessionStoreOptions, "session"> {
  /**
   * The session with which the page was rendered, or a function that returns it. The store follows the function, such
   * as the data that SvelteKit loads after a navigation or a form action.
   */
  session?: SessionStoreOptions["session"] | (() => SessionStoreOptions["session"]);
}

/**
 * Creates a store and provides it to all components below. Call it during component initialization.
 * @example provideSession({ session: () => data.session });
 */
export function provideSession(options: ProvideSessionOptions = {}): SessionStore {
  const { session, ...others } = options;
  if (typeof session !== "function") {
    return setContext(KEY, sessionStore(options as SessionStoreOptions));
  }
  const first = session();
  const store = sessionStore({ ...others, ...(first !== undefined && { session: first }) });
  let known = first;
  onDestroy(
    toStore(session).subscribe((loaded) => {
      // The first value, and one that was loaded again without a change, is older than what the store may have read
      // since.
      if (loaded === undefined || loaded === known) return;
      known = loaded;
      store.set(loaded);
    }),
  );
  return setContext(KEY, store);
}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** Without a session, redirects to the sign-in page. Until then, the status is `loading`. */
  required?: boolean;
  /** Called instead of redirecting. */
  onUnauthenticated?: () => void;
}

// The absence of a session appears as `loading`, because the page is being left.
function requiring(store: SessionStore, onUnauthenticated: () => void): SessionStore {
  let isBarred = false;
  const bar = (state: SessionState): SessionState => {
    const wasBarred = isBarred;
    isBarred = state.status === "unauthenticated";
    // A server only renders. It must not redirect.
    if (isBarred && !wasBarred && typeof document !== "undefined") onUnauthenticated();
    return isBarred ? { ...state, status: "loading", data: null } : state;
  };
  return { ...store, subscribe: (run) => store.subscribe((state) => run(bar(state))) };
}

/**
 * Returns the store that a component above provides.
 * @throws Error when no component does.
 */
export function useSession({ required, onUnauthenticated }: UseSessionOptions = {}): SessionStore {
  const found = getContext<SessionStore | undefined>(KEY);
  if (!found)
    throw new Error(
      "No parent component has called `provideSession()`. Call it in the outermost one.",
    );
  return required ? requiring(found, onUnauthenticated ?? found.client.requireSignIn) : found;
}

/**
 * Returns the client (`signIn`, `signOut`, ...) of the store that a component above provides, or else for a server at
 * `/auth`.
 */
export function useAuth(): AuthClient {
  return getContext<SessionStore | undefined>(KEY)?.client ?? authClient;
}
