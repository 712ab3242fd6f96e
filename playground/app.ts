import { readFileSync } from "node:fs";
import { H3, type H3Event, HTTPError, redirect } from "h3";
import type { Plugin } from "../presets/index.ts";
import { createPlaygroundAuth, nicknameOf, type PlaygroundSession } from "./auth.ts";
import { createJournal } from "./journal.ts";
import type { Markup } from "./markup.ts";
import { createOutbox } from "./outbox.ts";
import { homePage, inspectorPage, lostPage, outboxPage } from "./pages.ts";
import type { PlaygroundClient } from "./playground-id.ts";

/** What the application needs to know. */
export interface AppOptions {
  /** Where people find it. */
  origin: string;
  client: PlaygroundClient;
  /** Where people are kept, if not where Keyhook keeps them in development. */
  store?: Plugin;
}

const ASSETS = {
  "style.css": "text/css",
  "enhance.js": "text/javascript",
  "key.svg": "image/svg+xml",
};

/** The application: an h3 app with Keyhook in it. */
export function createApp({ origin, client, store }: AppOptions): H3 {
  const journal = createJournal();
  const outbox = createOutbox();
  const auth = createPlaygroundAuth({ origin, client, journal, outbox, ...(store && { store }) });

  const page = (event: H3Event, content: Markup, { status = 200, styles = "'self'" } = {}) => {
    event.res.status = status;
    const { headers } = event.res;
    headers.set("content-type", "text/html; charset=utf-8");
    headers.set("cache-control", "private, no-store");
    headers.set("referrer-policy", "same-origin");
    headers.set("x-content-type-options", "nosniff");
    headers.set(
      "content-security-policy",
      `default-src 'none'; style-src ${styles}; script-src 'self'; connect-src 'self'; ` +
        // Browsers hold the redirects after a post to `form-action` too.
        `img-src 'self'; form-action 'self' ${client.issuer}; base-uri 'none'; frame-ancestors 'none'`,
    );
    return content.text;
  };

  // What the built-in pages put into their forms; a page of one's own asks for it.
  const app = new H3();

  // One name for the application (127.0.0.1 is another), and no posts from other sites.
  app.use((event) => {
    if (event.url.origin !== origin) return redirect(origin + event.url.pathname);
    const from = event.req.headers.get("origin") ?? origin;
    if (event.req.method !== "GET" && from !== origin) throw new HTTPError({ status: 403 });
    return undefined;
  });

  // Answers /auth/** and gives every event its `getSession()`.
  app.register(auth.plugin);

  app.get("/", async (event) => {
    const session = (await event.context.getSession?.()) as PlaygroundSession | null;
    const csrfToken = (await auth.csrfToken(event)) ?? "";
    const refused = event.url.searchParams.has("refused");
    return page(event, homePage({ session, csrfToken, origin, refused, lines: journal.lines }));
  });

  // For browsers without script; with one, the page asks POST /auth/session itself.
  app.post("/nickname", async (event) => {
    const data = Object.fromEntries(await event.req.formData());
    const session = await auth.update(event, data);
    return redirect(session && nicknameOf(data) === undefined ? "/?refused" : "/", 303);
  });

  app.get("/inspector", (event) => page(event, inspectorPage(auth.inspect())));

  app.get("/outbox", (event) =>
    // A mail has its styles on its elements, and a frame's `srcdoc` is held to its page's policy.
    page(event, outboxPage(outbox.letters), { styles: "'self' 'unsafe-inline'" }),
  );

  for (const [name, type] of Object.entries(ASSETS)) {
    const content = readFileSync(new URL(`public/${name}`, import.meta.url), "utf8");
    app.get(`/${name}`, (event) => {
      event.res.headers.set("content-type", `${type}; charset=utf-8`);
      return content;
    });
  }
  app.get("/favicon.ico", () => redirect("/key.svg"));
  app.all("/**", (event) => page(event, lostPage(), { status: 404 }));

  return app;
}
