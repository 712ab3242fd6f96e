import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, globSync, renameSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createIdentityProvider } from "./identity-provider.ts";
import { openPort } from "./open-port.ts";
import { PASSWORD } from "./people.ts";

// npm run play:nuxt: installs the application of playground/nuxt with this package, and starts its development server.
const root = fileURLToPath(new URL("..", import.meta.url));
const app = join(root, "playground/nuxt");
const tarball = join(app, "keyhook.tgz");

const npm = (cwd: string, ...args: string[]) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

function isCurrent(): boolean {
  if (!existsSync(join(app, "node_modules/keyhook")) || !existsSync(tarball)) return false;
  const { mtimeMs: packed } = statSync(tarball);
  const files = globSync("{{src,plugins,presets}/**/*.ts,package.json}", { cwd: root });
  return files.every((file) => statSync(join(root, file)).mtimeMs < packed);
}

// The package as it is published: Nuxt would look for the dependencies of a linked folder in that folder.
function install(): void {
  console.log("\n  Building the package and installing playground/nuxt, which takes a minute ...");
  npm(root, "run", "build");
  const packed = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", app);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  renameSync(join(app, filename), tarball);
  npm(app, "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", tarball);
}

async function findPort(): Promise<number> {
  const open = await openPort(Number(process.env.PORT || 3000), ["127.0.0.1", "::1"]);
  await open.close();
  return open.port;
}

if (!isCurrent()) install();
const port = await findPort();
const origin = `http://localhost:${port}`;
// Cookies are bound to hosts, not ports: with two host names the servers do not see each other's.
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
const nuxt = join(app, "node_modules/nuxt/bin/nuxt.mjs");
const server = spawn(process.execPath, [nuxt, "dev", "--port", `${port}`, "--host", "localhost"], {
  cwd: app,
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
