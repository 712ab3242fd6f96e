import { describe, expect, it } from "vitest";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { createAuth } from "../../presets/standard.ts";
import { LOVELACE, ORIGIN } from "../_app.ts";
import { EVIL, givesSession, watchRejections } from "../attack/_attack.ts";
import { FACES, type Fetch } from "./_faces.ts";
import { listen } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

watchRejections();

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { "content-type": "application/json" };
const PATH = "/auth/callback/credentials";
const LIMIT = 65_536;

type Make = () => Request | Promise<Request>;

const post = (
  body: BodyInit | null,
  headers: Record<string, string> = FORM,
  path = PATH,
): Request =>
  new Request(ORIGIN + path, { method: "POST", headers, body, duplex: "half" } as RequestInit);

const encode = (text: string) => new TextEncoder().encode(text);

/** A body in parts; `end` determines how it ends. */
function stream(parts: readonly string[], end: "close" | "error" = "close"): ReadableStream {
  const left = [...parts];
  return new ReadableStream({
    pull(controller) {
      const part = left.shift();
      if (part !== undefined) controller.enqueue(encode(part));
      else if (end === "close") controller.close();
      else controller.error(new TypeError("terminated"));
    },
  });
}

const fields = (over: object = {}) => String(new URLSearchParams({ ...LOVELACE, ...over }));

async function read(request: Request, parts: number): Promise<Request> {
  const reader = request.body!.getReader();
  for (let at = 0; at < parts; at++) await reader.read();
  reader.releaseLock();
  return request;
}

/** Requests that a browser does not make with the site's own forms. */
const REQUESTS: Readonly<Record<string, Make>> = {
  "a body over the limit, with its length": () =>
    post("x".repeat(LIMIT + 1), { ...FORM, "content-length": String(LIMIT + 1) }),
  "a stream over the limit": () => post(stream(Array.from({ length: 70 }, () => "x".repeat(1000)))),
  "a wrong length": () => post("a=1", { ...FORM, "content-length": "999999999" }),
  "a stream that breaks off": () => post(stream(["username=ada&", "pass"], "error")),
  "a stream that breaks off before its first byte": () => post(stream([], "error")),
  "a stream of many empty parts": () => post(stream(Array.from({ length: 500 }, () => ""))),
  "a stream of bytes in other types": () =>
    post(
      new ReadableStream({
        start(controller) {
          controller.enqueue("text");
          controller.close();
        },
      }),
    ),
  "a body that was already read": async () => {
    const request = post(fields());
    await request.text();
    return request;
  },
  "a body that was partly read": async () => read(post(stream(["username=ada", "&password=x"])), 1),
  "a body that was canceled": async () => {
    const request = post(fields());
    await request.body!.cancel();
    return request;
  },
  "a request that was aborted": () => {
    const signal = AbortSignal.abort();
    return new Request(ORIGIN + PATH, { method: "POST", headers: FORM, body: fields(), signal });
  },
  "a form without a content type": () => post(encode(fields()), {}),
  "a form as text": () => post(fields(), { "content-type": "text/plain" }),
  "an invalid content type": () => post(fields(), { "content-type": ";;" }),
  "a form with one name twice": () => post(`${fields()}&username=grace`),
  "a form with broken escapes": () => post("%&%zz=%&=&&==%ff"),
  "a form that is not UTF-8": () => post(new Uint8Array([0x61, 0x3d, 0xff, 0xfe])),
  "a form with names of object members": () => post("__proto__=1&constructor=2&toString=3"),
  "JSON that is null": () => post("null", JSON_TYPE),
  "JSON that is a list": () => post("[1]", JSON_TYPE),
  "JSON that is only text": () => post('"x"', JSON_TYPE),
  "JSON that ends early": () => post('{"username":', JSON_TYPE),
  "JSON that is deep": () => post(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, JSON_TYPE),
  "JSON with names of object members": () =>
    post('{"__proto__":{"x":1},"toJSON":1,"username":{"toString":null}}', JSON_TYPE),
  "JSON in another charset": () =>
    post("{}", { "content-type": "application/json; charset=utf-7" }),
  "a multipart body without a boundary": () => post("x", { "content-type": "multipart/form-data" }),
  "a multipart body that ends early": () =>
    post('--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1', {
      "content-type": "multipart/form-data; boundary=b",
    }),
  "a multipart body with a file": () => {
    const form = new FormData();
    form.append("username", new Blob(["ada"]), "ada.txt");
    return new Request(ORIGIN + PATH, { method: "POST", body: form });
  },
  ...Object.fromEntries(
    ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PROPFIND"].flatMap((method) =>
      ["/auth/session", "/auth/signin", PATH].map((path): [string, Make] => [
        `${method} ${path}`,
        () => new Request(ORIGIN + path, { method }),
      ]),
    ),
  ),
  "a PUT with a body": () => new Request(ORIGIN + PATH, { method: "PUT", body: fields() }),
  ...Object.fromEntries(
    ["//session", "/session/", "/session%2f", "/session;x", "/%", "/%ff", "/%00"]
      .concat(`//${EVIL}/`, `/\\${EVIL}`, `/signin?callbackUrl=//${EVIL}`, `/${"a".repeat(8_000)}`)
      .map((path): [string, Make] => [
        `the path ${path.slice(0, 40)}`,
        () => new Request(`${ORIGIN}/auth${path}`),
      ]),
  ),
  ...Object.fromEntries(
    [
      { "x-forwarded-host": EVIL },
      { forwarded: `host=${EVIL}` },
      { origin: "null" },
      { origin: `http://${EVIL}` },
      { referer: "\\" },
      { cookie: "=; ;;a; authjs.session-token; authjs.csrf-token=%E0%A4%A" },
      { cookie: `authjs.session-token.9=${"a".repeat(4_000)}` },
      { "accept-language": "*;q=x, ,,en-" },
      { accept: "text/html;q=z,*" },
    ].map((headers): [string, Make] => [
      `the header ${Object.entries(headers).flat().join(": ").slice(0, 60)}`,
      () => new Request(`${ORIGIN}/auth/signin`, { headers }),
    ]),
  ),
};

