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

/** The server could not be asked. */
export function failedOf(error: unknown): Failed {
  const status = error instanceof ClientError ? error.status : 0;
  return { ok: false, error: status ? "RequestFailed" : "Unreachable", status, url: null };
}
