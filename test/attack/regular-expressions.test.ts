import { globSync, readFileSync } from "node:fs";
import * as opentelemetry from "@opentelemetry/api";
import { analyse } from "scslre";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { isAddress, parseSender } from "../../plugins/flows/email/address.ts";
import { toSendError } from "../../plugins/flows/email/send-error.ts";
import { getRequestedUser } from "../../plugins/flows/webauthn/user.ts";
import { buildEntry, toLine } from "../../plugins/observability/audit-log/entry.ts";
import { describeErrors } from "../../plugins/observability/inspector/describe-error.ts";
import { createMasker, type Masker, maskUrl } from "../../plugins/observability/inspector/mask.ts";
import { createSpans } from "../../plugins/observability/opentelemetry/spans.ts";
import { parseRecoveryCode } from "../../plugins/security/second-factor/recovery-codes.ts";
import { buildKeyUri, findStep } from "../../plugins/security/second-factor/totp.ts";
import { retryWhenBusy } from "../../plugins/stores/_sql/runner.ts";
import { standardPreset } from "../../presets/index.ts";
import { isDate } from "../../src/adapters.ts";
import { readNamesakes } from "../../src/http/cookies.ts";
import { boundedFetch } from "../../src/http/fetch.ts";
import { getClientIp, parseIp } from "../../src/http/ip.ts";
import { isHostEntry } from "../../src/http/origin.ts";
import { parseAcceptLanguage, isLanguageTag } from "../../src/i18n/messages.ts";
import { describe as describeError } from "../../src/kernel/logger.ts";
import { escapeHtml } from "../../src/page/html.ts";
import { linkUrl, nameScheme, pictureUrl } from "../../src/page/safe.ts";
import { normalizeEmail } from "../../src/platform/email-address.ts";
import { redact } from "../../src/platform/redact.ts";
import { trimEnd } from "../../src/platform/trim-end.ts";
import { toSameOrigin } from "../../src/request/redirect.ts";
import { createTestAuth, credentials, ORIGIN } from "../_app.ts";
import { IS_QUICK } from "../_scale.ts";

// Quadratic time is visible in a quarter of the text too.
const LENGTH = (IS_QUICK ? 256 : 1024) * 1024;
const LIMIT_MS = 50;

// One repeated character, near-matches, blanks, nested quotes and brackets, and marks that Unicode reorders.
const UNITS = [
  ...'a1/:.-=@ \n\t;"\\%,[{<',
  "a.",
  "a@",
  "1.",
  "a-",
  '\\"',
  "//a",
  "a:a:",
  "ab1-",
  "?a&",
  ". ",
  "\n at ",
  "\u0301\u0316",
  "\ufdfa",
];
const TEXTS: readonly string[] = UNITS.flatMap((unit) => {
  const text = unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
  return [text, `https://x${text}\u0001!`];
});

// CPU time of this thread, because the clock also counts the work of other processes.
function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the milliseconds of the fastest of three calls. */
async function measure(call: () => unknown): Promise<number> {
  let best = Infinity;
  for (let time = 0; time < 3 && best > LIMIT_MS; time++) {
    const start = cpuTime();
    await call();
    best = Math.min(best, cpuTime() - start);
  }
  return best;
}

// The absolute time depends on the machine. On a slow machine, 32 parts of a text take as long as the text if the time
// is linear, and 1/32 of it if the time is quadratic.
async function isLinear(ms: number, call: (text: string) => unknown, text: string) {
  // The part includes the end, because the end decides how the rest is handled.
  const part = text.slice(0, text.length / 32) + text.slice(-2);
  const inParts = await measure(async () => {
    for (let at = 0; at < 32; at++) await call(part);
  });
  return ms < 10 * LIMIT_MS && ms < 16 * inParts;
}

/** Describes the texts that take longer than the limit and longer than their length explains. */
async function listSlowTexts(call: (text: string) => unknown): Promise<string[]> {
  const slow: string[] = [];
  for (const text of TEXTS) {
    const ms = await measure(() => call(text));
    if (ms < LIMIT_MS || (await isLinear(ms, call, text))) continue;
    slow.push(`${JSON.stringify(text.slice(0, 20))}: ${Math.round(ms)} ms`);
  }
  return slow;
}

const headers = (name: string, text: string): Headers => {
  try {
    return new Headers({ [name]: text });
  } catch {
    return new Headers();
  }
};

const busy = (text: string) =>
  retryWhenBusy(() => Promise.reject(new Error(text))).then(undefined, () => undefined);

const passkeyRequest = (email: string) => ({
  method: "GET",
  url: new URL(ORIGIN),
  headers: new Headers(),
  query: { email, name: email },
});

const spans = createSpans(opentelemetry, {});
const named = (text: string) => Object.assign(new Error("x"), { name: text });

