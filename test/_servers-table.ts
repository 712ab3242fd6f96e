import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const README = "plugins/bindings/README.md";

interface Server {
  readonly label: string;
  /** The package, by the names under which the tests install it. Empty: it has no versions. */
  readonly packages: readonly string[];
  /** The entry point that its applications import. Default: `keyhook`. */
  readonly door?: string;
  /** Its guide, or the heading of its recipe. */
  readonly gets: { readonly guide: string } | { readonly recipe: string };
}

/** The servers and frameworks whose applications the tests run. */
const SERVERS: readonly Server[] = [
  { label: "Nuxt", packages: ["nuxt"], door: "nuxt", gets: { guide: "nuxt/README.md" } },
  { label: "Next.js", packages: ["next"], door: "next", gets: { guide: "next/README.md" } },
  {
    label: "SvelteKit",
    packages: ["@sveltejs/kit"],
    door: "sveltekit",
    gets: { guide: "sveltekit/README.md" },
  },
  { label: "Astro", packages: ["astro"], door: "astro", gets: { guide: "astro/README.md" } },
  { label: "Nitro", packages: ["nitropack", "nitro"], door: "nitro", gets: { guide: "#nitro" } },
  { label: "h3", packages: ["h3-v1", "h3"], door: "h3", gets: { guide: "#h3" } },
  {
    label: "Express",
    packages: ["express-4", "express"],
    door: "express",
    gets: { guide: "express/README.md" },
  },
  {
    label: "Fastify",
    packages: ["fastify"],
    door: "fastify",
    gets: { guide: "fastify/README.md" },
  },
  { label: "`node:http`, connect", packages: ["connect"], door: "node", gets: { guide: "#node" } },
  { label: "Hono", packages: ["hono"], gets: { recipe: "Hono" } },
  { label: "Koa", packages: ["koa"], door: "node", gets: { recipe: "Koa" } },
  { label: "Elysia", packages: ["elysia"], gets: { recipe: "Elysia" } },
  { label: "Bun", packages: ["bun"], gets: { recipe: "Bun, Deno, Cloudflare Workers" } },
  { label: "Deno", packages: ["deno"], gets: { recipe: "Bun, Deno, Cloudflare Workers" } },
  {
    label: "Cloudflare Workers",
    packages: [],
    gets: { recipe: "Bun, Deno, Cloudflare Workers" },
  },
  { label: "React Router", packages: ["react-router"], gets: { recipe: "React Router" } },
  {
    label: "TanStack Start",
    packages: ["@tanstack/react-start"],
    gets: { recipe: "TanStack Start" },
  },
  { label: "SolidStart", packages: ["@solidjs/start"], gets: { recipe: "SolidStart" } },
];

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly exports?: Record<string, unknown>;
}

const readManifest = (file: string) => JSON.parse(readFileSync(root + file, "utf8")) as Manifest;

/** Lists the major versions of a package that the tests install. */
function listMajors(packages: readonly string[]): string[] {
  const manifests = [
    "package.json",
    ...globSync("test/frameworks/*/package.json", { cwd: root }).sort(),
  ].map(readManifest);
  const ranges = packages.flatMap((name) =>
    manifests.flatMap(({ dependencies, devDependencies }) => [
      dependencies?.[name] ?? devDependencies?.[name] ?? [],
    ]),
  );
  const majors = ranges.flat().map((range) => /(?:^|[@^~])(\d+)/.exec(range)?.[1]);
  return [...new Set(majors)].filter((major) => major !== undefined).sort();
}

/** Builds the rows: what each server gets, and the versions that the tests run applications of. */
export function listServers(): string[][] {
  const { exports = {} } = readManifest("package.json");
  const text = readFileSync(root + README, "utf8");
  return SERVERS.map(({ label, packages, door, gets }) => {
    const majors = listMajors(packages);
    if (packages.length > 0 && majors.length === 0)
      throw new Error(`The tests install none of ${packages.join(", ")}.`);
    const path = door ? `./${door}` : ".";
    if (!(path in exports)) throw new Error(`${path} is no entry point.`);
    const start = [label, majors.join(", "), `\`${path.replace(".", "keyhook")}\``];
    if ("guide" in gets) return [...start, `[guide](${gets.guide})`];
    const heading = `\n### ${gets.recipe}\n`;
    if (!text.includes(heading)) throw new Error(`${README} has no recipe for ${gets.recipe}.`);
    const anchor = gets.recipe.toLowerCase().replaceAll(",", "").replaceAll(" ", "-");
    return [...start, `[recipe](#${anchor})`];
  });
}
