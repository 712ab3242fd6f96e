import { type ShallowRef, shallowRef } from "vue";
import {
  type AuthClient,
  createAuthClient,
  type Session,
  type SessionState,
} from "../../../../src/client.ts";

/** The session of a Nuxt application: one for each request on the server, one for each page in the browser. */
export interface NuxtAuth {
  readonly client: AuthClient;
  /** What components show; it changes after the first page was hydrated only. */
  readonly state: ShallowRef<SessionState>;
  /** Keeps the session up to date from now on. */
  start(): void;
  /** Resolves to the state once it is known: without one, the session is read. */
  settle(): Promise<SessionState>;
  refresh(): Promise<Session | null>;
}

/** Creates the session of an application. `session` is what the server rendered the page with, if it knew. */
export function createNuxtAuth(basePath: string, session: Session | null | undefined): NuxtAuth {
  const client = createAuthClient({ basePath });
  const watch = client.watchSession({ session });
  const state = shallowRef(watch.read());
  const show = () => void (state.value = watch.read());
  return {
    client,
    state,
    start() {
      watch.subscribe(show);
      show();
    },
    async settle() {
      if (watch.read().status === "loading") await watch.refresh().catch(() => {});
      return watch.read();
    },
    refresh: watch.refresh,
  };
}
