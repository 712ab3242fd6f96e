import { basePath } from "#build/keyhook.mjs";
import { createAuthClient, type Session } from "../../../../src/client.ts";
import type { LoadedClient } from "./state.ts";

/** Creates the client of the application's server, and its watch of the session that the page was rendered with. */
export function loadClient(session: Session | null | undefined): LoadedClient {
  const client = createAuthClient({ basePath });
  return { client, watch: client.watchSession({ session }) };
}
