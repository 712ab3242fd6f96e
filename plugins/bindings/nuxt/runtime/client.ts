import { basePath, watching } from "#build/keyhook.mjs";
import {
  type AuthClient,
  createAuthClient,
  type Session,
  type SessionWatch,
} from "../../../../src/client.ts";

/** The client for the server. It is loaded on first use, because no page needs it for hydration. */
export interface LoadedClient {
  readonly client: AuthClient;
  readonly watch: SessionWatch;
}

/** Creates the client for the application's server, which watches the session that the page was rendered with. */
export function loadClient(session: Session | null | undefined): LoadedClient {
  const client = createAuthClient({ basePath });
  return { client, watch: client.watchSession({ session, ...watching }) };
}
