import { shallowRef } from "vue";
import { basePath } from "#build/keyhook.mjs";
import type { AuthClient, Session, SessionState, SignInFailure } from "../../../../src/client.ts";
import type { LoadedClient } from "./client.ts";

const CALLS = ["call", "getCsrfToken", "getProviders", "requireSignIn", "update"] as const;
const ATTEMPTS = ["registerPasskey", "signIn", "signInWithPasskey", "signOut"] as const;

/** The client's functions that an application calls. Each loads the client first. */
export interface NuxtClient extends Omit<
  AuthClient,
  "getSession" | "requireSignIn" | "watchSession"
> {
  /** Navigates to the sign-in page, which says that this page requires a session and leads back to it. */
  requireSignIn(): Promise<void>;
}

/** The session of a Nuxt application. On the server there is one for each request, in the browser one for each page. */
export interface NuxtAuth {
  readonly client: NuxtClient;
  /**
   * What components show. It changes only after the first page is hydrated. Reading it makes the page depend on the
   * session.
   */
  readonly state: { readonly value: SessionState };
  /** Keeps the session up to date from now on. */
  start(): void;
  /**
   * Resolves to the state once it is known. If it is unknown, the browser reads the session. On the server it remains
   * unknown on a page for all visitors.
   */
  settle(): Promise<SessionState>;
  refresh(): Promise<Session | null>;
}

function toState(session: Session | null | undefined): SessionState {
  if (session) return { status: "authenticated", data: session, error: null };
  const status = session === null ? "unauthenticated" : "loading";
  return { status, data: null, error: null };
}

/**
 * Creates the session of an application.
 * @param session The session with which the server rendered the page, if it knew it.
 * @param onRead Called when the session is read. Until then, no page depends on it.
 * @param onEnd Called when the session has ended, except by `signOut` of this page, whose caller navigates.
 */
export function createNuxtAuth(
  session: Session | null | undefined,
  onRead: () => void,
  onEnd: () => void = () => {},
): NuxtAuth {
  const state = shallowRef(toState(session));
  let loading: Promise<LoadedClient> | undefined;
  const load = () =>
    (loading ??= import("./client.ts").then(
      ({ loadClient }) => loadClient(session),
      (error: unknown) => {
        // There may be no network. The next call tries again.
        loading = undefined;
        throw error;
      },
    ));
  const run = async (name: (typeof CALLS | typeof ATTEMPTS)[number], given: unknown[]) =>
    ((await load()).client[name] as (...all: unknown[]) => unknown)(...given);
  let signOuts = 0;
  const failed: SignInFailure = { ok: false, error: "Unreachable", status: 0, url: null };
  const calls = CALLS.map((name) => [name, async (...given: unknown[]) => run(name, given)]);
  const attempts = ATTEMPTS.map((name) => [
    name,
    async (...given: unknown[]) => {
      const own = name === "signOut" ? 1 : 0;
      signOuts += own;
      const result = await run(name, given).catch(() => failed);
      signOuts -= own;
      return result;
    },
  ]);

  return {
    client: { basePath, ...Object.fromEntries([...calls, ...attempts]) } as NuxtClient,
    state: {
      get value() {
        onRead();
        return state.value;
      },
    },
    start() {
      // If the client cannot be loaded, the rendered state stays.
      void load().then(
        ({ watch }) => {
          const show = () => {
            const [before, now] = [state.value, watch.read()];
            state.value = now;
            const hasEnded = before.data !== null && now.status === "unauthenticated";
            if (hasEnded && !signOuts) onEnd();
          };
          watch.subscribe(show);
          show();
        },
        () => {},
      );
    },
    async settle() {
      onRead();
      if (import.meta.server || state.value.status !== "loading") return state.value;
      const loaded = await load().catch(() => undefined);
      if (!loaded) return state.value;
      const { watch } = loaded;
      if (watch.read().status === "loading") {
        // Needed before the page is hydrated too, when nothing listens yet.
        await watch.refresh().then(watch.set, () => {});
      }
      return watch.read();
    },
    refresh: async () => (await load()).watch.refresh(),
  };
}
