import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the README says is only in the repository. */
const REPOSITORY_ONLY = /^(?:test|playground)\/|^\.github\/(?:ATTACKS|CONTRIBUTING)\.md$/;

function listPacked(): string[] {
  const command = ["pack", "--json", "--dry-run", "--ignore-scripts"];
  const [{ files }] = JSON.parse(execFileSync("npm", command, { cwd: root, encoding: "utf8" }));
  return (files as { path: string }[]).map(({ path }) => path);
}

/** Lists the targets of the relative links of a page, as paths from the root of the package. */
function listTargets(page: string): string[] {
  const text = readFileSync(root + page, "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|\s(?:src|href)="([^"]+)"/g)];
  return links
    .map(([, link, attribute]) => (link ?? attribute ?? "").replace(/#.*/, ""))
    .filter((link) => link !== "" && !/^[a-z]+:/.test(link))
    .map((link) => posix.join(posix.dirname(page), link));
}

const packed = listPacked();
const pages = packed.filter((path) => path.endsWith(".md"));

it("every relative link of a packed page leads to a packed page, or to the repository if the README says so", () => {
  expect(pages.length).toBeGreaterThan(100);
  const dead = pages.flatMap((page) =>
    listTargets(page)
      .filter((target) => !packed.includes(target))
      .filter((target) => !REPOSITORY_ONLY.test(target) || !existsSync(root + target))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it("the README names the link targets that are only in the repository", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  for (const name of ["`test/`", "`playground/`", "`CONTRIBUTING.md`", "`ATTACKS.md`"]) {
    expect(readme).toContain(name);
  }
});
