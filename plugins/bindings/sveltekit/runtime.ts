import { processEnv } from "../../../src/_kit.ts";
import type { Binding } from "../../../src/kernel.ts";
import { readDevelopmentSecret } from "../_development-secret.ts";

type Env = ReturnType<NonNullable<Binding["env"]>>;

/** What SvelteKit knows of an application, from modules that only its build resolves. */
export interface KitRuntime {
  /** Redirects, even to another site, by throwing Kit's redirect. */
  redirect(status: 302 | 303, url: string): never;
  /** Refuses the request by throwing Kit's error. */
  refuse(status: number, message: string, type: string): never;
  /** Returns the failure of a form action. */
  fail<Data extends object>(status: number, data: Data): object;
  /** Whether Kit renders pages for all visitors. */
  readonly isBuilding: boolean;
  readonly isDevelopment: boolean;
  /** The path of the application; `""` at the root. */
  readonly base: string;
  readonly env: Env;
  readonly developmentSecret?: string;
}

/** Loads what Kit knows of the application. `url` is the URL of the application's first request. */
export type LoadRuntime = (url: URL) => Promise<KitRuntime>;

// Kit 3 exposes only what `src/env.ts` declares, and its values may be of any type.
function pickTexts(variables: object): Env {
  const entries = Object.entries(variables);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

async function findBase(url: URL): Promise<string> {
  const { base, resolve } = await import("$app/paths");
  // Kit 3 has no export for the base, and its paths are relative to the page.
  return base ?? new URL(resolve("/"), url).pathname.replace(/\/$/, "");
}

// If Vite leaves this package out of the bundle, it cannot import the application's virtual modules.
async function expectBase(url: URL): Promise<string> {
  try {
    return await findBase(url);
  } catch (cause) {
    const fix =
      'add it to the dependencies in `package.json`, or set `ssr: { noExternal: ["keyhook"] }` in `vite.config`';
    throw new Error(`keyhook/sveltekit works only as part of the application's build: ${fix}.`, {
      cause,
    });
  }
}

/** Loads the modules of SvelteKit, version 2 or 3. */
export const loadRuntime: LoadRuntime = async (url) => {
  const isDevelopment = import.meta.env?.DEV === true;
  const base = await expectBase(url);
  const kit = await import("@sveltejs/kit");
  const isVersion2 = kit.VERSION.startsWith("2.");
  const isBuilding = !isDevelopment && (await import("$app/environment")).building;
  const secret = isDevelopment ? readDevelopmentSecret(process.cwd()) : undefined;
  return {
    redirect: (status, target) => kit.redirect(status, target, { external: true }),
    refuse: (status, message, error) =>
      isVersion2 ? kit.error(status, { message, error }) : kit.error(status, message, { error }),
    fail: (status, data) => kit.fail(status, data),
    isBuilding,
    isDevelopment,
    base,
    env: {
      ...processEnv(),
      ...(isBuilding ? {} : pickTexts((await import("$env/dynamic/private")).env)),
    },
    ...(secret !== undefined && { developmentSecret: secret }),
  };
};
