import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encode } from "../../src/jwt.ts";
import { SECRET } from "../_app.ts";
import { listen, type Served } from "./_serve.ts";

// The examples of Auth.js's page "Express", in order, for Express 4 as in the page. The application
// adds what the page omits: the configuration's name, views, `/login`, and the export.
const DOCUMENTED = `
import { ExpressAuth, getSession } from "@auth/express"
import GitHub from "@auth/express/providers/github"
import express from "express"

const app = express()
const authConfig = { providers: [ GitHub ] }
app.engine("txt", (file, { user }, done) => done(null, "user: " + user?.name))
app.set("views", import.meta.dirname).set("view engine", "txt")

// If app is served through a proxy, trust the proxy to allow HTTPS protocol to be detected
// https://expressjs.com/en/guide/behind-proxies.html
app.set('trust proxy', true)
app.use("/auth/*", ExpressAuth(authConfig))

export async function authSession(req: Request, res: Response, next: NextFunction) {
  res.locals.session = await getSession(req, authConfig)
  next()
}

app.use(authSession)

// Now in your route
app.get("/", (req, res) => {
  const { session } = res.locals
  res.render("index", { user: session?.user })
})

export async function authenticatedUser(
  req: Request,
  res: Response,
  next: NextFunction
) {
  const session = res.locals.session ?? (await getSession(req, authConfig))
  if (!session?.user) {
    res.redirect("/login")
  } else {
    next()
  }
}

// This route is protected
app.get("/profile", authenticatedUser, (req, res) => {
  const { session } = res.locals
  res.render("profile", { user: session?.user })
})

export default app
`;

const NAME = "authjs.session-token";
const root = new URL("../..", import.meta.url).href;

/** The imports, the only lines that a move changes. */
const IMPORTS: Record<string, string> = {
  "@auth/express": `${root}presets/express.ts`,
  "@auth/express/providers/github": `${root}plugins/providers/github.ts`,
  express: import.meta.resolve("express-4"),
};

describe("the application of Auth.js's documentation", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-authjs-"));
  const variables = {
    AUTH_SECRET: SECRET,
    AUTH_GITHUB_ID: "id",
    AUTH_GITHUB_SECRET: "secret",
    AUTH_TRUST_HOST: "true",
  };
  let site: Served;

  beforeAll(async () => {
    Object.assign(process.env, variables);
    const code = DOCUMENTED.replace(/(?<=from )"([^"]+)"/g, (_, name: string) =>
      JSON.stringify(IMPORTS[name]),
    );
    for (const view of ["index", "profile"]) writeFileSync(join(folder, `${view}.txt`), "");
    writeFileSync(
      join(folder, "app.ts"),
      code.replaceAll(/: (?:Request|Response|NextFunction)/g, ""),
    );
    const file = pathToFileURL(join(folder, "app.ts")).href;
    const { default: app } = (await import(/* @vite-ignore */ file)) as { default: Express };
    site = await listen(app);
  });
  afterAll(async () => {
    for (const name of Object.keys(variables)) delete process.env[name];
    await site?.close();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, cookie = "") =>
    fetch(site.origin + path, { headers: { cookie }, redirect: "manual" });

  it("its provider has the same callback URL as before", async () => {
    const page = await get("/auth/signin");
    expect(await page.text()).toContain("GitHub");
    const csrf = await get("/auth/csrf");
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const started = await fetch(`${site.origin}/auth/signin/github`, {
      method: "POST",
      headers: {
        cookie: csrf.headers
          .getSetCookie()
          .map((one) => one.split(";")[0])
          .join("; "),
      },
      body: new URLSearchParams({ csrfToken }),
      redirect: "manual",
    });
    const target = new URL(started.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe("https://github.com/login/oauth/authorize");
    expect(target.searchParams.get("redirect_uri")).toBe(`${site.origin}/auth/callback/github`);
  });

  it("its pages have the session that Auth.js created, and its guard works", async () => {
    expect(await (await get("/")).text()).toBe("user: undefined");
    expect((await get("/profile")).headers.get("location")).toBe("/login");
    const token = { sub: "1", name: "Ada", email: "ada@example.com" };
    const value = await encode({ token, secret: SECRET, salt: NAME });
    for (const path of ["/", "/profile"]) {
      expect(await (await get(path, `${NAME}=${value}`)).text()).toBe("user: Ada");
    }
  });
});
