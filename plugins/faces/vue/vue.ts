import {
  type App,
  computed,
  type ComputedRef,
  inject,
  type InjectionKey,
  onMounted,
  onUnmounted,
  type Plugin,
  shallowRef,
  watch,
} from "vue";
import { authClient, createAuthClient } from "../../../src/client.ts";
import type {
  AuthClient,
  AuthClientOptions,
  ClientError,
  Session,
  SessionState,
  SessionWatch,
  WatchOptions,
} from "../../../src/client.ts";

export { ClientError } from "../../../src/client.ts";
export type {
  AuthClient,
  AuthClientOptions,
  Session,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../../src/client.ts";

/** Options of `authPlugin`. */
export interface AuthPluginOptions extends WatchOptions, AuthClientOptions {}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** Whoever is not signed in is led to the sign-in page, and the state is `loading` meanwhile. */
  required?: boolean;
  /** What happens instead. */
  onUnauthenticated?: () => void;
}

/** The session of the application, as a component sees it. */
export interface UseSession {
  data: ComputedRef<Session | null>;
  status: ComputedRef<SessionState["status"]>;
  /** Why the session could not be read the last time; what was known before still stands. */
  error: ComputedRef<ClientError | null>;
  update: AuthClient["update"];
  refresh: SessionWatch["refresh"];
}

interface Provided {
  client: AuthClient;
  session: SessionWatch;
}

const KEY: InjectionKey<Provided> = Symbol("keyhook");

function provided(): Provided {
  const found = inject(KEY, undefined);
  if (!found) throw new Error("`app.use(authPlugin())` is missing.");
  return found;
}

/**
 * Gives the components of an application their session. One for each request on a server, as with the
 * application itself; with `session` nothing is asked.
 * @example
 * createSSRApp(App).use(authPlugin({ session })).mount("#app");
 */
export function authPlugin(options: AuthPluginOptions = {}): Plugin {
  const { basePath, baseUrl, fetch, ...choices } = options;
  const isPlain = basePath === undefined && baseUrl === undefined && fetch === undefined;
  return {
    install(app: App) {
      const client = isPlain ? authClient : createAuthClient(options);
      app.provide(KEY, { client, session: client.watchSession(choices) });
    },
  };
}

/** The verbs: `signIn`, `signOut`, `getProviders` and the others. */
export function useAuth(): AuthClient {
  return provided().client;
}

/** The session, kept up to date while a component that uses it is mounted. */
export function useSession({ required, onUnauthenticated }: UseSessionOptions = {}): UseSession {
  const { client, session } = provided();
  const state = shallowRef(session.read());
  const isBarred = computed(() => required === true && state.value.status === "unauthenticated");
  let stop: (() => void) | undefined;
  // Not before: what the server rendered is what the first rendering here shows.
  onMounted(() => {
    stop = session.subscribe(() => (state.value = session.read()));
    state.value = session.read();
    const bar = () => {
      if (isBarred.value) (onUnauthenticated ?? client.requireSignIn)();
    };
    watch(isBarred, bar);
    bar();
  });
  onUnmounted(() => stop?.());
  return {
    data: computed(() => state.value.data),
    status: computed(() => (isBarred.value ? "loading" : state.value.status)),
    error: computed(() => state.value.error),
    update: client.update,
    refresh: session.refresh,
  };
}