const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  "an error text that is redacted": (text) => redact(text, ["secret", null]),
  "the error of a mail service": (text) => toSendError(new Error(text), "email", ["key"]),
  "an error in the log": (text) => describeError(new Error(text)),
  "the name of an error in the log": (text) => describeError(named(text)),
  "the name of an error in a span": (text) => spans.fail(spans.start("x", {}), named(text)),
  "an entry of the audit log": (text) =>
    toLine(buildEntry("signIn", { who: text, email: text, reason: text }, undefined, true)),
  "a text without slashes at its end": (text) => trimEnd(text, "/"),
  "Accept-Language": parseAcceptLanguage,
  "a language tag": isLanguageTag,
  Cookie: (text) => readNamesakes(text, "authjs.session-token"),
  "an entry of `trustHost`": (text) => isHostEntry(text),
  "an address of a client": parseIp,
  "X-Forwarded-For": (text) =>
    getClientIp({
      connection: "::1",
      headers: headers("x-forwarded-for", text),
      trustProxy: 1,
    }),
  "a target of a redirect": (text) => toSameOrigin(text, ORIGIN),
  "a date in a row": isDate,
  "a text in a page": escapeHtml,
  "a link in a page": linkUrl,
  "a scheme in a message": nameScheme,
  "a picture in a page": pictureUrl,
  "an e-mail address": normalizeEmail,
  "the address of a sender": isAddress,
  "a sender": parseSender,
  "the user of a new passkey": (text) => getRequestedUser(passkeyRequest(text)),
  "a recovery code": parseRecoveryCode,
  "a code of an authenticator app": (text) => findStep("JBSWY3DPEHPK3PXP", text, 1),
  "the name of an account in an authenticator app": (text) =>
    buildKeyUri("JBSWY3DPEHPK3PXP", "Acme", text),
  "the error of a database": busy,
  "the path of a fetch that fails": (text) =>
    boundedFetch(() => Promise.reject(new Error("x")))(`https://api.example/${text}`).catch(
      () => undefined,
    ),
};

describe(`hostile texts of ${LENGTH / 1024} KB`, () => {
  it.each(Object.entries(PLACES))(
    "%s takes less than 50 ms, or linear time on a slow machine",
    async (_, place) => {
      await place("warm");
      expect(await listSlowTexts(place)).toEqual([]);
    },
  );

  it("the inspector's mask of an error or of a URL takes less than 50 ms, or linear time on a slow machine", async () => {
    let mask: Masker | undefined;
    const { browser } = createTestAuth({
      use: [
        {
          name: "mask",
          setup(kernel) {
            kernel.hooks.around.tap("mask", async (ctx, next) => {
              mask = await createMasker(ctx);
              await next();
            });
          },
        },
      ],
    });
    await browser.get("/auth/session?token=abcdef");
    expect(mask?.("the token abcdef")).toBe("the token ***");
    const slow = await listSlowTexts((text) => {
      if (mask) describeErrors([new Error(text)], mask);
      maskUrl(new URL(`${ORIGIN}/${text}`));
    });
    expect(slow).toEqual([]);
  });
});

describe("the limits of a sign-in", () => {
  it("counting a user name of accents takes less than 50 ms", async () => {
    const name = "a" + "\u0301\u0316".repeat(14_000);
    const { browser } = createTestAuth({
      preset: standardPreset,
      providers: [credentials()],
      errors: "allowed",
    });
    await browser.send("/auth/callback/credentials", { json: { username: "a", password: "b" } });
    const ms = await measure(() =>
      browser.send("/auth/callback/credentials", { json: { username: name, password: "b" } }),
    );
    expect(ms).toBeLessThan(LIMIT_MS);
  });
});

describe("redact()", () => {
  it("redact() leaves no part of a secret or an address that its cut divides", () => {
    const secret = "s3cret".repeat(5);
    for (const part of [secret, "ada.lovelace@example.com"]) {
      for (let gap = 0; gap < 40; gap++) {
        const text = "a@b.example ".repeat(300).slice(0, 3000 - gap) + part;
        const shown = redact(text.replaceAll("a@b.example", secret).slice(0, 3000) + part, [
          secret,
        ]);
        for (const end of ["s3", "ada", "example.com"]) expect(shown).not.toContain(end);
      }
    }
  });
});

/** Regular expressions that the checker reports, each with the reason why foreign text never reaches it. */
const ALLOWED: Readonly<Record<string, string>> = {
  "src/client/request.ts: /\\/+$/":
    "`baseUrl` and `basePath` are the application's own configuration.",
};

/** Lists the regular expressions in the sources that take more than linear time. */
function listSlow(): string[] {
  const slow: string[] = [];
  for (const file of globSync("{src,plugins,presets}/**/*.ts")) {
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        const literal = { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
        if (analyse(literal).reports.length) slow.push(`${file}: ${node.text}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return slow.sort();
}

describe("the checker of regular expressions", () => {
  it("the checker reports quadratic and exponential time", () => {
    const slow = [/[^\s@]+@[^\s@]+/g, /\/+$/, /^(?:a+)+$/, /^\d*\w+!/];
    for (const { source, flags } of slow) {
      expect(analyse({ source, flags }).reports, source).not.toEqual([]);
    }
  });

  it("every regular expression of the sources takes linear time", { timeout: 60_000 }, () => {
    expect([...new Set(listSlow())]).toEqual(Object.keys(ALLOWED).sort());
  });
});
