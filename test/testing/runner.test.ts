import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("keyhook/testing works with node:test, without vitest", async () => {
  const file = fileURLToPath(new URL("_node-test.ts", import.meta.url));
  const args = ["--test", "--test-reporter=tap", file];
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(stdout).toMatch(/ok \d+ - signs in at the identity provider/);
});
