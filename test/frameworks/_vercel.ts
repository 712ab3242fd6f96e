// Serves a build as Vercel does (Build Output API, version 3): routes, static files, and functions. Functions with a
// prerender configuration run once for all visitors. The folder of the build is in OUTPUT_DIR.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, request, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

interface Route {
  readonly src?: string;
  readonly dest?: string;
  readonly handle?: "filesystem";
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** The export of a Nitro 3 function. A Nitro 2 function exports a Node listener. */
interface FetchHandler {
  fetch(request: Request): Response | Promise<Response>;
}

interface FunctionRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

type ServerlessFunction = (req: FunctionRequest) => Promise<Answer>;

const { OUTPUT_DIR = ".vercel/output", PORT, HOST } = process.env;
const folder = resolve(OUTPUT_DIR);
const { routes } = JSON.parse(readFileSync(`${folder}/config.json`, "utf8")) as {
  routes: readonly Route[];
};
const kept = new Map<string, Answer>();
const functions = new Map<string, Promise<ServerlessFunction>>();

/** Starts a Node listener, and resolves to a function that calls it. */
async function listen(listener: RequestListener): Promise<ServerlessFunction> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((done) => void server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  return async ({ url, method, headers, body }) => {
    const given = { host: "127.0.0.1", port, path: url, method, headers };
    const response = await new Promise<IncomingMessage>((done, fail) => {
      request(given, done).on("error", fail).end(body);
    });
    const { statusCode = 200, rawHeaders } = response;
    return { status: statusCode, headers: rawHeaders, body: await buffer(response) };
  };
}

const toFunction =
  ({ fetch }: FetchHandler): ServerlessFunction =>
  async ({ url, method, headers, body }) => {
    const sent = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      if (name !== "connection") sent.set(name, [value].flat().join(", "));
    }
    const hasBody = method !== "GET" && method !== "HEAD";
    const given = { method, headers: sent, ...(hasBody && { body: new Uint8Array(body) }) };
    const response = await fetch(new Request(`http://${sent.get("host")}${url}`, given));
    const received = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: [...response.headers].flat(), body: received };
  };

async function open(name: string): Promise<ServerlessFunction> {
  const place = `${folder}/functions${name}.func`;
  const { handler } = JSON.parse(readFileSync(`${place}/.vc-config.json`, "utf8")) as {
    handler: string;
  };
  const { default: exported } = (await import(pathToFileURL(`${place}/${handler}`).href)) as {
    default: RequestListener | FetchHandler;
  };
  return typeof exported === "function" ? listen(exported) : toFunction(exported);
}

async function call(name: string, url: string, req: IncomingMessage): Promise<Answer> {
  const found = functions.get(name) ?? open(name);
  functions.set(name, found);
  const { method = "GET", headers } = req;
  // The client's own values of these headers are dropped.
  const own = { ...headers, "x-forwarded-host": headers.host, "x-forwarded-proto": "http" };
  return (await found)({ url, method, headers: own, body: await buffer(req) });
}

function findStatic(pathname: string): Answer | undefined {
  const files = [pathname, `${pathname.replace(/\/$/, "")}/index.html`];
  const file = files
    .map((name) => `${folder}/static${name}`)
    .find((name) => existsSync(name) && statSync(name).isFile());
  if (!file) return undefined;
  const type = file.endsWith(".js") ? "text/javascript" : "text/html;charset=utf-8";
  return { status: 200, headers: ["content-type", type], body: readFileSync(file) };
}

async function respond(req: IncomingMessage): Promise<Answer> {
  const url = new URL(`http://localhost${req.url}`);
  const { pathname, search } = url;
  const headers: string[] = [];
  const answer = async ({ src, dest, handle }: Route): Promise<Answer | undefined> => {
    if (handle === "filesystem") return findStatic(pathname);
    const found = new RegExp(`^${src}$`).exec(pathname);
    if (!found || !dest) return undefined;
    const target = dest.replace(/\$(\w+)/g, (_, name: string) => found.groups?.[name] ?? "");
    const [name = ""] = target.split("?");
    if (!existsSync(`${folder}/functions${name}.prerender-config.json`)) {
      return call(name, pathname + search, req);
    }
    // The first request decides, whatever its cookies: the worst that a platform may do.
    const known = kept.get(target) ?? (await call(name, target, req));
    if (req.method === "GET" && known.status === 200) kept.set(target, known);
    return known;
  };
  for (const route of routes) {
    if (route.headers && new RegExp(`^${route.src}$`).test(pathname)) {
      headers.push(...Object.entries(route.headers).flat());
    }
    const found = await answer(route);
    // The headers of a function precede those of the routes.
    if (found) return { ...found, headers: [...headers, ...found.headers] };
  }
  return { status: 404, headers: [], body: Buffer.from("") };
}

createServer((req, res) => {
  respond(req).then(
    ({ status, headers, body }) => {
      res.statusCode = status;
      for (let at = 0; at < headers.length; at += 2) {
        const [name = "", value = ""] = headers.slice(at, at + 2);
        if (/^(?:connection|transfer-encoding|content-length|keep-alive)$/i.test(name)) continue;
        if (/^set-cookie$/i.test(name)) res.appendHeader(name, value);
        else res.setHeader(name, value);
      }
      res.end(body);
    },
    (error: unknown) => {
      console.error(error);
      res.writeHead(500).end();
    },
  );
}).listen(Number(PORT), HOST);
