// npm run bench:nuxt: a Nuxt page that reads the session, with Keyhook, with nuxt-auth-utils and without either: requests
// per second of its rendering, in turns, and the client code that the page loads; `-- --sizes` measures the latter alone.
// Applications are made in .data/bench-nuxt.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../..", import.meta.url));
const room = join(root, ".data/bench-nuxt");
const SECRET = "bench-secret-of-more-than-32-characters";
const COOKIE = "authjs.session-token";
const ROUNDS = 9;
const SECONDS = 2;
const CONNECTIONS = 8;

const versions = { nuxt: "4.5.2", "nuxt-auth-utils": "0.5.30", "@sidebase/nuxt-auth": "^1.3.1" };

interface App {
  module?: string;
  config?: object;
  /** The code of the page that finds the user. */
  page: string;
  files?: Record<string, string>;
}

const apps: Record<string, App> = {
  none: { page: "const user = { name: 'Ada Lovelace' };" },
  keyhook: {
    module: "keyhook/nuxt",
    page: "const { user } = useAuth();",
    files: {
      "server/auth.ts": `import { createAuth } from "keyhook/nitro";
import { githubPlugin } from "keyhook/providers/github";
export default createAuth().use(githubPlugin({ clientId: "id", clientSecret: "secret" }));`,
    },
  },
  "nuxt-auth-utils": {
    module: "nuxt-auth-utils",
    page: "const { user } = useUserSession();",
    files: {
      "server/routes/in.ts": `export default defineEventHandler(async (event) => {
  await setUserSession(event, { user: { id: "42", name: "Ada Lovelace", email: "ada@example.com" } });
  return "in";
});`,
    },
  },
  // The rate of its server, which is the first version of Auth.js, is not measured.
  sidebase: {
    module: "@sidebase/nuxt-auth",
    config: { auth: { provider: { type: "authjs" }, baseURL: "http://localhost/api/auth" } },
    page: "const { data } = useAuth(); const user = computed(() => data.value?.user);",
  },
};

const npm = (cwd: string, ...args: string[]) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

function install(): void {
  mkdirSync(room, { recursive: true });
  writeFileSync(
    join(room, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies: versions }),
  );
  npm(root, "run", "build");
  const packed = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", room);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  rmSync(join(room, "node_modules/keyhook"), { recursive: true, force: true });
  npm(
    room,
    "install",
    "--no-save",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--legacy-peer-deps",
    `./${filename}`,
  );
}

function build(name: string, { module, config, page, files = {} }: App): void {
  const folder = join(room, name);
  rmSync(folder, { recursive: true, force: true });
  const all: Record<string, string> = {
    "package.json": '{ "private": true, "type": "module" }',
    "nuxt.config.ts": `export default ${JSON.stringify({
      compatibilityDate: "2026-01-01",
      telemetry: false,
      modules: module ? [module] : [],
      ...config,
    })}`,
    "app/app.vue": `<script setup>${page}</script><template><p>{{ user?.name }}</p></template>`,
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const nuxt = join(room, "node_modules/nuxt/bin/nuxt.mjs");
  execFileSync(process.execPath, [nuxt, "build"], {
    cwd: folder,
    stdio: "pipe",
    env: { ...process.env, CI: "1" },
  });
}

async function start(name: string, port: number) {
  const child = spawn(process.execPath, [join(room, name, ".output/server/index.mjs")], {
    stdio: "ignore",
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: `${port}`,
      HOST: "127.0.0.1",
      AUTH_SECRET: SECRET,
      AUTH_URL: `http://127.0.0.1:${port}`,
      NUXT_SESSION_PASSWORD: SECRET,
      NUXT_AUTH_SECRET: SECRET,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  for (let at = 0; at < 200; at++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, port, stop: () => child.kill() };
}

async function getCookie(name: string, url: string): Promise<string> {
  if (name === "keyhook") {
    const { encode } = (await import(
      join(room, "node_modules/keyhook/dist/src/jwt.js")
    )) as typeof import("keyhook/jwt");
    const token = { sub: "42", name: "Ada Lovelace", email: "ada@example.com" };
    return `${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`;
  }
  const { headers } = await fetch(`${url}/in`);
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

/** Measures responses per second over keep-alive connections, each with one pending request. */
async function load(port: number, cookie: string): Promise<number> {
  const request = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/html\r\ncookie: ${cookie}\r\n\r\n`;
  let answers = 0;
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setNoDelay(true);
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (!text.includes("</html>")) return;
      if (!text.includes("<p>Ada Lovelace</p>")) throw new Error(`wrong page: ${text}`);
      text = "";
      answers++;
      socket.write(request);
    });
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
  for (const socket of sockets) socket.destroy();
  return answers / SECONDS;
}

interface Scripts {
  /** KiB of the scripts that hydrate the page, each gzip -9. */
  first: number;
  /** KiB of all scripts of the build. */
  all: number;
}

async function measureScripts(name: string, url: string): Promise<Scripts> {
  const html = await (await fetch(url, { headers: { accept: "text/html" } })).text();
  const folder = join(room, name, ".output/public/_nuxt");
  const measure = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => {
      return sum + gzipSync(readFileSync(join(folder, file)), { level: 9 }).length / 1024;
    }, 0);
  // A prefetched script is one that the page may load later.
  const tags = html.match(/<(?:script|link rel="modulepreload")[^>]*>/g) ?? [];
  const files = tags.flatMap((tag) => /\/_nuxt\/([\w.-]+\.js)/.exec(tag)?.[1] ?? []);
  return { first: measure(new Set(files)), all: measure(globSync("*.js", { cwd: folder })) };
}

const median = (numbers: number[]) =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? NaN;

interface Server {
  name: string;
  port: number;
  stop(): unknown;
  cookie: string;
  rates: number[];
}

async function compareRates(servers: readonly Server[]): Promise<void> {
  for (const { port, cookie } of servers) await load(port, cookie);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < servers.length; at++) {
      const server = servers[(at + round) % servers.length];
      server.rates.push(await load(server.port, server.cookie));
    }
  }
  const [bare] = servers;
  for (const { name, rates } of servers) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `${name.padEnd(18)} ${median(rates).toFixed(0)} pages/s, ${ratio.toFixed(3)} of none`,
    );
  }
  const rates = (name: string) => servers.find((server) => server.name === name)?.rates ?? [];
  const ratio = median(
    rates("keyhook").map((rate, round) => rate / rates("nuxt-auth-utils")[round]),
  );
  console.log(`keyhook of nuxt-auth-utils: ${ratio.toFixed(3)} (target 1)`);
}

const isOfSizes = process.argv.includes("--sizes");
if (process.env.KEYHOOK_BENCH !== "installed" || !existsSync(room)) install();
const servers: Server[] = [];
const sizes = new Map<string, Scripts>();
for (const [at, [name, app]] of Object.entries(apps).entries()) {
  build(name, app);
  const { url, ...server } = await start(name, 4900 + at);
  sizes.set(name, await measureScripts(name, url));
  // sidebase's server reads the session with a separate request.
  if (isOfSizes || name === "sidebase") server.stop();
  else servers.push({ name, ...server, cookie: await getCookie(name, url), rates: [] });
}
if (servers.length) await compareRates(servers);
for (const { stop } of servers) stop();
const none = sizes.get("none") ?? { first: 0, all: 0 };
for (const [name, { first, all }] of sizes) {
  const [before, later] = [first - none.first, all - none.all - (first - none.first)];
  console.log(
    `${name.padEnd(18)} +${before.toFixed(2)} KiB before hydration, +${later.toFixed(2)} KiB later`,
  );
}
