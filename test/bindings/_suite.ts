import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { ADA, createLog, credentials, ENV, LOVELACE, ORIGIN, SECRET } from "../_app.ts";

/** An application with an `Auth` in it, ready for requests. */
export interface Site {
  origin: string;
  fetch(request: Request): Promise<Response>;
  close?(): unknown;
}

/**
 * Builds an application around the given configuration. The application handles every path outside of
 * `basePath`: it responds with 200, the method and the body of the request.
 */
export type MakeSite = (config: AuthConfig) => Site | Promise<Site>;

/** The body that the application under every binding responds with. */
export const toAppBody = (method: string, body: string) => `app ${method} ${body}`;

/** Builds the configuration that every binding is tested with. */
export function buildConfig(over: AuthConfig = {}): AuthConfig {
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

// Headers that the server or the framework adds.
const CARRIER = /^(date|connection|keep-alive|transfer-encoding|content-length|x-powered-by)$/;

interface Recorded {
  status: number;
  headers: Record<string, string>;
  cookies: string[];
  body: string;
}

/** Reduces a response to the parts that do not differ from run to run. */
async function toRecorded(response: Response, origin: string): Promise<Recorded> {
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

/** Visits a site from the first request to after the sign-out and records every response. */
async function visit(site: Site): Promise<Record<string, Recorded>> {
  const recorded: Record<string, Recorded> = {};
  const browser = createBrowser((request) => site.fetch(request), { origin: site.origin });
  const record = async (name: string, response: Response) => {
    expect(recorded, "a duplicate name").not.toHaveProperty(name);
    recorded[name] = await toRecorded(response, site.origin);
  };
  const json = { headers: { accept: "application/json" } };
  const method = (verb: string) =>
    site.fetch(new Request(`${site.origin}/auth/session`, { method: verb }));

  await record("stranger", await browser.get("/auth/session", json));
  await record("providers", await browser.get("/auth/providers", json));
  await record("csrf", await browser.get("/auth/csrf", json));
  const callbackUrl = "/inside?x=1";
  // Another one after each sign-in and sign-out.
  const getBack = async () => ({ csrfToken: await browser.csrfToken(), callbackUrl });
  const back = await getBack();
  await record("sign-in page", await browser.get("/auth/signin?callbackUrl=%2Finside"));
  await record("sign-out page", await browser.get("/auth/signout"));
  await record("error page", await browser.get("/auth/error?error=AccessDenied"));
  await record("verify-request page", await browser.get("/auth/verify-request"));
  await record("without a token", await browser.post("/auth/callback/credentials", LOVELACE));
  await record(
    "wrong password",
    await browser.post("/auth/callback/credentials", { ...back, username: "ada", password: "x" }),
  );
  await record(
    "right password",
    await browser.post("/auth/callback/credentials", { ...back, ...LOVELACE }),
  );
  await record("session", await browser.get("/auth/session", json));
  await record("head", await method("HEAD"));
  await record(
    "update",
    await browser.post(
      "/auth/session",
      {},
      {
        headers: { ...json.headers, "content-type": "application/json" },
        body: JSON.stringify({ ...(await getBack()), data: { name: "Countess" } }),
      },
    ),
  );
  await record("updated session", await browser.get("/auth/session", json));
  await record(
    "update without a token",
    await browser.post("/auth/session", {}, { ...json, body: new URLSearchParams({ data: "x" }) }),
  );
  await record(
    "sign-out as JSON",
    await browser.post("/auth/signout", await getBack(), {
      headers: { "x-auth-return-redirect": "1" },
    }),
  );
  await record("signed out", await browser.get("/auth/session", json));
  await record(
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
        body: JSON.stringify({ ...(await getBack()), ...LOVELACE }),
      },
    ),
  );
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...(await getBack()), callbackUrl: "/" })) {
    form.append(name, value);
  }
  await record("sign-out as multipart", await browser.post("/auth/signout", {}, { body: form }));
  await record("signed out again", await browser.get("/auth/session", json));
  const { csrfToken } = await getBack();
  await record(
    "several fields of one name",
    await browser.post(
      "/auth/callback/credentials",
      {},
      {
        body: new URLSearchParams([
          ["csrfToken", csrfToken],
          ["username", "ada"],
          ["password", "x"],
          ["password", "lovelace"],
        ]),
      },
    ),
  );
  await record("unknown action", await browser.get("/auth/nothing", json));
  await record("unknown action, as a page", await browser.get("/auth/nothing"));
  await record("unknown provider", await browser.post("/auth/signin/nobody", { csrfToken }));
  for (const verb of ["PUT", "DELETE", "OPTIONS", "PATCH"]) await record(verb, await method(verb));
  await record("elsewhere", await browser.get("/elsewhere"));
  await record("nearly ours", await browser.get("/authority/session"));
  await record(
    "a body for the application",
    await browser.post("/elsewhere", {}, { body: "kept", headers: { "content-type": "a/b" } }),
  );
  const tooMuch = await browser.post("/auth/callback/credentials", {
    ...back,
    ...LOVELACE,
    padding: "x".repeat(65_536),
  });
  await record("too much", tooMuch);
  await record(
    "malformed JSON",
    await browser.post(
      "/auth/callback/credentials",
      {},
      { headers: { "content-type": "application/json" }, body: "{" },
    ),
  );
  await record("after all that", await browser.get("/auth/providers", json));
  return recorded;
}

