import { BadRequest, BodyUsed, ContentTooLarge, RequestTimeout } from "../errors/errors.ts";
import { isObject } from "../platform/is-object.ts";
import type { Body } from "../types/kernel.ts";
import { readBytes } from "./bytes.ts";
import { parseJson } from "./json.ts";

/** Maximum number of bytes of a request's body (SECURITY.md R17). */
export const MAX_BODY_BYTES: number = 64 * 1024;

function tooLarge(): ContentTooLarge {
  return new ContentTooLarge(`The request body has more than ${MAX_BODY_BYTES} bytes.`);
}

async function readBodyBytes(
  request: Request,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const isAnnounced = Number(request.headers.get("content-length")) > MAX_BODY_BYTES;
  if (isAnnounced) throw tooLarge();
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = await readBytes(request.body as ReadableStream<Uint8Array>, MAX_BODY_BYTES, signal);
  } catch (error) {
    const isLate = (signal.reason as Error | undefined)?.name === "TimeoutError";
    throw isLate
      ? new RequestTimeout("The request body was not received in time.", { cause: error })
      : new BadRequest("The request body was not received completely.", { cause: error });
  }
  if (!bytes) throw tooLarge();
  return bytes;
}

// Rejects repeated fields: a server in front of this one may have checked the other value.
function toFields(entries: readonly [name: string, value: unknown][]): Body {
  const names = new Set(entries.map(([name]) => name));
  if (names.size === entries.length) return Object.fromEntries(entries);
  throw new BadRequest("The request body has several fields with one name.");
}

async function fromMultipart(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Body> {
  const response = new Response(bytes, { headers: { "content-type": type } });
  const form = await response.formData().catch(() => {
    throw new BadRequest("The multipart request body is malformed.");
  });
  // No form has a field for files.
  return toFields([...form].filter(([, value]) => typeof value === "string"));
}

/** Returns the media type that a content type names, in lower case and without parameters. */
export function getMediaType(contentType: string | null): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Returns the posted fields of a request: of a form (urlencoded or multipart) or a JSON object, at most 64 kB. A body
 * of another content type has no fields.
 * @throws BadRequest when the body is malformed or incomplete, or repeats a field name; ContentTooLarge when it is too
 * large; RequestTimeout when it is late; BodyUsed when it was already read.
 */
export async function readBody(request: Request, signal: AbortSignal): Promise<Body> {
  if (!request.body) return {};
  if (request.bodyUsed) {
    throw new BodyUsed("The request body was already read. Mount Keyhook before body parsers.");
  }
  const type = request.headers.get("content-type") ?? "";
  const kind = getMediaType(type);
  const bytes = await readBodyBytes(request, signal);
  if (kind === "multipart/form-data") {
    return fromMultipart(bytes, type);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest("The request body is not UTF-8.");
  }
  if (kind === "application/x-www-form-urlencoded") return toFields([...new URLSearchParams(text)]);
  if (kind !== "application/json" || text === "") return {};
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new BadRequest("The JSON request body must be an object.");
}
