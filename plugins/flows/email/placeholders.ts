import { getDomain } from "./address.ts";
import type { AnyEmailProvider } from "./types.ts";

/** Values of placeholders by name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** Returns the values of the placeholders in a provider's `api`. */
export function apiValues({ apiKey }: AnyEmailProvider, address: string | undefined): Values {
  return { apiKey, domain: address === undefined ? undefined : getDomain(address) };
}

/** Fills a text's `{name}` placeholders. Those without a value stay unchanged. */
export function fillText(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
