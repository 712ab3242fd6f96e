import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { nameType } from "../platform/type-name.ts";
import type { Env } from "../types/options.ts";
import { listVariables } from "./env.ts";

// Names that Keyhook reads, for any provider. A Worker may have bound a database as `AUTH_DB`.
const READ =
  /^(?:NEXT)?AUTH_(?:SECRET(?:_\d+)?|URL)$|^AUTH_(?:TRUST_HOST|TRUST_PROXY|REDIRECT_PROXY_URL|\w+_(?:ID|SECRET|ISSUER|KEY))$/;

/**
 * Returns the variables that a configuration passes. Reports and leaves out Keyhook's variables that are not text:
 * bindings of a Worker are objects.
 */
export function expectTexts(env: Env, report: Report): Env {
  const odd = listVariables(env).flatMap((name): [name: string, value: unknown][] => {
    if (!READ.test(name)) return [];
    // Read through the descriptor, because `diagnose()` lists the variables that nothing reads.
    const value: unknown = Object.getOwnPropertyDescriptor(env, name)?.value ?? "";
    return typeof value === "string" ? [] : [[name, value]];
  });
  for (const [name, value] of odd) {
    report(
      new InvalidConfig(
        `\`env.${name}\` is ${nameType(value)}, but a variable must be a string. Pass its value; read a secrets store first, with ` +
          `\`await env.${name}.get()\`.`,
      ),
    );
  }
  return odd.length
    ? { ...env, ...Object.fromEntries(odd.map(([name]) => [name, undefined])) }
    : env;
}
