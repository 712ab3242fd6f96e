import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKnownResponse, getKnownParts } from "../../src/http/known-response.ts";

const HEADERS = { "content-type": "application/json", "cache-control": "private, no-store" };

const build = (text = '{"a":1}', status = 200, isValid = true) =>
  createKnownResponse(text, { status, headers: HEADERS }, isValid);
const buildStandard = (text = '{"a":1}', status = 200) =>
  new Response(text, { status, headers: HEADERS });

interface Asked {
  readonly status: number;
  readonly headers: string[];
  readonly body: { pipe(res: { end(text: string): unknown }): unknown } | ReadableStream | null;
}

/** Reads the parts of a response that a Node server writes, as srvx does. */
const ask = (response: Response) =>
  (response as unknown as { _toNodeResponse(): Asked })._toNodeResponse();

/** Returns what a body that writes itself writes. */
function write(body: Asked["body"]): string {
  const written: string[] = [];
  if (body && "pipe" in body) body.pipe({ end: (text) => written.push(text) });
  return written.join();
}

/** A use of a response, with a result that can be compared. */
type Step = readonly [name: string, act: (response: Response) => unknown];

const name = fc.constantFrom("x-one", "X-Two", "content-type", "set-cookie", "content-length");
const value = fc.constantFrom("", "a", "b; c", "text/plain", "a=1; Path=/", "7");

const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(name, value)
    .map(([key, text]): Step => [`set ${key}`, ({ headers }) => headers.set(key, text)]),
  fc
    .tuple(name, value)
    .map(([key, text]): Step => [`append ${key}`, ({ headers }) => headers.append(key, text)]),
  name.map((key): Step => [`delete ${key}`, ({ headers }) => headers.delete(key)]),
  name.map((key): Step => [`get ${key}`, ({ headers }) => [headers.get(key), headers.has(key)]]),
  fc.constantFrom<Step>(
    ["headers", ({ headers }) => [...headers, headers.getSetCookie()]],
    ["status", ({ status, statusText, ok }) => [status, statusText, ok]],
    ["kind", ({ type, url, redirected, bodyUsed }) => [type, url, redirected, bodyUsed]],
    ["locked", ({ body }) => body?.locked],
    ["text", (response) => response.text()],
    ["json", (response) => response.json()],
    ["bytes", async (response) => [...new Uint8Array(await response.arrayBuffer())]],
    [
      "blob",
      async (response) => {
        const blob = await response.blob();
        return [blob.type, blob.size, await blob.text()];
      },
    ],
    ["formData", (response) => response.formData()],
    [
      "clone",
      async (response) => {
        const copy = response.clone();
        return [copy.status, [...copy.headers], await copy.text()];
      },
    ],
    [
      "copy",
      async (response) => {
        const copy = new Response(response.body, response);
        return [copy.status, [...copy.headers], await copy.text()];
      },
    ],
    ["reader", async ({ body }) => (await body?.getReader().read())?.value?.length],
    ["cancel", ({ body }) => body?.cancel()],
    ["bad name", ({ headers }) => headers.set("a b", "1")],
    ["assign", (response) => Reflect.set(response, "status", 500)],
  ),
);

async function attempt(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return (error as Error).name;
  }
}

describe("createKnownResponse", () => {
  it("behaves like a Response whatever is called on it, in any order", async () => {
    const text = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constant("\ud800"));
    const status = fc.constantFrom(200, 201, 400, 401, 404, 500);
    const given = fc.record({ text, status, isValid: fc.boolean(), steps: fc.array(step) });
    await fc.assert(
      fc.asyncProperty(given, async ({ text, status, isValid, steps }) => {
        const ours = build(text, status, isValid);
        const standard = buildStandard(text, status);
        for (const [name, act] of steps) {
          const [was, should] = [
            await attempt(() => act(ours)),
            await attempt(() => act(standard)),
          ];
          expect(was, name).toEqual(should);
        }
      }),
    );
  });

  it("gives a server what the Response itself would send, whatever was called before", async () => {
    const given = fc.record({ text: fc.json(), steps: fc.array(step) });
    await fc.assert(
      fc.asyncProperty(given, async ({ text, steps }) => {
        const ours = build(text);
        const standard = buildStandard(text);
        for (const [, act] of steps) {
          await attempt(() => act(ours));
          await attempt(() => act(standard));
        }
        const { status, headers, body } = ask(ours);
        const names = headers.filter((_, at) => at % 2 === 0);
        const lines = names.map((name, at) => `${name}: ${headers[2 * at + 1]}`);
        const isRead = standard.bodyUsed || standard.body?.locked;
        const length = String(Buffer.byteLength(text));
        if (!isRead && !standard.headers.has("content-length")) {
          standard.headers.set("content-length", length);
        }
        expect(status).toBe(standard.status);
        const expected = [...standard.headers].map(([name, value]) => `${name}: ${value}`);
        expect(lines.sort()).toEqual(expected.sort());
        if (isRead) expect(body).toBe(ours.body);
        else expect(write(body)).toBe(text);
        expect(getKnownParts(ours)?.text).toBe(isRead ? undefined : text);
      }),
    );
  });

  it("has every member of the runtime's Response, and no others", () => {
    const ours = build();
    for (const key of Reflect.ownKeys(Response.prototype) as (keyof Response)[]) {
      expect(typeof ours[key], String(key)).toBe(typeof buildStandard()[key]);
    }
    expect(ours).toBeInstanceOf(Response);
    expect(ours.constructor).toBe(Response);
    expect(Object.prototype.toString.call(ours)).toBe("[object Response]");
    expect(Reflect.ownKeys(ours)).toEqual([]);
    expect(inspect(ours)).toBe(inspect(buildStandard()));
    const listed: string[] = [];
    for (const key in ours) listed.push(key);
    const standard: string[] = [];
    for (const key in buildStandard()) standard.push(key);
    expect(listed.sort()).toEqual(standard.sort());
  });

  it("returns the same headers and body object each time", () => {
    const ours = build();
    expect(ours.headers).toBe(ours.headers);
    expect(ours.body).toBe(ours.body);
  });

  it("refuses what the constructor of Response refuses, at once", () => {
    const make = (status: number, headers: Record<string, string>) => () =>
      createKnownResponse("{}", { status, headers }, false);
    expect(make(700, {})).toThrow(RangeError);
    expect(make(204, {})).toThrow(TypeError);
    expect(make(200, { "a b": "1" })).toThrow(TypeError);
    expect(make(200, { a: "1\r\nset-cookie: b=2" })).toThrow(TypeError);
  });

  it("does not create a Response that no one reads", () => {
    const { Response: standard } = globalThis;
    let count = 0;
    globalThis.Response = class extends standard {
      constructor(...args: ConstructorParameters<typeof Response>) {
        super(...args);
        count++;
      }
    } as typeof Response;
    try {
      const ours = build();
      expect([ours.status, getKnownParts(ours)?.text, count]).toEqual([200, '{"a":1}', 0]);
      expect([ours.headers.get("content-type"), count]).toEqual(["application/json", 1]);
    } finally {
      globalThis.Response = standard;
    }
  });

  it("shares nothing with other Responses", () => {
    expect(getKnownParts(new Response("{}"))).toBeUndefined();
  });
});
