import { describe, expect, it } from "vitest";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import type { TestAuthOptions } from "../_app.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";

/** The columns of rows that may be empty. */
const COLUMNS = [
  ...["name", "email", "emailVerified", "image", "emailAttested", "verifiedEmail"],
  ...["refresh_token", "access_token", "expires_at", "scope", "id_token", "session_state"],
  "transports",
];

const SHAPES: Readonly<Record<string, (row: Record<string, unknown>) => object>> = {
  "as they are stored": (row) => row,
  "with `undefined` for every empty column": (row) => {
    const empty = COLUMNS.filter((name) => row[name] === null || row[name] === undefined);
    return { ...row, ...Object.fromEntries(empty.map((name) => [name, undefined])) };
  },
  "with `null` for every empty column": (row) => {
    const empty = COLUMNS.filter((name) => row[name] === undefined);
    return { ...row, ...Object.fromEntries(empty.map((name) => [name, null])) };
  },
  "without their empty columns": (row) =>
    Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
};

// Some adapters return `null` for a missing value, and others `undefined`.
function reshape(value: unknown, shape: (row: Record<string, unknown>) => object): unknown {
  if (Array.isArray(value)) return value.map((one) => reshape(one, shape));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const row = value as Record<string, unknown>;
  if ("session" in row && "user" in row) {
    return { session: reshape(row.session, shape), user: reshape(row.user, shape) };
  }
  return shape(row);
}

function withRows(shape: (row: Record<string, unknown>) => object): Plugin {
  return definePlugin({
    name: "test/rows",
    setup: (kernel) =>
      kernel.wrap("adapter", (adapter) => {
        const wrapped = Object.entries(adapter).map(([name, method]) => [
          name,
          async (...args: unknown[]) =>
            reshape(await (method as (...all: unknown[]) => unknown)(...args), shape),
        ]);
        return Object.fromEntries(wrapped) as never;
      }),
  });
}

const withoutNulls = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      Array.isArray(inner) ? inner.map((one: unknown) => one ?? "none") : (inner ?? undefined),
    ),
  );

/** Runs sign-ins of every kind, and returns what their users see. */
async function walk(options: TestAuthOptions): Promise<unknown[]> {
  const seen: unknown[] = [];
  const app = createClaimsApp({ ...options, errors: "read" });
  const see = async (response: Response) => {
    const session = await app.browser.session<{ user: object }>();
    seen.push(response.headers.get("location"), session && { ...session.user, id: undefined });
  };
  const ada = { sub: "ada", email: "ada@example.com" };
  await see(await app.signIn({ ...ada, email_verified: false }));
  await see(await app.signInByEmail(ada.email));
  await see(await app.signIn({ sub: "second" }, app.browser, true));
  await see(await app.signIn({ sub: "nameless" }, app.browser));
  await see(await app.signIn({ sub: "third", email: ada.email, email_verified: true }));
  await see(await app.signIn({ sub: "third", email: ada.email }, app.browser, false, "trusted"));
  const page = await app.browser.get("/auth/account");
  seen.push(page.status, ...app.log.errors.splice(0).map(({ type }) => type));

  const keys = createPasskeyApp(options);
  seen.push((await keys.register("eve@example.com")).headers.get("location"));
  await keys.browser.signOut();
  seen.push((await keys.signIn()).headers.get("location"));
  seen.push((await keys.browser.get("/auth/account")).status);
  return seen;
}

describe.each(["jwt", "database", "hybrid"])(
  "empty columns in an adapter's rows, %s strategy",
  (strategy) => {
    it.each(Object.entries(SHAPES))("rows %s have the same effect", async (_, shape) => {
      const expected = await walk({ strategy });
      const found = await walk({ strategy, use: [withRows(shape)] });
      expect(withoutNulls(found)).toEqual(withoutNulls(expected));
    });
  },
);