/** Differences of a site with a body parser in front of Keyhook. */
export interface SuiteOptions {
  /** A body parser of the application runs first and rejects what it cannot parse. */
  parser?: true;
}

/** The contract of every binding: the same responses as `auth.fetch` itself. */
export function testBinding(name: string, make: MakeSite, { parser }: SuiteOptions = {}): void {
  describe(name, () => {
    let site: Site;
    let recorded: Record<string, Recorded>;
    const at = (step: string) => recorded[step] as Recorded;

    beforeAll(async () => {
      site = await make(buildConfig());
      recorded = await visit(site);
    });
    afterAll(() => site?.close?.());

    it("GET /session without a cookie returns null", () => {
      expect(at("stranger")).toMatchObject({ status: 200, body: "null", cookies: [] });
      expect(at("stranger").headers["cache-control"]).toContain("no-store");
    });

    it("GET /providers lists the providers at the public origin", () => {
      expect(JSON.parse(at("providers").body)).toEqual({
        credentials: {
          id: "credentials",
          name: "Credentials",
          type: "credentials",
          signinUrl: "http://HOST/auth/signin/credentials",
          callbackUrl: "http://HOST/auth/callback/credentials",
          direct: true,
        },
      });
    });

    it("GET /csrf returns a token and sets its cookie", () => {
      expect(at("csrf").body).toBe('{"csrfToken":"HEX"}');
      expect(at("csrf").cookies).toEqual([
        "authjs.csrf-token=HEX%7CHEX; Path=/; HttpOnly; SameSite=Lax",
      ]);
    });

    it.each(["sign-in page", "sign-out page", "error page", "verify-request page"])(
      "renders the %s",
      (page) => {
        expect(at(page).headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(at(page).headers["content-security-policy"]).toContain("default-src 'none'");
        expect(at(page).body).toContain("<!DOCTYPE html>");
        expect(at(page).status).toBe(page === "error page" ? 403 : 200);
      },
    );

    it("POST /callback/credentials without a CSRF token redirects with error=MissingCSRF", () => {
      expect(at("without a token").status).toBe(302);
      expect(at("without a token").headers.location).toBe(
        "http://HOST/auth/signin?error=MissingCSRF",
      );
      expect(at("without a token").cookies).toEqual([]);
    });

    it("POST /callback/credentials with a wrong password redirects with an error and keeps the target", () => {
      const { status, headers, cookies } = at("wrong password");
      expect(status).toBe(302);
      expect(headers.location).toBe(
        "http://HOST/auth/signin?error=CredentialsSignin&code=credentials",
      );
      expect(cookies).toEqual([
        "authjs.callback-url=http%3A%2F%2FHOST%2Finside%3Fx%3D1; Path=/; HttpOnly; SameSite=Lax",
      ]);
    });

    it("POST /callback/credentials with the right password starts a session", () => {
      const { status, headers, cookies } = at("right password");
      expect([status, headers.location]).toEqual([302, "http://HOST/inside?x=1"]);
      expect(cookies).toEqual([
        "authjs.session-token=JWE; Path=/; DATE; HttpOnly; SameSite=Lax",
        "authjs.csrf-token=HEX%7CHEX; Path=/; HttpOnly; SameSite=Lax",
      ]);
      expect(JSON.parse(at("session").body)).toEqual({
        user: { name: ADA.name, email: ADA.email, image: null },
        expires: "DATE",
      });
    });

    it("sends several cookies in separate Set-Cookie headers", () => {
      expect(at("sign-in as JSON").cookies).toHaveLength(2);
      expect(at("sign-out as JSON").cookies).toHaveLength(2);
      expect(at("sign-out as multipart").cookies.map((one) => one.split("=")[0])).toEqual([
        "authjs.callback-url",
        "authjs.session-token",
        "authjs.csrf-token",
      ]);
    });

    it("POST /session updates the session from a JSON body", () => {
      expect(at("update").status).toBe(200);
      expect(JSON.parse(at("update").body)).toMatchObject({ user: { name: "Countess" } });
      expect(JSON.parse(at("updated session").body)).toMatchObject({ user: { name: "Countess" } });
      expect(at("update without a token").status).toBe(403);
      expect(JSON.parse(at("update without a token").body)).toMatchObject({ error: "MissingCSRF" });
    });

    it("POST /signout ends the session", () => {
      expect(at("sign-out as JSON").body).toBe('{"url":"http://HOST/inside?x=1"}');
      expect(at("sign-out as JSON").cookies[0]).toContain("authjs.session-token=; Max-Age=0");
      expect(at("signed out").body).toBe("null");
      expect(at("signed out again").body).toBe("null");
    });

    it("returns JSON instead of a redirect for x-auth-return-redirect", () => {
      expect(at("sign-in as JSON")).toMatchObject({
        status: 200,
        body: '{"url":"http://HOST/inside?x=1"}',
      });
    });

    it("refuses several form fields of one name", () => {
      expect(at("several fields of one name").cookies.join()).not.toContain("session-token=JWE");
      expect(at("several fields of one name").headers.location ?? "").not.toBe("http://HOST/");
    });

    it("HEAD /session returns the headers of GET without its body", () => {
      expect(at("head")).toEqual({ ...at("stranger"), body: "" });
    });

    it("unknown actions and providers get 404 or an error redirect", () => {
      expect(at("unknown action").status).toBe(404);
      expect(at("unknown action, as a page").body).toContain("<!DOCTYPE html>");
      expect(at("unknown provider").headers.location).toBe(
        "http://HOST/auth/error?error=Configuration",
      );
    });

    it.each(["PUT", "DELETE", "OPTIONS", "PATCH"])("%s /session returns 405", (verb) => {
      expect(at(verb).status).toBe(405);
      expect(at(verb).headers.allow).toBe("GET, HEAD, POST");
    });

    it("passes requests on other paths to the application with their bodies intact", () => {
      expect(at("elsewhere")).toMatchObject({ status: 200, body: toAppBody("GET", "") });
      expect(at("nearly ours")).toMatchObject({ status: 200, body: toAppBody("GET", "") });
      expect(at("a body for the application").body).toBe(toAppBody("POST", "kept"));
    });

    it("rejects a body larger than 64 kB and malformed JSON", () => {
      expect([400, 413]).toContain(at("too much").status);
      expect(at("malformed JSON").status).toBe(400);
      expect(at("after all that").status).toBe(200);
    });

    it("every header, cookie and body equals that of `auth.fetch`", async () => {
      const reference = await visit(await plainSite(buildConfig()));
      // The application's parser rejects these itself, or the application responds to them.
      const foreign = ["elsewhere", "nearly ours", "a body for the application"];
      if (parser) foreign.push("malformed JSON");
      for (const step of foreign) {
        delete reference[step];
        delete recorded[step];
      }
      expect(recorded).toEqual(reference);
    });
  });
}

/** The site without any binding: the reference for all others. */
export async function plainSite(config: AuthConfig): Promise<Site> {
  const { createAuth } = await import("../../presets/standard.ts");
  const auth = createAuth(config);
  return {
    origin: ORIGIN,
    fetch: async (request) =>
      (await auth.handle(request)) ?? new Response(toAppBody(request.method, await request.text())),
  };
}
