import express5, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import express4 from "express-4";
import { ExpressAuth, getSession } from "../../../presets/express.ts";
import { listen } from "../../bindings/_serve.ts";
import { type Kind, loadLibraries, packages } from "./_libraries.ts";
import { createMapAdapter, createRows } from "./_map-adapter.ts";
import { showUrl, toShown, withoutRandom } from "./_shown.ts";

type Config = Record<string, unknown>;

/** A library's binding for Express. */
export interface ExpressKind {
  library: Kind;
  ExpressAuth(config: Config): RequestHandler;
  getSession(req: unknown, config: Config): Promise<unknown>;
}

/** Loads both bindings. */
export async function loadExpress(): Promise<ExpressKind[]> {
  const theirs = await import(/* @vite-ignore */ new URL("@auth/express/index.js", packages).href);
  const { authjs, keyhook } = await loadLibraries();
  return [
    { ...theirs, library: authjs },
    { library: keyhook, ExpressAuth: ExpressAuth as never, getSession: getSession as never },
  ];
}

/** The parts of a row's application. */
export interface ExpressParts {
  app: Express;
  express: typeof express4;
  handler: RequestHandler;
  /** Responds with the session as JSON. */
  session: RequestHandler;
}

/** A request of a row. A body is a form, and `csrf` adds the browser's token. */
export interface Ask {
  path: string;
  headers?: Record<string, string>;
  method?: string;
  body?: string;
  csrf?: boolean;
}

/** A case that both bindings for Express run. */
export interface ExpressRow {
  name: string;
  /** Default 4, which the examples of Auth.js use. */
  version?: 5;
  mount(parts: ExpressParts): void;
  env?: Record<string, string>;
  config?: Config;
  signedIn?: boolean;
  asks: readonly Ask[];
}

const NAME = "authjs.session-token";
const SECRET = "keyhook-test-secret-0123456789abcdef";

/** Runs a row with one library. */
export async function runExpress(
  { library, ExpressAuth: create, getSession: read }: ExpressKind,
  { version, mount, config, signedIn = false, asks }: ExpressRow,
): Promise<object[]> {
  const rows = createRows();
  const calls: unknown[] = [];
  const given: Config = {
    secret: SECRET,
    adapter: createMapAdapter(rows),
    session: { strategy: "jwt" },
    logger: { error() {}, warn() {}, debug() {} },
    providers: [
      library.credentials({
        credentials: { username: {}, password: {} },
        authorize: async (fields: Record<string, unknown>) => {
          calls.push(toShown({ username: fields.username, password: fields.password }));
          return fields.password === "lovelace" ? { id: "1", name: "Ada" } : null;
        },
      }),
    ],
    ...config,
  };
  const express = version === 5 ? express5 : express4;
  const app = express();
  const session: RequestHandler = (req, res, next) => {
    read(req, given).then((found) => void res.json(found), next);
  };
  mount({ app, express, handler: create(given), session });
  app.use((req, res) => void res.status(404).send(`passed ${req.method} ${req.originalUrl}`));
  const fail: ErrorRequestHandler = (error, _, res, __) =>
    void res.status(error.status ?? 500).send(`failed: ${error.type ?? error.name}`);
  app.use(fail);
  const site = await listen(app);
  const jar = new Map<string, string>();
  if (signedIn) {
    const token = { sub: "1", name: "Ada", email: "ada@example.com" };
    jar.set(NAME, await library.encode({ token, secret: SECRET, salt: NAME }));
  }
  const send = async ({ path, headers, method = "GET", body }: Ask): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(site.origin + path, {
      method,
      redirect: "manual",
      headers: { ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return response;
  };
  const show = (text: string) =>
    withoutRandom(text.replaceAll(site.origin.slice("http://".length), "site")).replace(
      /"expires":"[^"]*"/,
      '"expires":"<time>"',
    );
  const seen: object[] = [];
  try {
    for (const ask of asks) {
      calls.length = 0;
      let { body } = ask;
      if (ask.csrf) {
        const base = ask.path.slice(0, ask.path.indexOf("/", 1));
        const response = await send({
          path: `${ask.path.split(/\/(?:callback|signin|signout)/)[0] ?? base}/csrf`,
          ...(ask.headers && { headers: { ...ask.headers, "content-type": "" } }),
        });
        const { csrfToken } = (await response.json()) as { csrfToken: string };
        body = body?.replace("TOKEN", csrfToken);
      }
      const response = await send({ ...ask, ...(body !== undefined && { body }) });
      const text = await response.text();
      const type = response.headers.get("content-type") ?? "";
      const location = response.headers.get("location");
      seen.push({
        outcome: `${response.status} ${type.split(";")[0]}`,
        ...(location && { location: showUrl(show(location), "http://site") }),
        ...(type.startsWith("application/json") &&
          text && { body: JSON.parse(show(text)) as unknown }),
        ...(/^(?:passed|failed)/.test(text) && { body: text }),
        cookies: Object.fromEntries(
          response.headers.getSetCookie().map((line) => [line.split("=")[0], "set"]),
        ),
        ...(calls.length && { calls: [...calls] }),
      });
    }
  } finally {
    await site.close();
  }
  return seen;
}
