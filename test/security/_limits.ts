import { type Mock, vi } from "vitest";
import type { CredentialsProvider } from "../../plugins/flows/credentials/provider.ts";
import { standardPreset } from "../../presets/index.ts";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import type { EventMessages } from "../../src/types.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
} from "../_app.ts";

/** Documentation addresses (RFC 5737): clients on the internet. */
export const HERE = "192.0.2.1";
export const THERE = "198.51.100.7";

/** Returns the n-th of many clients. */
export const client = (at: number): string => `203.0.${Math.floor(at / 250)}.${(at % 250) + 1}`;

type Authorize = CredentialsProvider["authorize"];

/** An application with credentials, whose clients have addresses. */
export interface LimitApp extends TestAuth {
  /** Ada's password is `lovelace`. */
  readonly authorize: Mock<Authorize>;
  /** The messages of the event `rateLimited`. */
  readonly locks: EventMessages["rateLimited"][];
  /** Opens a browser of the client with an address. */
  from(ip: string | undefined, headers?: Record<string, string>): Browser;
  /** Signs in, and resolves to the query of the page that follows: `{}` after a success. */
  attempt(browser: Browser, fields?: Record<string, string>): Promise<Record<string, string>>;
  /** Tries wrong passwords. */
  fail(browser: Browser, times: number, username?: string): Promise<void>;
}

/** The query of the sign-in page after wrong credentials. */
export const WRONG = { error: "CredentialsSignin", code: "credentials" };

/** Creates the application with the standard preset. */
export function createLimitApp({
  authorize: given,
  ...options
}: TestAuthOptions & { authorize?: Authorize } = {}): LimitApp {
  const authorize = vi.fn<Authorize>(
    given ??
      (({ username, password }) =>
        String(username).toLowerCase() === "ada" && password === LOVELACE.password
          ? { ...ADA }
          : null),
  );
  const locks: EventMessages["rateLimited"][] = [];
  const app = createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    providers: [credentials({ authorize })],
    events: { rateLimited: (message) => void locks.push(message) },
    ...options,
  });
  const attempt: LimitApp["attempt"] = async (browser, fields = LOVELACE) => {
    const response = await browser.signInWith("credentials", fields);
    return toQuery(response);
  };
  return {
    ...app,
    authorize,
    locks,
    attempt,
    from(ip, headers = {}) {
      return createBrowser(
        async (request) => {
          for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
          return (await app.auth.handle(request, { ip })) ?? new Response(null, { status: 404 });
        },
        { origin: ORIGIN },
      );
    },
    async fail(browser, times, username = "ada") {
      for (let time = 0; time < times; time++)
        await attempt(browser, { username, password: `wrong ${time}` });
    },
  };
}

/** Returns the query of the page that a response redirects to. */
export function toQuery(response: Response): Record<string, string> {
  const location = response.headers.get("location") ?? "";
  return Object.fromEntries(new URL(location, ORIGIN).searchParams);
}

/** Returns whether a query reports that a limit refused the attempt. */
export function isLocked(query: Record<string, string>): boolean {
  return query.error === "CredentialsSignin" && query.code === "rate_limited";
}
