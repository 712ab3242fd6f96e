import {
  type App,
  computed,
  type ComputedRef,
  inject,
  type InjectionKey,
  onActivated,
  onDeactivated,
  onMounted,
  onUnmounted,
  type Plugin,
  shallowRef,
  watch,
} from "vue";
import { authClient, createAuthClient } from "../../src/client.ts";
import type {
  AuthClient,
  AuthClientOptions,
  ClientError,
  Session,
  SessionState,
  SessionWatch,
  WatchOptions,
} from "../../src/client.ts";

export { ClientError } from "../../src/client.ts";
export type {
  AuthClient,
  AuthClientOptions,
  Session,
  SignInOptions,
  SignInResult,
  SignOutOptions,
  SignOutResult,
} from "../../src/client.ts";

/** Options of `authPlugin`. */
export interface AuthPluginOptions extends WatchOptions, AuthClientOptions {}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /** Without a session, redirects to the sign-in page. Until then, the status is `loading`. */
  required?: boolean;
  /** Called instead of redirecting. */
  onUnauthenticated?: () => void;
}

/** The session as a component reads it. */
export interface UseSession {
  data: ComputedRef<Session | null>;
  status: ComputedRef<SessionState["status"]>;
  /** Why the last fetch of the session failed. `data` is then the previous session. */
  error: ComputedRef<ClientError | null>;
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
}

interface Provided {
  client: AuthClient;
  session: SessionWatch;
}

const KEY: InjectionKey<Provided> = Symbol("keyhook");

function injectSession(): Provided {
  const found = inject(KEY, undefined);
  if (!found) throw new Error("The application has no session. Call `app.use(authPlugin())`.");
  return found;
}

/**
 * Returns the plugin that provides the session to an application's components. On a server, create one for each
 * request, like the application itself. With `session`, none is fetched initially.
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

/**
 * Returns the client: `signIn`, `signOut`, `getProviders` and its other functions.
 * @throws Error without `authPlugin`.
 */
export function useAuth(): AuthClient {
  return injectSession().client;
}

/**
 * Returns the session, which is kept up to date while a component that uses it is mounted.
 * @throws Error without `authPlugin`.
 */
export function useSession({ required, onUnauthenticated }: UseSessionOptions = {}): UseSession {
  const { client, session } = injectSession();
  const state = shallowRef(session.read());
  const isBarred = computed(() => required === true && state.value.status === "unauthenticated");
  // A page that KeepAlive has deactivated leaves the redirect to the active page.
  const isShown = shallowRef(true);
  const isLeft = computed(() => isShown.value && isBarred.value);
  let stop: (() => void) | undefined;
  // Only after mounting, because the first render must match the server's (hydration).
  onMounted(() => {
    stop = session.subscribe(() => (state.value = session.read()));
    state.value = session.read();
    const leave = () => {
      if (isLeft.value) (onUnauthenticated ?? client.requireSignIn)();
    };
    watch(isLeft, leave);
    leave();
  });
  onActivated(() => (isShown.value = true));
  onDeactivated(() => (isShown.value = false));
  onUnmounted(() => stop?.());
  return {
    data: computed(() => state.value.data),
    status: computed(() => (isBarred.value ? "loading" : state.value.status)),
    error: computed(() => state.value.error),
    update: client.update,
    refresh: session.refresh,
  };
}
