import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { delimiter, dirname, join } from "node:path";
import { createIdentityProvider } from "./identity-provider.ts";
import { install, isCurrent, NUXT_APP } from "./nuxt-install.ts";
import { openPort } from "./open-port.ts";
import { PASSWORD } from "./people.ts";

// `npm run play:nuxt` installs the application in playground/nuxt with this package, and starts its development server.
async function findPort(): Promise<number> {
  const open = await openPort(Number(process.env.PORT || 3000), ["127.0.0.1", "::1"]);
  await open.close();
  return open.port;
}

if (!isCurrent()) {
  console.log("\n  Building the package and installing playground/nuxt, which takes a minute ...");
  install();
}
const port = await findPort();
const origin = `http://localhost:${port}`;
// Cookies are bound to hosts, not ports. With two host names, each server sees only its own cookies.
const idp = await openPort(0, ["127.0.0.1"]);
const client = {
  issuer: `http://127.0.0.1:${idp.port}`,
  clientId: "keyhook-playground",
  clientSecret: randomBytes(32).toString("base64url"),
};
idp.serve(createIdentityProvider(client, `${origin}/auth/callback/playground`));
console.log(`
  Keyhook playground on Nuxt

  Open          ${origin}
  User          mira, password ${PASSWORD}
  Playground ID ${client.issuer} (the local identity provider)
  Mails         ${origin}/auth/inspector, and the tab Keyhook of the DevTools
`);
const nuxt = join(NUXT_APP, "node_modules/nuxt/bin/nuxt.mjs");
const server = spawn(process.execPath, [nuxt, "dev", "--port", `${port}`, "--host", "localhost"], {
  cwd: NUXT_APP,
  stdio: "inherit",
  env: {
    ...process.env,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    AUTH_PLAYGROUND_ISSUER: client.issuer,
    AUTH_PLAYGROUND_ID: client.clientId,
    AUTH_PLAYGROUND_SECRET: client.clientSecret,
  },
});
server.on("exit", () => void idp.close());
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => server.kill(signal));
