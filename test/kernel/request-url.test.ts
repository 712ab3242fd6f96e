import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUrlReader } from "../../src/http/request-url.ts";
import { rounds } from "../_scale.ts";

const MEMBERS = ["origin", "protocol", "host", "pathname"] as const;

function read(readUrl: (href: string) => object, href: string): unknown {
  let url: Partial<Record<(typeof MEMBERS)[number], string>>;
  try {
    url = readUrl(href);
  } catch (error) {
    return (error as Error).name;
  }
  return MEMBERS.map((name) => url[name]);
}

const parse = (href: string) => new URL(href);

describe("createUrlReader()", () => {
  it.each([
    "http://localhost:3000/auth/session",
    "https://app.example/auth/signin?callbackUrl=https://a.example/%2e%2e/#x",
    "http://APP.example:80/auth",
    "https://app.example:443/auth",
    "https://app.example:8443/auth",
    "https://app.example",
    "https://app.example?x",
    "https://app.example/auth/../secret",
    "https://app.example/auth/%2E%2e/secret",
    "https://app.example/auth/.hidden/..",
    "https://app.example/auth\\session",
    "https://app.example/au\tth/session",
    "https://app.example/auth/session ",
    "https://app.example/auth/a b/é/\u2028",
    "https://app.example/a^b",
    "https://app.example/a`b",
    'https://app.example/a{b}|"<c>',
    "https://app.example\u0000/auth",
    "https://ada:secret@app.example/auth",
    "https://app.example\\@evil.example/auth",
    "https://[::1]:3000/auth",
    "https://[::1/auth",
    "https://bücher.example/auth",
    "https://app.example:99999/auth",
    "https://a..b/auth",
    "https:///auth",
    "HTTPS://app.example/auth",
    "//app.example/auth",
    "/auth",
    "",
  ])("%j is parsed like the URL parser does", (href) => {
    expect(read(createUrlReader(), href)).toEqual(read(parse, href));
  });

  it("the origin of a URL is its own, even after a URL of another server", () => {
    const readUrl = createUrlReader();
    const hrefs = ["https://a.example/auth", "http://a.example/auth", "https://b.example/auth"];
    for (const href of [...hrefs, ...hrefs.toReversed()]) {
      expect(read(readUrl, href)).toEqual(read(parse, href));
    }
  });

  it("a URL is parsed like the URL parser does, whichever was parsed before", () => {
    const host = fc.oneof(
      fc.constantFrom("a.example", "A.example:80", "b.example:443", "[::1]", "ü", "a:b", "%41"),
      fc.string({ maxLength: 6 }),
    );
    const part = fc.oneof(
      fc.constantFrom("/", "/auth", "/.", "/..", "/%2e", "?", "#", "\\", "\t", "@", ":", "//"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    const scheme = fc.constantFrom("http://", "https://", "http:/", "Http://", "ftp://", "");
    const href = fc
      .tuple(scheme, host, fc.array(part, { maxLength: 6 }))
      .map(([start, name, parts]) => start + name + parts.join(""));
    fc.assert(
      fc.property(fc.array(href, { minLength: 1, maxLength: 4 }), (hrefs) => {
        const readUrl = createUrlReader();
        const found = hrefs.map((one) => read(readUrl, one));
        expect(found).toEqual(hrefs.map((one) => read(parse, one)));
      }),
      { numRuns: rounds(20_000) },
    );
  });
});