/** The application behind the routes. */
const respond: Fetch = async (request) => new Response(`the application: ${await request.text()}`);

/** Reduces a response to what must be equal in all bindings. */
async function reduce(response: Response): Promise<object> {
  const { status, headers } = response;
  const body = await response.text();
  const plain = (text: string | null) =>
    text?.replaceAll(/[0-9a-f]{64}|[0-9a-f]{12}(?=")|nonce[-=]"?[\w-]{22}/g, "RANDOM") ?? null;
  return {
    status,
    location: headers.get("location"),
    type: headers.get("content-type"),
    caching: headers.get("cache-control"),
    allow: headers.get("allow"),
    policy: plain(headers.get("content-security-policy")),
    cookies: headers.getSetCookie().map((line) => line.split("=", 1)[0]),
    body: plain(body),
  };
}

const unlogged = () => buildConfig({ trustHost: true });

/** Values that a body parser, or an application, may have set instead of a body. */
const PARSED: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  "a number": () => 7,
  "a text": () => "username=ada&password=wrong",
  bytes: () => Buffer.from("username=ada&password=wrong"),
  "a list": () => ["username", "ada"],
  "lists as values": () => ({ username: ["ada", "grace"], password: [["x"]] }),
  "objects as values": () => ({ username: { toString: null }, password: { a: { b: 1 } } }),
  "a map": () => new Map([["username", "ada"]]),
  "a date": () => new Date(Number.NaN),
  "a symbol": () => ({ username: Symbol("ada") }),
  "a big integer": () => ({ username: 1n }),
  "a circle": () => {
    const circle: Record<string, unknown> = { username: "ada" };
    circle.password = circle;
    return circle;
  },
  "a getter that throws": () => ({
    get username() {
      throw new Error("no");
    },
  }),
  "a toJSON that throws": () => ({
    toJSON() {
      throw new Error("no");
    },
  }),
  "an object without a prototype": () => Object.assign(Object.create(null), { username: "ada" }),
  "a proxy that refuses": () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no");
        },
      },
    ),
  "a function": () => () => "x",
  "100,000 fields": () => Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [at, "x"])),
};

describe.each([
  ["as a form", FORM],
  ["as JSON", JSON_TYPE],
])("a body that was parsed before keyhook/node, sent %s", (_, headers) => {
  it.each(Object.entries(PARSED))(
    "to %s signs no one in, and causes no server error",
    async (name, make) => {
      const { handler } = createNodeAuth(unlogged());
      const server = await listen((req, res) => {
        req.resume().on("end", () => handler(Object.assign(req, { body: make() }), res));
      });
      const response = await fetch(server.origin + PATH, {
        method: "POST",
        headers,
        body: "{}",
        redirect: "manual",
      });
      expect(response.status, name).toBeGreaterThanOrEqual(300);
      expect(response.status, name).toBeLessThan(500);
      expect(givesSession(response)).toBe(false);
      await server.close();
    },
  );
});

describe.each(Object.entries(FACES))("bad input to %s", (face, mount) => {
  const site: Fetch = mount(createAuth(unlogged()), respond);
  const reference: Fetch = createAuth(unlogged()).fetch;

  it.each(Object.entries(REQUESTS))(`%s gets the response of auth.fetch`, async (name, make) => {
    const expected = await reduce(await reference(await make()));
    const response = await site(await make());
    expect((expected as { status: number }).status, name).toBeLessThan(500);
    // Next.js calls no handler of another method.
    if (face === "keyhook/next" && /OPTIONS|PROPFIND/.test(name)) {
      expect(await response.text()).toContain("the application");
      return;
    }
    // SvelteKit tries its own routes if Keyhook has no route.
    if (face === "keyhook/sveltekit" && name.startsWith("the path ") && !/signin/.test(name)) {
      expect(await response.text()).toBe("the application: ");
      return;
    }
    // h3 2 refuses paths that cannot be decoded before anything is called.
    if (/h3 2$|nitro$/.test(face) && /\/%(?:ff)?$/.test(name)) {
      expect(response.status).toBe(400);
      return;
    }
    expect(await reduce(response)).toEqual(expected);
  });

  it("a request to another path reaches the application with its body", async () => {
    const response = await site(post("kept", FORM, "/other"));
    expect(await response.text()).toBe("the application: kept");
    expect(response.headers.getSetCookie()).toEqual([]);
  });
});
