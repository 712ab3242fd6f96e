import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { H3, type H3Event, HTTPError, redirect } from "h3";
import type { Plugin } from "../presets/index.ts";
import { createPlaygroundAuths, parseNickname, type PlaygroundSession } from "./auth.ts";
import { eventLog, homePage, lostPage } from "./home-page.ts";
import { createJournal } from "./journal.ts";
import { type AppPage, layout } from "./layout.ts";
import { lookCookie, parseLook, toLook } from "./look.ts";
import { outboxPage } from "./outbox-page.ts";
import { createOutbox } from "./outbox.ts";
import type { PlaygroundClient } from "./playground-id.ts";
import { providerPage } from "./provider-page.ts";

/** Options of the playground's application. */
export interface AppOptions {
  /** Origin of the application. */
  origin: string;
  client: PlaygroundClient;
  /** Secret of the cookies and of sealed values in the store. Default: a new one. */
  secret?: string | undefined;
  /** Where users are stored; by default, where Keyhook stores them in development. */
  store?: Plugin;
}

const HERE = new URL(".", import.meta.url);
const read = (name: string) => readFileSync(new URL(`public/${name}`, HERE), "utf8");

// Bundled in memory: the browser runs the sources together with `keyhook/client`.
async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page-script.ts", HERE))],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** Creates the application: an h3 app with Keyhook. */
export async function createApp({ origin, client, secret, store }: AppOptions): Promise<H3> {
  const journal = createJournal();
  const outbox = createOutbox();
  const options = { origin, client, journal, outbox, secret, ...(store && { store }) };
  const { auth, api } = createPlaygroundAuths(options);

  const page = (event: H3Event, content: AppPage, { status = 200, styles = "'self'" } = {}) => {
    event.res.status = status;
    const { headers } = event.res;
    headers.set("content-type", "text/html; charset=utf-8");
    headers.set("cache-control", "private, no-store");
    headers.set("referrer-policy", "same-origin");
    headers.set("x-content-type-options", "nosniff");
    headers.set(
      "content-security-policy",
      `default-src 'none'; style-src ${styles}; script-src 'self'; connect-src 'self'; ` +
        // Browsers also apply `form-action` to the redirects that follow a POST.
        `img-src 'self'; form-action 'self' ${client.issuer}; base-uri 'none'; frame-ancestors 'none'`,
    );
    return layout(content, parseLook(event.req)).text;
  };

  const app = new H3();

  // The application has only one host name: 127.0.0.1 is another host, and passkeys cannot be bound to an IP address.
  // POSTs from other sites are refused.
  app.use((event) => {
    const { pathname, search } = event.url;
    if (event.url.origin !== origin) return redirect(origin + pathname + search);
    const from = event.req.headers.get("origin") ?? origin;
    if (event.req.method !== "GET" && from !== origin) throw new HTTPError({ status: 403 });
    return undefined;
  });

  // Handles /auth/** and gives every event its `getSession()`.
  app.register(auth.plugin);

  app.get("/", async (event) => {
    const session = (await event.context.getSession?.()) as PlaygroundSession | null;
    // The built-in pages put this token into their forms; a custom page requests it.
    const csrfToken = (await auth.csrfToken(event)) ?? "";
    const refused = event.url.searchParams.has("refused");
    const look = parseLook(event.req);
    const { lines } = journal;
    const { issuer } = client;
    return page(event, homePage({ session, csrfToken, origin, issuer, refused, look, lines }));
  });

  // The features of the routes below /auth, at the URL where programs look for them (RFC 8414).
  app.get("/.well-known/oauth-authorization-server/auth", (event) => auth.getServerMetadata(event));

  // For browsers without JavaScript. With JavaScript, the page sends POST /auth/session itself.
  app.post("/nickname", async (event) => {
    const data = Object.fromEntries(await event.req.formData());
    const session = await auth.update(event, data);
    return redirect(session && parseNickname(data) === undefined ? "/?refused" : "/", 303);
  });

  // Server code that calls the API of the identity provider.
  const showProvider = async (event: H3Event, minValidity?: number) => {
    const request = { provider: "playground", ...(minValidity !== undefined && { minValidity }) };
    const getToken = () => auth.getAccessToken(event, request);
    return page(event, await providerPage({ issuer: client.issuer, getToken }));
  };
  app.get("/provider", (event) => showProvider(event));
  // No token is valid for an hour, so a new one is requested.
  app.post("/provider", (event) => showProvider(event, 3600));

  // An API for clients without a browser: they send `Authorization: Bearer <token>`.
  app.all("/api/auth/**", api.handler);
  app.get("/api/me", async (event) => (await api.requireSession(event)).user);

  app.post("/look", async (event) => {
    const look = toLook(await event.req.formData(), parseLook(event.req));
    event.res.headers.append("set-cookie", lookCookie(look));
    event.res.headers.set("location", "/#look");
    event.res.status = 303;
    return "";
  });

  app.get("/events", (event) => {
    event.res.headers.set("content-type", "text/html; charset=utf-8");
    event.res.headers.set("cache-control", "private, no-store");
    return eventLog(journal.lines).text;
  });

  app.get("/outbox", (event) =>
    // E-mails have inline styles, and the page's policy also applies to the `srcdoc` of a frame.
    page(event, outboxPage(outbox.mails), { styles: "'self' 'unsafe-inline'" }),
  );

  const assets: Record<string, [type: string, content: string]> = {
    "style.css": ["text/css", read("style.css")],
    "key.svg": ["image/svg+xml", read("key.svg")],
    "page.js": ["text/javascript", await pageScript()],
  };
  for (const [name, [type, content]] of Object.entries(assets)) {
    app.get(`/${name}`, (event) => {
      event.res.headers.set("content-type", `${type}; charset=utf-8`);
      event.res.headers.set("x-content-type-options", "nosniff");
      return content;
    });
  }
  app.get("/favicon.ico", () => redirect("/key.svg"));
  app.all("/**", (event) => page(event, lostPage(), { status: 404 }));

  return app;
}
