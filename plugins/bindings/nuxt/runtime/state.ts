import { shallowRef } from "vue";
import { basePath } from "#build/keyhook.mjs";
import type { AuthClient, Session, SessionState, SignInFailure } from "../../../../src/client.ts";
import type { LoadedClient } from "./client.ts";

const CALLS = ["call", "getCsrfToken", "getProviders", "requireSignIn", "update"] as const;
const ATTEMPTS = ["registerPasskey", "signIn", "signInWithPasskey", "signOut"] as const;

/** The functions of the client that an application calls; each loads the client first. */
export interface NuxtClient extends Omit<
  AuthClient,
  "getSession" | "requireSignIn" | "watchSession"
> {
  /** Navigates to the sign-in page, which states that this page requires a session and leads back to it. */
  requireSignIn(): Promise<void>;
}

/** The session of a Nuxt application: one for each request on the server, one for each page in the browser. */
export interface NuxtAuth {
  readonly client: NuxtClient;
  /** What components show; it changes after the first page was hydrated only. To read it makes the page depend on it. */
  readonly state: { readonly value: SessionState };
  /** Keeps the session up to date from now on. */
  start(): void;
  /**
   * Resolves to the state once it is known: without one, the browser reads the session. On the server it remains unknown on
   * a page for all visitors.
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
 * @param session What the server rendered the page with, if it knew.
 * @param onRead Called when the session is read: no page depends on it before.
 * @param onEnd Called when the session has ended, but not by `signOut` of this page, whose caller leaves it.
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
        // Without a network; the next call tries again.
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
      // What was rendered stays, if it cannot be loaded.
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
        // Also before the page is hydrated, when nothing listens yet.
        await watch.refresh().then(watch.set, () => {});
      }
      return watch.read();
    },
    refresh: async () => (await load()).watch.refresh(),
  };
}
