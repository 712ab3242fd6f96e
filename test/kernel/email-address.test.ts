import { domainToUnicode } from "node:url";
import { describe, expect, it } from "vitest";
import { listEmailSpellings, normalizeEmail } from "../../src/platform/email-address.ts";
import { pointsOf } from "../_scale.ts";

const ADA = "ada@example.com";

describe("normalizeEmail()", () => {
  it.each([
    [ADA],
    ["ADA@EXAMPLE.COM"],
    ["\t ada@example.com\r\n"],
    ["\u00a0ada@example.com\ufeff"],
    ["ａｄａ@ｅｘａｍｐｌｅ．ｃｏｍ"],
    ["𝓪𝓭𝓪@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.com"],
    ["ada@exampl\u24d4.com"],
    ["ada＠example.com"],
    [" ".repeat(1001) + ADA],
  ])("%j is the mailbox ada@example.com", (text) => {
    expect(normalizeEmail(text)).toBe(ADA);
  });

  it.each([
    ["jörg@bücher.example", "jörg@xn--bcher-kva.example"],
    ["jo\u0308rg@bu\u0308cher.example", "jörg@xn--bcher-kva.example"],
    ["JÖRG@XN--BCHER-KVA.EXAMPLE", "jörg@xn--bcher-kva.example"],
    ["用户@例子.example", "用户@xn--fsqu00a.example"],
    ["a@faß.example", "a@xn--fa-hia.example"],
    ["o'brien+tag.x@mail.example.co.uk", "o'brien+tag.x@mail.example.co.uk"],
    ["a@1.example", "a@1.example"],
    ["a@axn--b.example", "a@axn--b.example"],
    ["a_b%c@example.com", "a_b%c@example.com"],
    ["\u212aelvin@example.com", "kelvin@example.com"],
  ])("%j has the canonical form %j", (text, canonical) => {
    expect(normalizeEmail(text)).toBe(canonical);
  });

  it.each([
    ["no text", 1],
    ["null", null],
    ["a list", [ADA]],
    ["an object with a text", { toString: () => ADA }],
    ["an empty text", ""],
    ["no local part", "@example.com"],
    ["no host", "ada@"],
    ["no at sign", "ada"],
    ["two addresses", "ada@example.com,eve@example.com"],
    ["a second host", "ada@example.com,evil.example"],
    ["two at signs", "ada@evil.example@example.com"],
    ["a name", "Ada <ada@example.com>"],
    ["a host without a dot", "root@localhost"],
    ["a host that ends with a dot", "ada@example.com."],
    ["an empty label", "ada@example..com"],
    ["an IPv4 address", "ada@127.0.0.1"],
    ["an IPv4 address in hexadecimal", "ada@1.0x7f"],
    ["an address literal", "ada@[127.0.0.1]"],
    ["a number as top-level domain", "ada@example.1"],
    ["a port", "ada@example.com:25"],
    ["a path", "ada@example.com/x"],
    ["a percent-encoded host", "ada@ex%61mple.com"],
    ["an underscore in the host", "ada@ex_ample.com"],
    ["a hyphen at the start of a label", "ada@-example.com"],
    ["a zero-width space in the host", "ada@exam\u200bple.com"],
    ["a soft hyphen in the host", "ada@exam\u00adple.com"],
    ["a variation selector in the host", "ada@example\ufe0f.com"],
    ["a word joiner in the host", "ada@\u2060example.com"],
    ["a Hangul filler in the host", "ada@\u3164example.com"],
    ["a combining grapheme joiner in the host", "ada@e\u034fxample.com"],
    ["a combining character in the host", "ada@exa\u0335mple.com"],
    ["punycode that is not valid", "ada@xn--a.example"],
    ["punycode of a soft hyphen", "ada@xn--example-oka.com"],
    ["punycode of a capital letter", "ada@xn--bcher-2pa.example"],
    ["punycode of a wide letter", "ada@xn--cher-zra77610b.example"],
    ["punycode for ASCII", "ada@xn--example-.com"],
    ["a label that is too long", `ada@${"a".repeat(64)}.com`],
    ["a local part that is too long", `${"a".repeat(65)}@example.com`],
    ["a host that is too long", `ada@${"a.".repeat(130)}com`],
    ["a host that is too long in punycode", `ada@${"ü1.".repeat(60)}com`],
    ["an address behind a thousand blanks", " ".repeat(1002) + ADA],
    ["a zero-width joiner in the local part", "a\u200dda@example.com"],
    ["a variation selector in the local part", "ada\ufe0f@example.com"],
    ["a control character", "ada\u0000@example.com"],
    ["a line break within", "ada@example.com\r\nbcc:eve@example.com"],
    ["a lone surrogate", "ada\ud800@example.com"],
    ["an option of a program", "-oQ/tmp@example.com"],
    ["a quoted local part", '"ada b"@example.com'],
    ["a megabyte of combining marks", `a${"\u0300".repeat(1_000_000)}@example.com`],
  ])("%s is not an address", (_, given) => {
    expect(normalizeEmail(given)).toBe(null);
  });

  it("an address has at most 254 characters", () => {
    const host = (length: number) =>
      `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(length)}.com`;
    const longest = `${"x".repeat(64)}@${host(57)}`;
    expect(longest).toHaveLength(254);
    expect(normalizeEmail(longest)).toBe(longest);
    expect(normalizeEmail(`${"x".repeat(64)}@${host(58)}`)).toBeNull();
  });

  it("every code point, in the local part and in the host, has a stable canonical form", () => {
    const unstable: string[] = [];
    // Only a part of the higher planes, because all of them take half a minute.
    const all = Array.from({ length: 0x30_00 }, (_, point) => point);
    for (const point of [...all, ...pointsOf(0x30_00, 0x10_ff_ff)]) {
      const text = String.fromCodePoint(point);
      for (const given of [`a${text}b@example.com`, `a@b${text}c.example`]) {
        const canonical = normalizeEmail(given);
        if (canonical === null) continue;
        if (normalizeEmail(canonical) !== canonical) unstable.push(given);
        // oxlint-disable-next-line no-control-regex -- ASCII
        if (!/@[\x00-\x7f]+$/.test(canonical)) unstable.push(canonical);
      }
    }
    expect(unstable).toEqual([]);
  }, 60_000);
});

describe("listEmailSpellings()", () => {
  it("an address with an ASCII host has one spelling", () => {
    expect(listEmailSpellings(ADA)).toEqual([ADA]);
    expect(listEmailSpellings("+49 30 1234")).toEqual(["+49 30 1234"]);
    expect(listEmailSpellings("root@localhost")).toEqual(["root@localhost"]);
  });

  it("an internationalized host is found in punycode and in Unicode, whichever is given", () => {
    const [unicode, ascii] = ["Ada@bücher.例子.example", "Ada@xn--bcher-kva.xn--fsqu00a.example"];
    expect(listEmailSpellings(ascii)).toEqual([ascii, unicode]);
    expect(listEmailSpellings(unicode)).toEqual([unicode, ascii]);
  });

  it("punycode is decoded as Node decodes it", () => {
    const names = [
      "ü",
      "bücher",
      "münchen-ost",
      "例子",
      "ελληνικά",
      "россия",
      "a1ü2b",
      "𐐨𐐩",
      "日本語ドメイン",
    ];
    for (const name of names) {
      const host = new URL(`http://${name}.example`).hostname;
      expect(listEmailSpellings(`a@${host}`)).toContain(`a@${domainToUnicode(host)}`);
    }
  });
});
