import { describe, expect, it } from "vitest";
import { BadRequest } from "../../src/errors/errors.ts";
import { MAX_BODY_BYTES, readBody as read } from "../../src/http/body.ts";

const readBody = (request: Request, signal = AbortSignal.timeout(5000)) => read(request, signal);
const FORM = "application/x-www-form-urlencoded";

const post = (body: BodyInit | null, type?: string, headers: Record<string, string> = {}) =>
  new Request("http://localhost/", {
    method: "POST",
    body,
    headers: { ...(type !== undefined && { "content-type": type }), ...headers },
  });

describe("readBody()", () => {
  it.each([
    ["a=1&b=two+words&c=%C3%A9", { a: "1", b: "two words", c: "é" }],
    ["", {}],
    ["a", { a: "" }],
    ["=x", { "": "x" }],
    ["a=%zz", { a: "%zz" }],
  ])("readBody() parses the form %j to %j", async (text, fields) => {
    expect(await readBody(post(text, FORM))).toEqual(fields);
  });

  it.each([
    ["application/json"],
    ["application/json; charset=utf-8"],
    ["application/json ; charset=utf-8"],
    ["APPLICATION/JSON"],
    [" application/json "],
  ])("readBody() parses JSON with content type %j", async (type) => {
    expect(await readBody(post('{"a":[1,{"b":null}]}', type))).toEqual({ a: [1, { b: null }] });
  });

  it("readBody() returns the text fields of multipart and drops files", async () => {
    const form = new FormData();
    form.set("a", "1");
    form.set("file", new Blob(["x"]), "x.txt");
    expect(await readBody(post(form))).toEqual({ a: "1" });
  });

  it.each(["text/plain", "application/xml", "application/jsonp", "text/json", undefined])(
    "readBody() returns no fields for content type %j",
    async (type) => {
      const request = post("csrfToken=x", type);
      expect(await readBody(request)).toEqual({});
    },
  );

  it("readBody() returns no fields for an empty body", async () => {
    expect(await readBody(post(null, FORM))).toEqual({});
    expect(await readBody(post("", "application/json"))).toEqual({});
  });

  it("readBody() returns __proto__ in a form as a plain field and drops it from JSON", async () => {
    const fields = await readBody(post("__proto__=x&constructor=y&toString=z", FORM));
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(Object.entries(fields)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
      ["toString", "z"],
    ]);
    const json = await readBody(post('{"__proto__":{"admin":true},"a":1}', "application/json"));
    expect(json).toEqual({ a: 1 });
    expect((json as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe("readBody() failures", () => {
  it.each([
    ["malformed JSON", '{"a":', "application/json"],
    ["a JSON array", "[1]", "application/json"],
    ["a JSON text", '"x"', "application/json"],
    ["JSON null", "null", "application/json"],
    ["deep JSON", `${'{"a":'.repeat(40)}1${"}".repeat(40)}`, "application/json"],
    ["malformed multipart", "no boundary", "multipart/form-data"],
    ["truncated multipart", "--x\r\n", "multipart/form-data; boundary=x"],
  ])("readBody() rejects %s with BadRequest", async (_, text, type) => {
    await expect(readBody(post(text, type))).rejects.toThrow(BadRequest);
  });

  it("readBody() rejects a body that is not UTF-8 with BadRequest", async () => {
    await expect(readBody(post(new Uint8Array([0xff, 0xfe]), FORM))).rejects.toThrow(BadRequest);
  });

  it.each([
    ["a form", "a=1&b=2&a=3", FORM],
    ["a form, spelt in two ways", "a=1&%61=3", FORM],
    ["a form, with one empty value", "a=1&a=", FORM],
    [
      "multipart",
      ["--x", 'content-disposition: form-data; name="a"', "", "1"].join("\r\n").repeat(2) +
        "\r\n--x--",
      "multipart/form-data; boundary=x",
    ],
  ])(
    "readBody() rejects two fields with the same name in %s with BadRequest",
    async (_, text, type) => {
      await expect(readBody(post(text, type))).rejects.toThrow(BadRequest);
    },
  );

  it("readBody() rejects a Content-Length above the limit before reading the body", async () => {
    const headers = { "content-length": String(MAX_BODY_BYTES + 1) };
    await expect(readBody(post("a=1", FORM, headers))).rejects.toMatchObject({ status: 413 });
  });

  it("readBody() reads a body of exactly the limit, with its Content-Length", async () => {
    const text = `a=${"b".repeat(MAX_BODY_BYTES - 2)}`;
    const headers = { "content-length": String(MAX_BODY_BYTES) };
    expect(await readBody(post(text, FORM, headers))).toEqual({ a: text.slice(2) });
  });

  it("readBody() rejects a stream that exceeds the limit, and cancels it", async () => {
    let canceled = false;
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 8192;
        controller.enqueue(new Uint8Array(8192).fill(97));
      },
      cancel: () => void (canceled = true),
    });
    const request = new Request("http://localhost/", {
      method: "POST",
      body: endless,
      headers: { "content-type": FORM },
      duplex: "half",
    } as RequestInit);
    await expect(readBody(request)).rejects.toMatchObject({ status: 413 });
    expect(canceled).toBe(true);
    expect(sent).toBeLessThan(MAX_BODY_BYTES + 3 * 8192);
  });

  it("readBody() rejects a body that was already read, and names the fix", async () => {
    const request = post("a=1", FORM);
    await request.text();
    await expect(readBody(request)).rejects.toThrow("before body parsers");
  });

  it("readBody() rejects a body that does not arrive in time", async () => {
    const silent = new Request("http://localhost/", {
      method: "POST",
      body: new ReadableStream(),
      headers: { "content-type": FORM },
      duplex: "half",
    } as RequestInit);
    await expect(readBody(silent, AbortSignal.timeout(20))).rejects.toMatchObject({ status: 408 });
  });

  it("readBody() rejects a body whose client disconnects with BadRequest", async () => {
    const silent = new Request("http://localhost/", {
      method: "POST",
      body: new ReadableStream(),
      headers: { "content-type": FORM },
      duplex: "half",
    } as RequestInit);
    await expect(readBody(silent, AbortSignal.abort())).rejects.toMatchObject({ status: 400 });
  });

  it("readBody() accepts a body of exactly the maximum size", async () => {
    const text = `a=${"x".repeat(MAX_BODY_BYTES - 2)}`;
    expect((await readBody(post(text, FORM))).a).toHaveLength(MAX_BODY_BYTES - 2);
  });
});
