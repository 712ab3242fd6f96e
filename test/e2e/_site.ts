import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { build, type InlineConfig } from "vite";
import { createAuth } from "../../presets/node.ts";
import type { AuthConfig, Plugin, Session } from "../../src/kernel.ts";
import { credentials, SECRET } from "../_app.ts";

const apps = new URL("apps/", import.meta.url);

type Render = (session: Session | null | undefined, secret: boolean) => string | Promise<string>;

/** A site with a built page and Keyhook's routes. */
export interface Site {
  origin: string;
  /** Requests of the pages to the routes, in order. */
  asked: string[];
  /** The status that the session route returns while this is set. */
  fault: number | undefined;
  /** Delay of the session route in milliseconds. */
  delay: number;
  stop(): Promise<void>;
}

export interface SiteOptions {
  /** A folder below `apps/`, or the URL of another folder. */
  app: string | URL;
  basePath?: string;
  config?: AuthConfig;
  use?: readonly Plugin[];
  vite?: InlineConfig;
}

/** Builds an application for the browser and, if it renders on the server, for the server. */
async function bundle(app: URL, over: InlineConfig = {}) {
  const out = mkdtempSync(join(tmpdir(), "keyhook-site-"));
  const common: InlineConfig = {
    configFile: false,
    logLevel: "error",
    root: fileURLToPath(app),
    plugins: [vue(), svelte({ configFile: false })],
    ...over,
  };
  const entry = (name: string) => fileURLToPath(new URL(name, app));
  await build({
    ...common,
    build: {
      outDir: join(out, "client"),
      modulePreload: { polyfill: false },
      rollupOptions: { input: entry("client.ts"), output: { entryFileNames: "client.js" } },
    },
  });
  let render: Render | undefined;
  const rendersOnServer = readdirSync(app).includes("server.ts");
  if (rendersOnServer) {
    await build({
      ...common,
      ssr: { noExternal: true },
      build: { outDir: join(out, "server"), ssr: entry("server.ts") },
    });
    const built = pathToFileURL(join(out, "server/server.js")).href;
    ({ render } = (await import(/* @vite-ignore */ built)) as { render: Render });
  }
  return { out, render };
}

export async function openSite(options: SiteOptions): Promise<Site> {
  const { app, basePath = "/auth", config = {}, use = [], vite } = options;
  const folder = typeof app === "string" ? new URL(`${app}/`, apps) : app;
  const { out, render } = await bundle(folder, vite);
  const auth = createAuth({
    secret: SECRET,
    basePath,
    env: { NODE_ENV: "test" },
    providers: [credentials()],
    logger: { error() {}, warn() {} },
    callbacks: {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
    },
    ...config,
  });
  for (const plugin of use) auth.use(plugin);

  const page = async (url: URL, session: Session | null) => {
    const told = url.searchParams.has("ssr") ? session : undefined;
    const body = (await render?.(told, url.pathname.endsWith("/secret"))) ?? "";
    const json = told === undefined ? "" : JSON.stringify(told).replaceAll("<", "\\u003c");
    return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Site</title>
<div id="app">${body}</div>
<script type="application/json" id="session">${json}</script>
<script type="module" src="/client.js"></script>`;
  };

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? "/", "http://localhost");
    if (url.pathname.startsWith(`${basePath}/`)) {
      site.asked.push(`${req.method} ${url.pathname.slice(basePath.length)}`);
      if (site.fault && url.pathname.endsWith("/session")) {
        res.writeHead(site.fault).end("{}");
        return;
      }
      const answer = () => auth.handler(req, res, () => res.writeHead(404).end());
      if (site.delay && url.pathname.endsWith("/session")) setTimeout(answer, site.delay);
      else answer();
      return;
    }
    if (url.pathname.endsWith(".js")) {
      res.setHeader("content-type", "text/javascript");
      res.end(readFileSync(join(out, "client", url.pathname)));
      return;
    }
    void auth
      .getSession(req, res)
      .then((session) => page(url, session))
      .then((html) => {
        res.setHeader("content-type", "text/html");
        res.setHeader("cache-control", "no-store");
        res.end(html);
      });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const site: Site = {
    origin: `http://localhost:${port}`,
    asked: [],
    fault: undefined,
    delay: 0,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(out, { recursive: true });
    },
  };
  return site;
}
