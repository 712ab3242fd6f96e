import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const origin = "https://app.example";
let worker: Miniflare;

async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    // tapable imports `util`; the package's browser field replaces it.
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
  });
  return outputFiles[0]!.text;
}

beforeAll(async () => {
  worker = new Miniflare({
    // No compatibility flag: code that needs node would fail here.
    compatibilityDate: "2026-07-01",
    modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle("worker.ts") }],
  });
  await worker.ready;
});

afterAll(() => worker?.dispose());

/** Creates a minimal browser with a cookie jar. */
function visitor(
  at: Pick<Miniflare, "dispatchFetch"> = {
    dispatchFetch: (...args) => worker.dispatchFetch(...args),
  },
) {
  const jar = new Map<string, string>();
  return async (path: string, form?: Record<string, string>) => {
    const response = await at.dispatchFetch(origin + path, {
      redirect: "manual",
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(form && { "content-type": "application/x-www-form-urlencoded", origin }),
      },
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/) ?? [];
      if (name && value) jar.set(name, value);
      else if (name) jar.delete(name);
    }
    return response;
  };
}

async function signIn(visit: ReturnType<typeof visitor>, username: string) {
  const { csrfToken } = (await (await visit("/auth/csrf")).json()) as { csrfToken: string };
  return visit("/auth/callback/credentials", { csrfToken, username });
}

describe("the built package in workerd without nodejs_compat", () => {
  it("GET /session without a cookie returns null in workerd", async () => {
    const response = await visitor()("/auth/session");
    expect(response.status).toBe(200);
    expect(await response.json()).toBe(null);
  });

  it("POST /callback/credentials starts a session in workerd", async () => {
    const visit = visitor();
    const landed = await signIn(visit, "ada");
    expect(landed.status).toBe(302);
    expect(landed.headers.get("location")).not.toContain("error");
    expect(await (await visit("/auth/session")).json()).toMatchObject({
      user: { name: "Ada", email: "ada@example.com" },
    });
  });

  it("POST /callback/credentials rejects wrong credentials in workerd", async () => {
    const visit = visitor();
    const landed = await signIn(visit, "eve");
    expect(landed.headers.get("location")).toContain("error=CredentialsSignin");
    expect(await (await visit("/auth/session")).json()).toBe(null);
  });

  it("POST /callback/credentials rejects a request without the CSRF token in workerd", async () => {
    const visit = visitor();
    const landed = await visit("/auth/callback/credentials", { username: "ada" });
    expect(landed.headers.get("location") ?? "").toMatch(/MissingCSRF|csrf/);
    expect(await (await visit("/auth/session")).json()).toBe(null);
  });
});

describe("the variables of a Worker", () => {
  it.each([
    ["without nodejs_compat", []],
    ["with nodejs_compat, where creating `process` takes longer than boot", ["nodejs_compat"]],
  ])("are read %s, and a sign-in begins, without `process`", async (_, compatibilityFlags) => {
    const bound = new Miniflare({
      ...{ compatibilityDate: "2026-07-01", compatibilityFlags },
      modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle("bindings.ts") }],
      bindings: {
        AUTH_SECRET: "a secret for this test alone, 32 characters and more",
        AUTH_TRUST_HOST: true,
        AUTH_GITHUB_ID: "bound",
        AUTH_GITHUB_SECRET: "secret",
        OTHER: { json: true },
      },
    });
    try {
      const session = await bound.dispatchFetch(`${origin}/auth/session`);
      expect(await session.json()).toBe(null);
      const csrf = await bound.dispatchFetch(`${origin}/auth/csrf`);
      const { csrfToken } = (await csrf.json()) as { csrfToken: string };
      const [cookie = ""] = csrf.headers.getSetCookie();
      const signIn = await bound.dispatchFetch(`${origin}/auth/signin/github`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded", cookie, origin },
        body: new URLSearchParams({ csrfToken }).toString(),
      });
      const location = new URL(signIn.headers.get("location") ?? "");
      expect(location.host).toBe("github.com");
      expect(location.searchParams.get("client_id")).toBe("bound");
      expect(signIn.headers.get("x-looks")).toBe("");
    } finally {
      await bound.dispose();
    }
  });
});

describe("an Auth that a request to a Worker creates", () => {
  it.each([
    ["the first request, with others concurrently", {}],
    ["each request", { "x-each": "1" }],
    ["the first request, which reads the session", { "x-read": "1" }],
    ["the first request, which removes expired records", { "x-sweep": "1" }],
  ])(
    "the variables of the Worker are available for %s",
    async (_, headers: Record<string, string>) => {
      const bound = new Miniflare({
        compatibilityDate: "2026-07-01",
        modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle("lazy.ts") }],
        bindings: {
          AUTH_SECRET: "a secret for this test alone, 32 characters and more",
          AUTH_URL: origin,
          AUTH_GITHUB_ID: "bound",
          AUTH_GITHUB_SECRET: "secret",
        },
      });
      try {
        const ask = () => bound.dispatchFetch(`${origin}/auth/session`, { headers });
        const responses = await Promise.all([ask(), ask(), ask()]);
        expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(await (await ask()).json()).toBe(null);
      } finally {
        await bound.dispose();
      }
    },
  );
});

describe("a store in D1", () => {
  it("users and sessions of a Worker are stored in D1 through db0, and a session ends there", async () => {
    const bound = new Miniflare({
      compatibilityDate: "2026-07-01",
      modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle("d1.ts") }],
      bindings: {
        AUTH_SECRET: "a secret for this test alone, 32 characters and more",
        AUTH_URL: origin,
      },
      d1Databases: ["DB"],
    });
    try {
      const visit = visitor(bound);
      expect((await signIn(visit, "ada")).headers.get("location")).not.toContain("error");
      expect(await (await visit("/auth/session")).json()).toMatchObject({ user: { name: "Ada" } });
      const database = await bound.getD1Database("DB");
      const { results } = await database.prepare("SELECT k FROM keyhook_records").all();
      expect(results.length).toBeGreaterThan(2);
      const { csrfToken } = (await (await visit("/auth/csrf")).json()) as { csrfToken: string };
      await visit("/auth/signout", { csrfToken });
      expect(await (await visit("/auth/session")).json()).toBe(null);
    } finally {
      await bound.dispose();
    }
  });
});

it.each([[[]], [["nodejs_compat"]]])(
  "development in a Worker with the flags %j reports a missing store at boot, although the Worker may have `node:fs`",
  async (compatibilityFlags) => {
    const bound = new Miniflare({
      ...{ compatibilityDate: "2026-07-01", compatibilityFlags },
      modules: [{ type: "ESModule", path: "worker.mjs", contents: await bundle("no-store.ts") }],
      bindings: {
        AUTH_SECRET: "a secret for this test alone, 32 characters and more",
        NODE_ENV: "development",
      },
    });
    try {
      const response = await bound.dispatchFetch(origin, {
        headers: { cookie: "__Secure-authjs.session-token=abcdefabcdefabcdef" },
      });
      const message = await response.text();
      expect(message).toContain('A store is required by "adapters/store"');
      expect(message).toContain("D1 of a Worker");
    } finally {
      await bound.dispose();
    }
  },
);
