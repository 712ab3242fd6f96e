import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fsBackend } from "../../plugins/stores/fs/fs.ts";
import { testStore } from "../../src/testing.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-fs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("fs", () => {
  testStore(() => fsBackend(join(folder, "store")), { describe, expect, it });
});
