import { basePath, watching } from "#build/keyhook.mjs";
import {
  type AuthClient,
  createAuthClient,
  type Session,
  type SessionWatch,
} from "../../../../src/client.ts";

/** What talks to the server. It is loaded when something asks for it: no page needs it to be hydrated. */
export interface LoadedClient {
  readonly client: AuthClient;
  readonly watch: SessionWatch;
}

/** Creates the client of the application's server, and its watch of the session that the page was rendered with. */
export function loadClient(session: Session | null | undefined): LoadedClient {
  const client = createAuthClient({ basePath });
  return { client, watch: client.watchSession({ session, ...watching }) };
}
