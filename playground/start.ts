import { randomBytes } from "node:crypto";
import { toNodeHandler } from "h3";
import type { Plugin } from "../presets/index.ts";
import { createApp } from "./app.ts";
import { createIdentityProvider } from "./identity-provider.ts";
import { openPort } from "./open-port.ts";

/** A running playground. */
export interface Playground {
  /** Origin of the application. */
  readonly origin: string;
  /** Issuer of Playground ID. */
  readonly issuer: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts the application and the identity provider that signs in its users.
 * @param store Where users are stored. Default: the folder `.data/keyhook`.
 * @param secret Secret of the cookies and of sealed values in the store. Default: a new one.
 */
export async function startPlayground(
  port = 3000,
  store?: Plugin,
  secret?: string,
): Promise<Playground> {
  // Cookies are bound to hosts, not ports. With two host names, each server sees only its own cookies.
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
  web.serve(toNodeHandler(await createApp({ origin, client, secret, ...(store && { store }) })));
  return {
    origin,
    issuer,
    port: web.port,
    async stop() {
      await Promise.all([web.close(), idp.close()]);
    },
  };
}
