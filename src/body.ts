import { BadRequest } from "./errors.ts";
import { parseJson } from "./json.ts";
import type { Body } from "./types/kernel.ts";

/** Most bytes of a request's body. */
export const MAX_BODY = 64 * 1024;

async function readBytes(request: Request): Promise<Uint8Array> {
  const length = Number(request.headers.get("content-length") ?? 0);
  if (length > MAX_BODY) throw new BadRequest(`The body has more than ${MAX_BODY} bytes.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_BODY) {
      await reader.cancel();
      throw new BadRequest(`The body has more than ${MAX_BODY} bytes.`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function fromForm(text: string): Body {
  return Object.fromEntries(new URLSearchParams(text));
}

async function fromMultipart(bytes: Uint8Array, type: string): Promise<Body> {
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": type },
  }).formData();
  // Files have no meaning in any of our forms.
  return Object.fromEntries([...form].filter(([, value]) => typeof value === "string"));
}

/**
 * The posted fields of a request: a form or a JSON object, at most 64 kB; the last of several fields
 * of one name. Other content is no fields.
 * @throws BadRequest when it is too large or malformed.
 */
export async function readBody(request: Request): Promise<Body> {
  if (request.method !== "POST" || !request.body) return {};
  if (request.bodyUsed) {
    throw new BadRequest("The body was read before: mount Keyhook ahead of body parsers.");
  }
  const type = request.headers.get("content-type") ?? "";
  const kind = type.split(";", 1)[0]?.trim().toLowerCase();
  const bytes = await readBytes(request);
  if (kind === "multipart/form-data") {
    return fromMultipart(bytes, type).catch(() => {
      throw new BadRequest("The multipart body is malformed.");
    });
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest("The body is not UTF-8.");
  }
  if (kind === "application/x-www-form-urlencoded") return fromForm(text);
  if (kind !== "application/json" || text === "") return {};
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new BadRequest("The JSON body must be an object.");
  }
  return value as Body;
}
