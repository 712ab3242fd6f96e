import { safeUrl } from "./navigation.ts";
import type { PasskeyRefused } from "./passkey.ts";
import type { ParsedResponse } from "./request.ts";
import type { SignInFailure, SignInSuccess } from "./types.ts";

const toText = (value: unknown) => (typeof value === "string" && value ? value : undefined);

/**
 * Returns the result of an attempt from the server's response. A server sends the error in the query of a page's URL,
 * or in the body if it has no pages.
 */
export function toResult({ ok, status, body }: ParsedResponse): SignInSuccess | SignInFailure {
  const fields = (body ?? {}) as Record<string, unknown>;
  const url = safeUrl(fields.url);
  const isError = url?.searchParams.has("error");
  if (ok && url && !isError) {
    const secondFactor = fields.secondFactor as SignInSuccess["secondFactor"];
    return { ok: true, status, url: url.href, secondFactor };
  }
  const error = toText(url?.searchParams.get("error")) ?? toText(fields.error) ?? "RequestFailed";
  const code = toText(url?.searchParams.get("code")) ?? toText(fields.code);
  return { ok: false, error, code, status, url: url?.href ?? null };
}

/** Returns the failure of an attempt that threw: without a usable response, or in a passkey ceremony. */
export function toFailure(error: unknown): SignInFailure {
  const { name = "Error", status = 0, type = name, url } = error as Partial<PasskeyRefused>;
  // `fetch` throws a TypeError. A `ClientError` has another type if the server's response states one. Errors of a
  // browser's authenticators have their own names.
  const isUnnamed = error instanceof TypeError || type === "ClientError";
  const requestError = status ? "RequestFailed" : "Unreachable";
  return { ok: false, error: isUnnamed ? requestError : type, status, url: url ?? null };
}
