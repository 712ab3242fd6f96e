import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { nameType } from "../platform/type-name.ts";
import type { Env } from "../types/options.ts";

/**
 * Returns the variables that a configuration passes. Reports those of Keyhook that are no text, and leaves them out: bindings of a
 * Worker are objects, the others of which are nothing to Keyhook.
 */
export function expectTexts(env: Env, report: Report): Env {
  // Not read: `diagnose()` lists the variables that nothing reads.
  const odd = Object.entries(Object.getOwnPropertyDescriptors(env)).filter(
    ([name, { value }]) => /^(?:NEXT)?AUTH_/.test(name) && typeof (value ?? "") !== "string",
  );
  for (const [name, { value }] of odd) {
    report(
      new InvalidConfig(
        `\`env.${name}\` is ${nameType(value)}, and a variable is text. Pass its text: that of a secrets store is read before, by ` +
          `\`await env.${name}.get()\`.`,
      ),
    );
  }
  return odd.length
    ? { ...env, ...Object.fromEntries(odd.map(([name]) => [name, undefined])) }
    : env;
}
