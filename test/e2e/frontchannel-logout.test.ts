import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/node.ts";
import { SECRET } from "../_app.ts";
import { type Idp, newSigningKey, startIdp } from "../_idp.ts";
import { isLeftOut, launch } from "./_chromium.ts";

const CLIENT_SECRET = "a-client-secret-of-at-least-32-characters";

async function serve(host: string, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

const toPage = (frame: string) =>
  `<!doctype html><title>Signed out</title><iframe src="${frame.replaceAll("&", "&amp;")}"></iframe>`;

// oidc-provider issues the `sid`, but has no front channel: the test provides the frame in the page
// after a logout.
describe.skipIf(isLeftOut)("Front-Channel Logout in a browser, in a frame of another site", () => {
  let browser: Browser;
  let idp: Idp;
  let app: Awaited<ReturnType<typeof serve>>;
  let sids: string[] = [];
  let frame = "";
  /** Requests of the front channel. */
  const framed: IncomingHttpHeaders[] = [];

  beforeAll(async () => {
    let handler: RequestListener = () => {};
    app = await serve("localhost", (request, response) => {
      if (request.url?.includes("/frontchannel-logout/")) framed.push(request.headers);
      if (request.url?.startsWith("/auth/")) handler(request, response);
      else response.end("Home");
    });
    idp = await startIdp(
      [
        {
          client_id: "client",
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${app.origin}/auth/callback/idp`],
          backchannel_logout_uri: `${app.origin}/auth/backchannel-logout/idp`,
          // With this, oidc-provider puts `sid` into its ID tokens.
          backchannel_logout_session_required: true,
        },
      ],
      {
        jwks: { keys: [(await newSigningKey("key")) as never] },
        features: {
          devInteractions: { enabled: false },
          backchannelLogout: { enabled: true },
          rpInitiatedLogout: {
            enabled: true,
            postLogoutSuccessSource(ctx) {
              ctx.body = toPage(frame);
            },
          },
        },
      },
    );
    const auth = createAuth({
      secret: SECRET,
      env: { NODE_ENV: "test", AUTH_URL: app.origin },
      providers: [
        {
          ...{ id: "idp", name: "IdP", type: "oidc", issuer: idp.issuer },
          ...{ clientId: "client", clientSecret: CLIENT_SECRET },
        },
      ],
      callbacks: {
        jwt({ token, profile }) {
          if (typeof profile?.sid === "string") sids.push(profile.sid);
          return token;
        },
      },
    })
      .use(memoryStore())
      .use(backchannelLogout({ checkAge: 0, frontchannel: true }));
    handler = auth.handler;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([idp?.close(), app?.close()]);
  });

  /** Signs in, and opens a page with a frame of the URL. Returns the status of the frame, and the remaining session. */
  async function leave(open: (page: Page, url: string) => Promise<void>) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      sids = [];
      await page.goto(`${app.origin}/auth/signin`);
      await page.getByRole("button", { name: /IdP/ }).click();
      await page.waitForURL(`${app.origin}/`);
      const readSession = async () => {
        await page.goto(`${app.origin}/auth/session`);
        return page.textContent("body");
      };
      expect(await readSession()).toContain("Ada Lovelace");
      const query = new URLSearchParams({ iss: idp.issuer, sid: sids[0] ?? "" });
      const url = `${app.origin}/auth/frontchannel-logout/idp?${query}`;
      const [response] = await Promise.all([
        page.waitForResponse((one) => one.url() === url),
        open(page, url),
      ]);
      // Including the frames.
      await page.waitForLoadState();
      const shown = await page.frames()[1]?.title();
      return { status: response.status(), shown, session: await readSession() };
    } finally {
      await context.close();
    }
  }

  it("ends the session, although the browser withholds its cookies in the frame", async () => {
    const { status, shown, session } = await leave(async (page, url) => {
      frame = url;
      await page.goto(`${idp.issuer}/session/end`);
      await page.getByRole("button", { name: "Yes" }).click();
    });
    expect([status, shown, session]).toEqual([200, "Sign-out", "null"]);
    expect(framed.at(-1)?.cookie).toBeUndefined();
    expect(framed.at(-1)?.["sec-fetch-site"]).toBe("cross-site");
  });

  it("shows nothing in a frame of any other site", async () => {
    const other = await serve("127.0.0.1", (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(toPage(frame)),
    );
    try {
      const { shown } = await leave(async (page, url) => {
        frame = url;
        await page.goto(other.origin);
      });
      expect(shown).not.toBe("Sign-out");
    } finally {
      await other.close();
    }
  });
});
