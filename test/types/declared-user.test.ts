import { describe, expect, it } from "vitest";
import { compile } from "./_compile.ts";

// As applications do: a field that every user has, which no package type knows.
const DECLARATION = `declare module "../../src/types.ts" { interface User { role: "admin" | "member" } }`;

// As Auth.js declares it, in part, and without `exactOptionalPropertyTypes`, which this repository has.
const PACKAGE = `interface PackageUser {
  id: string;
  name?: string | null | undefined;
  email: string;
  image?: string | null | undefined;
  emailVerified: Date | null;
}
interface PackageAdapter {
  createUser?(user: PackageUser): PackageUser | PromiseLike<PackageUser>;
  getUser?(id: string): PackageUser | null | PromiseLike<PackageUser | null>;
  updateUser?(user: Partial<PackageUser> & { id: string }): PackageUser | PromiseLike<PackageUser>;
  getSessionAndUser?(token: string): Promise<{
    session: { sessionToken: string; userId: string; expires: Date };
    user: PackageUser;
  } | null>;
}
declare const adapter: PackageAdapter;`;

const compileLines = (...lines: string[]): string[] =>
  compile({ user: [`import "../../src/types.ts";`, DECLARATION, ...lines].join("\n") }).errors;

describe("an application whose users have a field that is not optional", () => {
  it("the configuration accepts a package's adapter whose type does not know the field", () => {
    const errors = compileLines(
      `import { NextAuth } from "../../presets/next.ts";`,
      `import { SvelteKitAuth } from "../../presets/sveltekit.ts";`,
      `import { createAuth } from "../../presets/index.ts";`,
      PACKAGE,
      `export const results = [NextAuth({ adapter }), SvelteKitAuth({ adapter }), createAuth({ adapter })];`,
      `export const changed = createAuth({ adapter: { ...adapter, deleteUser: () => undefined } });`,
    );
    expect(errors).toEqual([]);
  });

  it("an application's adapter receives the field, and is checked for it as an Adapter", () => {
    const errors = compileLines(
      `import { createAuth } from "../../presets/index.ts";`,
      `import type { Adapter, AdapterUser } from "../../src/types.ts";`,
      `const store = (user: AdapterUser): "admin" | "member" => user.role;`,
      `createAuth({ adapter: { createUser: (user) => ({ ...user, role: store(user) }) } });`,
      `export const own: Adapter = { createUser: (user) => user };`,
      `createAuth({ adapter: own });`,
      `export const short: Adapter = {`,
      `  // @ts-expect-error -- a user without a role`,
      `  getUser: (id) => ({ id, email: "", emailVerified: null }),`,
      `};`,
    );
    expect(errors).toEqual([]);
  });

  it("an adapter that returns users without required fields is a type error", () => {
    const [error = ""] = compileLines(
      `import { createAuth } from "../../presets/index.ts";`,
      `createAuth({ adapter: { getUser: (id: string) => ({ id }) } });`,
    );
    expect(error).toContain("emailVerified");
  });
});
