import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createFolder } from "./_cli.ts";

const folder = new URL("../../plugins/providers/docs/", import.meta.url);

describe("keyhook provider", () => {
  it("keyhook provider prints the page of a provider", async () => {
    const { code, out } = await createFolder().run(["provider", "github"]);
    expect(code).toBe(0);
    expect(out).toBe(readFileSync(new URL("github.md", folder), "utf8"));
    expect(out).toContain("<public URL>/auth/callback/github");
    expect(out).toContain("AUTH_GITHUB_ID=...");
  });

  it("keyhook provider without an id lists all providers", async () => {
    const { out } = await createFolder().run(["provider"]);
    const ids = readdirSync(folder).map((file) => file.replace(/\.md$/, ""));
    expect(out.trim().split("\n")).toEqual(ids.sort());
  });

  it("keyhook provider refuses an unknown id, and suggests one", async () => {
    const { run } = createFolder();
    const misspelled = await run(["provider", "githup"]);
    expect(misspelled).toMatchObject({ code: 1, out: "" });
    expect(misspelled.err).toContain('There is no provider "githup". Did you mean "github"?');
    const path = await run(["provider", "../../../package"]);
    expect(path).toMatchObject({ code: 1, out: "" });
    expect(path.err).toContain("`keyhook provider` lists all.");
  });
});
