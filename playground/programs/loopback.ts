/**
 * Signs in with a browser on this machine, which is redirected to a free port (RFC 8252): `node
 * playground/programs/loopback.ts`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "oauth4webapi";
import { CLIENT, discover, greet, LOCAL, ORIGIN } from "./playground.ts";

// Waits for one redirect of the browser. Other requests, such as for an icon, get a 404.
async function listen(): Promise<{ uri: string; comeBack: Promise<URL> }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const comeBack = new Promise<URL>((resolve) => {
    server.on("request", (request, response) => {
      const url = new URL(request.url ?? "/", uri);
      if (url.pathname !== "/callback") return void response.writeHead(404).end();
      response.writeHead(200, { connection: "close" }).end("You can close this page.");
      server.close();
      resolve(url);
    });
  });
  return { uri, comeBack };
}

/** Resolves to an access token once the user has approved the app in the browser that `open` opens. */
export async function signInByBrowser(
  origin: string,
  open: (url: URL) => unknown,
): Promise<string> {
  const server = await discover(origin);
  const { uri, comeBack } = await listen();
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  const query = {
    response_type: "code",
    client_id: CLIENT.client_id,
    redirect_uri: uri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  open(url);
  // Compares `state` and `iss`, and throws if the user or the server refused.
  const parameters = oauth.validateAuthResponse(server, CLIENT, await comeBack, state);
  const none = oauth.None();
  const response = await oauth.authorizationCodeGrantRequest(
    ...([server, CLIENT, none, parameters, uri, verifier, LOCAL] as const),
  );
  return (await oauth.processAuthorizationCodeResponse(server, CLIENT, response)).access_token;
}

if (import.meta.main) {
  const open = (url: URL) => console.log(`Open ${url.href}`);
  console.log(await greet(ORIGIN, await signInByBrowser(ORIGIN, open)));
}
