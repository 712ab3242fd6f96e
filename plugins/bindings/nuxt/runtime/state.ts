import { shallowRef } from "vue";
import {
  type AuthClient,
  createAuthClient,
  type Session,
  type SessionState,
} from "../../../../src/client.ts";

/** The session of a Nuxt application: one for each request on the server, one for each page in the browser. */
export interface NuxtAuth {
  readonly client: AuthClient;
  /** What components show; it changes after the first page was hydrated only. To read it makes the page depend on it. */
  readonly state: { readonly value: SessionState };
  /** Keeps the session up to date from now on. */
  start(): void;
  /** Resolves to the state once it is known: without one, the session is read. */
  settle(): Promise<SessionState>;
  refresh(): Promise<Session | null>;
}

/**
 * Creates the session of an application.
 * @param session What the server rendered the page with, if it knew.
 * @param onRead Called when the session is read: no page depends on it before.
 */
export function createNuxtAuth(
  basePath: string,
  session: Session | null | undefined,
  onRead: () => void,
): NuxtAuth {
  const client = createAuthClient({ basePath });
  const watch = client.watchSession({ session });
  const state = shallowRef(watch.read());
  const show = () => void (state.value = watch.read());
  return {
    client,
    state: {
      get value() {
        onRead();
        return state.value;
      },
    },
    start() {
      watch.subscribe(show);
      show();
    },
    async settle() {
      onRead();
      if (watch.read().status === "loading") {
        // Also before the page is hydrated, when nothing listens yet.
        await watch.refresh().then(watch.set, () => {});
      }
      return watch.read();
    },
    refresh: watch.refresh,
  };
}
