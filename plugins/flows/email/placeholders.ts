import { domainOf } from "./address.ts";
import type { AnyEmailProvider } from "./types.ts";

/** Values for the placeholders of an API. */
export type ApiValues = Readonly<Record<string, string | undefined>>;

/** What the placeholders of a provider's API stand for. */
export function apiValues({ apiKey }: AnyEmailProvider, address: string | undefined): ApiValues {
  return { apiKey, domain: address === undefined ? undefined : domainOf(address) };
}

/** A text with its placeholders filled. */
export function fillText(text: string, values: ApiValues): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
