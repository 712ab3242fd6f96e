import { processEnv } from "../../src/_kit.ts";
import type { Binding } from "../../src/kernel.ts";
import { type H3Event, isWebEvent } from "./_event.ts";

type Env = ReturnType<NonNullable<Binding["env"]>>;

/** How a framework names its applications' variables. */
export interface VariableNames {
  /** A prefix that may precede `AUTH_`, such as `NUXT_` or `NITRO_`. A variable with the prefix takes precedence. */
  readonly envPrefix?: string;
  /** `auth` of the application's `runtimeConfig`, which provides values for variables that are not set. */
  readonly runtimeConfig?: object;
}

interface CloudflareParts {
  readonly cloudflare?: { readonly env?: Readonly<Record<string, unknown>> };
}

// Spelled like the variables of Nitro's configuration: `trustHost` is `TRUST_HOST`.
const toName = (key: string): string =>
  key
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[-./]/g, "_")
    .toUpperCase();

/** Lists the variables that `auth` of a `runtimeConfig` provides: `github.id` is `AUTH_GITHUB_ID`. */
export function listVariables(config: object, prefix = "AUTH"): [name: string, value: string][] {
  return Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}_${toName(key)}`;
    if (typeof value === "object" && value !== null) return listVariables(value, name);
    const hasValue = ["string", "number", "boolean"].includes(typeof value) && value !== "";
    return hasValue ? [[name, String(value)]] : [];
  });
}

// A worker gets its variables with each request. Nitro 2 and 3 keep them in different places.
function readBindings(event: H3Event): Env | undefined {
  const runtime = isWebEvent(event)
    ? (event.req.runtime as CloudflareParts | undefined)
    : undefined;
  const { env } = (event.context as CloudflareParts).cloudflare ?? runtime?.cloudflare ?? {};
  if (!env) return undefined;
  // Other values are databases, queues and similar bindings.
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

const isSet = ([, value]: [string, string | undefined]): boolean => Boolean(value);

/** The variables of an application: the server's, under both names, with precedence over its runtime configuration. */
export interface Variables {
  /** Reads the variables that a worker gets with an event. Must be called before the event boots the application. */
  see(event: H3Event): void;
  read(): Env;
}

export function createVariables({ envPrefix, runtimeConfig = {} }: VariableNames): Variables {
  let bindings: Env | undefined;
  const findPrefixed = (env: Env) => {
    const prefix = `${envPrefix}AUTH_`;
    return Object.entries(env).flatMap(([name, value]): [string, string | undefined][] =>
      envPrefix && name.startsWith(prefix) ? [[name.slice(envPrefix.length), value]] : [],
    );
  };
  return {
    see(event) {
      bindings ??= readBindings(event);
    },
    read() {
      const env = { ...processEnv(), ...bindings };
      // If nothing specifies the environment, values of the build must not specify it either.
      const isEmpty = !Object.keys(env).length;
      return {
        ...(isEmpty && { NODE_ENV: "production" }),
        ...Object.fromEntries(listVariables(runtimeConfig)),
        ...Object.fromEntries(Object.entries(env).filter(isSet)),
        ...Object.fromEntries(findPrefixed(env).filter(isSet)),
      };
    },
  };
}
