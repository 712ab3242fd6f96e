import { randomBytes } from "node:crypto";
import { toNodeHandler } from "h3";
import type { Plugin } from "../presets/index.ts";
import { createApp } from "./app.ts";
import { createIdentityProvider } from "./identity-provider.ts";
import { openPort } from "./open-port.ts";

/** A playground that runs. */
export interface Playground {
  /** Where the application is. */
  readonly origin: string;
  /** Where Playground ID is. */
  readonly issuer: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the application and, beside it, the identity provider it signs people in with.
 * @param store where people are kept, if not in the folder `.data/keyhook`
 */
export async function startPlayground(port = 3000, store?: Plugin): Promise<Playground> {
  // Cookies know hosts, not ports: under two names the servers cannot see each other's.
  const web = await openPort(port, ["127.0.0.1", "::1"]);
  const idp = await openPort(0, ["127.0.0.1"]);
  const origin = `http://localhost:${web.port}`;
  const issuer = `http://127.0.0.1:${idp.port}`;
  const client = {
    issuer,
    clientId: "keyhook-playground",
    clientSecret: randomBytes(32).toString("base64url"),
  };
  idp.serve(createIdentityProvider(client, `${origin}/auth/callback/playground`));
  web.serve(toNodeHandler(await createApp({ origin, client, ...(store && { store }) })));
  return {
    origin,
    issuer,
    port: web.port,
    async stop() {
      await Promise.all([web.close(), idp.close()]);
    },
  };
}
