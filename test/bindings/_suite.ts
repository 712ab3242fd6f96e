import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/index.ts";
import { createBrowser } from "../../src/testing.ts";
import { ADA, createLog, credentials, ENV, LOVELACE, ORIGIN, SECRET } from "../_setup.ts";

/** An application with an Auth in it, ready to be asked. */
export interface Site {
  origin: string;
  fetch(request: Request): Promise<Response>;
  close?(): unknown;
}

/**
 * Builds an application around the given configuration. Every path that is not Keyhook's is answered
 * by the application: 200, its method and the body it was sent.
 */
export type MakeSite = (config: AuthConfig) => Site | Promise<Site>;

/** What the application under every binding says. */
export const appSays = (method: string, body: string) => `app ${method} ${body}`;

/** The same configuration under every binding. */
export function configOf(over: AuthConfig = {}): AuthConfig {
  const log = createLog();
  log.ignoreErrors();
  return {
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    basePath: "/auth",
    providers: [credentials()],
    callbacks: {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
    },
    ...over,
  };
}

// Of the server or the framework, not of the answer.
const CARRIER = /^(date|connection|keep-alive|transfer-encoding|content-length|x-powered-by)$/;

interface Told {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: string;
}

/** An answer without what differs from run to run. */
async function tell(response: Response, origin: string): Promise<Told> {
  const { host } = new URL(origin);
  const plain = (text: string) =>
    text
      .replaceAll(host, "HOST")
      .replaceAll(encodeURIComponent(host), "HOST")
      .replace(/eyJ[\w.-]{100,}/g, "JWE")
      .replace(/[0-9a-f]{64}/g, "HEX")
      .replace(/"id":"[0-9a-f]{12}"/g, '"id":"ID"')
      .replace(/nonce[-=]"?[\w-]{22}/g, "NONCE")
      .replace(/<style.*<\/style>/s, "STYLE")
      .replace(/Expires=[^;]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");
  const headers = Object.fromEntries(
    [...response.headers]
      .filter(([name]) => name !== "set-cookie" && !CARRIER.test(name))
      .map(([name, value]) => [name, plain(value)]),
  );
  return {
    status: response.status,
    headers,
    cookies: response.headers.getSetCookie().map(plain),
    body: plain(await response.text()),
  };
}

/** One visit, from stranger to stranger; everything that was answered. */
async function visit(site: Site): Promise<Record<string, Told>> {
  const told: Record<string, Told> = {};
  const browser = createBrowser((request) => site.fetch(request), { origin: site.origin });
  const note = async (name: string, response: Response) => {
    expect(told, "a name twice").not.toHaveProperty(name);
    told[name] = await tell(response, site.origin);
  };
  const json = { headers: { accept: "application/json" } };
  const method = (verb: string) =>
    site.fetch(new Request(`${site.origin}/auth/session`, { method: verb }));

  await note("stranger", await browser.get("/auth/session", json));
  await note("providers", await browser.get("/auth/providers", json));
  await note("csrf", await browser.get("/auth/csrf", json));
  const csrfToken = await browser.csrfToken();
  const back = { csrfToken, callbackUrl: "/inside?x=1" };
  await note("sign-in page", await browser.get("/auth/signin?callbackUrl=%2Finside"));
  await note("sign-out page", await browser.get("/auth/signout"));
  await note("error page", await browser.get("/auth/error?error=AccessDenied"));
  await note("verify-request page", await browser.get("/auth/verify-request"));
  await note("without a token", await browser.post("/auth/callback/credentials", LOVELACE));
  await note(
    "wrong password",
    await browser.post("/auth/callback/credentials", { ...back, username: "ada", password: "x" }),
  );
  await note(
    "right password",
    await browser.post("/auth/callback/credentials", { ...back, ...LOVELACE }),
  );
  await note("session", await browser.get("/auth/session", json));
  await note("head", await method("HEAD"));
  await note(
    "update",
    await browser.post(
      "/auth/session",
      {},
      {
        headers: { ...json.headers, "content-type": "application/json" },
        body: JSON.stringify({ csrfToken, data: { name: "Countess" } }),
      },
    ),
  );
  await note("updated session", await browser.get("/auth/session", json));
  await note(
    "update without a token",
    await browser.post("/auth/session", {}, { ...json, body: new URLSearchParams({ data: "x" }) }),
  );
  await note(
    "sign-out as JSON",
    await browser.post("/auth/signout", back, { headers: { "x-auth-return-redirect": "1" } }),
  );
  await note("signed out", await browser.get("/auth/session", json));
  await note(
    "sign-in as JSON",
    await browser.post(
      "/auth/callback/credentials",
      {},
      {
        headers: {
          ...json.headers,
          "content-type": "application/json; charset=utf-8",
          "x-auth-return-redirect": "1",
        },
        body: JSON.stringify({ ...back, ...LOVELACE }),
      },
    ),
  );
  const form = new FormData();
  for (const [name, value] of Object.entries({ csrfToken, callbackUrl: "/" })) {
    form.append(name, value);
  }
  await note("sign-out as multipart", await browser.post("/auth/signout", {}, { body: form }));
  await note("signed out again", await browser.get("/auth/session", json));
  await note(
    "the last of several fields",
    await browser.post(
      "/auth/callback/credentials",
      {},
      {
        body: new URLSearchParams([
          ["csrfToken", "first"],
          ["csrfToken", csrfToken],
          ["username", "ada"],
          ["password", "x"],
          ["password", "lovelace"],
        ]),
      },
    ),
  );
  await note("unknown action", await browser.get("/auth/nothing", json));
  await note("unknown action, as a page", await browser.get("/auth/nothing"));
  await note("unknown provider", await browser.post("/auth/signin/nobody", { csrfToken }));
  for (const verb of ["PUT", "DELETE", "OPTIONS", "PATCH"]) await note(verb, await method(verb));
  await note("elsewhere", await browser.get("/elsewhere"));
  await note("nearly ours", await browser.get("/authority/session"));
  await note(
    "a body for the application",
    await browser.post("/elsewhere", {}, { body: "kept", headers: { "content-type": "a/b" } }),
  );
  const tooMuch = await browser.post("/auth/callback/credentials", {
    ...back,
    ...LOVELACE,
    padding: "x".repeat(65_536),
  });
  await note("too much", tooMuch);
  await note(
    "malformed JSON",
    await browser.post(
      "/auth/callback/credentials",
      {},
      { headers: { "content-type": "application/json" }, body: "{" },
    ),
  );
  await note("after all that", await browser.get("/auth/providers", json));
  return told;
}

/** What parsers in front of Keyhook answer by themselves. */
export interface SuiteOptions {
  /** A body parser of the application comes first, and refuses what it cannot read. */
  parser?: true;
}

/** The contract of every binding: the same answers as `auth.fetch` itself. */
export function testBinding(name: string, make: MakeSite, { parser }: SuiteOptions = {}): void {
  describe(name, () => {
    let site: Site;
    let told: Record<string, Told>;
    const at = (step: string) => told[step] as Told;

    beforeAll(async () => {
      site = await make(configOf());
      told = await visit(site);
    });
    afterAll(() => site?.close?.());

    it("has no session for a stranger", () => {
      expect(at("stranger")).toMatchObject({ status: 200, body: "null", cookies: [] });
      expect(at("stranger").headers["cache-control"]).toContain("no-store");
    });

    it("lists the providers at the public origin", () => {
      expect(JSON.parse(at("providers").body)).toEqual({
        credentials: {
          id: "credentials",
          name: "Credentials",
          type: "credentials",
          signinUrl: "http://HOST/auth/signin/credentials",
          callbackUrl: "http://HOST/auth/callback/credentials",
        },
      });
    });

    it("gives a CSRF token and its cookie", () => {
      expect(at("csrf").body).toBe('{"csrfToken":"HEX"}');
      expect(at("csrf").cookies).toEqual([
        "authjs.csrf-token=HEX%7CHEX; Path=/; HttpOnly; SameSite=Lax",
      ]);
    });

    it.each(["sign-in page", "sign-out page", "error page", "verify-request page"])(
      "shows the %s",
      (page) => {
        expect(at(page).headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(at(page).headers["content-security-policy"]).toContain("default-src 'none'");
        expect(at(page).body).toContain("<!DOCTYPE html>");
        expect(at(page).status).toBe(page === "error page" ? 403 : 200);
      },
    );

    it("refuses a POST without the token", () => {
      expect(at("without a token").status).toBe(302);
      expect(at("without a token").headers.location).toBe(
        "http://HOST/auth/signin?error=MissingCSRF",
      );
      expect(at("without a token").cookies).toEqual([]);
    });

    it("refuses a wrong password and remembers the target", () => {
      const { status, headers, cookies } = at("wrong password");
      expect(status).toBe(302);
      expect(headers.location).toBe(
        "http://HOST/auth/signin?error=CredentialsSignin&code=credentials",
      );
      expect(cookies).toEqual([
        "authjs.callback-url=http%3A%2F%2FHOST%2Finside%3Fx%3D1; Path=/; HttpOnly; SameSite=Lax",
      ]);
    });

    it("lets the right one in", () => {
      const { status, headers, cookies } = at("right password");
      expect([status, headers.location]).toEqual([302, "http://HOST/inside?x=1"]);
      expect(cookies).toEqual(["authjs.session-token=JWE; Path=/; DATE; HttpOnly; SameSite=Lax"]);
      expect(JSON.parse(at("session").body)).toEqual({
        user: { name: ADA.name, email: ADA.email, image: null },
        expires: "DATE",
      });
    });

    it("sends several cookies each in a header of its own", () => {
      expect(at("sign-in as JSON").cookies).toHaveLength(1);
      expect(at("sign-out as JSON").cookies).toHaveLength(1);
      expect(at("sign-out as multipart").cookies.map((one) => one.split("=")[0])).toEqual([
        "authjs.callback-url",
        "authjs.session-token",
      ]);
    });

    it("takes an update as JSON", () => {
      expect(at("update").status).toBe(200);
      expect(JSON.parse(at("update").body)).toMatchObject({ user: { name: "Countess" } });
      expect(JSON.parse(at("updated session").body)).toMatchObject({ user: { name: "Countess" } });
      expect(at("update without a token")).toMatchObject({ status: 400, body: "null" });
    });

    it("signs out", () => {
      expect(at("sign-out as JSON").body).toBe('{"url":"http://HOST/inside?x=1"}');
      expect(at("sign-out as JSON").cookies[0]).toContain("authjs.session-token=; Max-Age=0");
      expect(at("signed out").body).toBe("null");
      expect(at("signed out again").body).toBe("null");
    });

    it("answers JSON instead of a redirect where asked", () => {
      expect(at("sign-in as JSON")).toMatchObject({
        status: 200,
        body: '{"url":"http://HOST/inside?x=1"}',
      });
    });

    it("takes the last of several fields of one name", () => {
      expect(at("the last of several fields").headers.location).toBe("http://HOST/");
      expect(at("the last of several fields").cookies[0]).toContain("session-token=JWE");
    });

    it("answers HEAD like GET, without its body", () => {
      expect(at("head")).toEqual({ ...at("stranger"), body: "" });
    });

    it("knows nothing of other actions and providers", () => {
      expect(at("unknown action").status).toBe(404);
      expect(at("unknown action, as a page").body).toContain("<!DOCTYPE html>");
      expect(at("unknown provider").headers.location).toBe(
        "http://HOST/auth/error?error=Configuration",
      );
    });

    it.each(["PUT", "DELETE", "OPTIONS", "PATCH"])("refuses %s by 405", (verb) => {
      expect(at(verb).status).toBe(405);
      expect(at(verb).headers.allow).toBe("GET, HEAD, POST");
    });

    it("leaves other paths to the application, body and all", () => {
      expect(at("elsewhere")).toMatchObject({ status: 200, body: appSays("GET", "") });
      expect(at("nearly ours")).toMatchObject({ status: 200, body: appSays("GET", "") });
      expect(at("a body for the application").body).toBe(appSays("POST", "kept"));
    });

    it("refuses a body beyond 64 kB and a malformed one", () => {
      expect([400, 413]).toContain(at("too much").status);
      expect(at("malformed JSON").status).toBe(400);
      expect(at("after all that").status).toBe(200);
    });

    it("says in every header, cookie and body what `auth.fetch` says", async () => {
      const reference = await visit(await plainSite(configOf()));
      // These the application's parser refuses in its own words, or the application itself says.
      const foreign = ["elsewhere", "nearly ours", "a body for the application"];
      if (parser) foreign.push("malformed JSON");
      for (const step of foreign) {
        delete reference[step];
        delete told[step];
      }
      expect(told).toEqual(reference);
    });
  });
}

/** No binding at all: what every other one is measured by. */
export async function plainSite(config: AuthConfig): Promise<Site> {
  const { createAuth } = await import("../../presets/standard.ts");
  const auth = createAuth(config);
  return {
    origin: ORIGIN,
    fetch: async (request) =>
      (await auth.handle(request)) ?? new Response(appSays(request.method, await request.text())),
  };
}
