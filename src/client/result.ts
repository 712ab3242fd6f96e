import { safeUrl } from "./place.ts";
import { ClientError } from "./error.ts";
import type { Answer } from "./request.ts";
import type { Failed, Going } from "./types.ts";

const textOf = (value: unknown) => (typeof value === "string" && value ? value : undefined);

/** A server says with a page's query what went wrong, or in its answer where it has no pages. */
export function resultOf({ ok, status, body }: Answer): Going | Failed {
  const said = (body ?? {}) as Record<string, unknown>;
  const url = safeUrl(said.url);
  const isError = url?.searchParams.has("error");
  if (ok && url && !isError) return { ok: true, status, url: url.href };
  const error = textOf(url?.searchParams.get("error")) ?? textOf(said.error) ?? "RequestFailed";
  const code = textOf(url?.searchParams.get("code")) ?? textOf(said.code);
  return { ok: false, error, code, status, url: url?.href ?? null };
}

/** No good answer came, or the ceremony of a passkey ended without one. */
export function failedOf(error: unknown): Failed {
  const { name = "Error", status = 0 } = error as Partial<ClientError>;
  const known = status ? "RequestFailed" : "Unreachable";
  // What `fetch` throws is a TypeError; what a browser's authenticators throw has names of its own.
  const isOurs = error instanceof ClientError || error instanceof TypeError;
  return { ok: false, error: isOurs ? known : name, status, url: null };
}
