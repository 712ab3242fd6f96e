import { describe, expect, it } from "vitest";
import { createFolder } from "./_cli.ts";

const ENV = { AUTH_SECRET: "keyhook-test-secret-0123456789abcdef", NODE_ENV: "test" };

const APP = `
import createAuth from "keyhook/minimal";

export const auth = createAuth().use({ name: "audit", setup() {} });
`;

// The first time, it is compiled with all its imports.
describe("TypeScript that Node cannot load", { timeout: 60_000 }, () => {
  it.each<[string, Record<string, string>]>([
    ["syntax beyond types", { "auth.ts": `${APP}\nexport enum Kind { A, B }` }],
    [
      "imports without their extension",
      {
        "auth.ts": `import { own } from "./own";\nown();\n${APP}`,
        "own.ts": "export function own(): void {}",
      },
    ],
    [
      "imports without their extension beside modules of a Worker",
      {
        "auth.ts": `import { env } from "cloudflare:workers";\nimport "./own";\nexport const { DB } = env;\n${APP}`,
        "own.ts":
          'import { EmailMessage } from "cloudflare:email";\nexport class Mail extends EmailMessage {}',
      },
    ],
    [
      "an alias of `tsconfig.json`",
      {
        "auth.ts": `import { own } from "@/own";\nown();\n${APP}`,
        "own.ts": "export function own(): void {}",
        "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
      },
    ],
  ])("is loaded by jiti: %s", async (_, files) => {
    const folder = createFolder();
    for (const [name, text] of Object.entries(files)) folder.write(name, text);
    const { code, out, err } = await folder.run(["inspect", "auth.ts", "--json"], { env: ENV });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { plugins } = JSON.parse(out) as { plugins: { name: string }[] };
    expect(plugins.map(({ name }) => name)).toContain("audit");
  });

  it.each(["$env/dynamic/private", "@/own", "astro:env/server"])(
    "is refused in one line if it imports %s, which only a bundler resolves",
    async (name) => {
      const folder = createFolder();
      folder.write("auth.ts", `import * as own from "${name}";\n${APP}\nexport { own };`);
      const { code, err } = await folder.run(["inspect", "auth.ts"], { env: ENV });
      expect(code).toBe(1);
      expect(err).toContain(`auth.ts could not be loaded. It imports "${name.split("env/s")[0]}`);
      expect(err.trim().split("\n")).toHaveLength(1);
    },
  );
});
