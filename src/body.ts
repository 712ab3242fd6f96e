import { readBytes } from "./bytes.ts";
import { BadRequest } from "./errors.ts";
import { parseJson } from "./json.ts";
import type { Body } from "./types/kernel.ts";

/** Most bytes of a request's body. */
export const MAX_BODY = 64 * 1024;

function tooLarge(): BadRequest {
  return new BadRequest(`The body has more than ${MAX_BODY} bytes.`);
}

async function bytesOf(request: Request, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const isAnnounced = Number(request.headers.get("content-length") ?? 0) > MAX_BODY;
  if (isAnnounced) throw tooLarge();
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  try {
    bytes = await readBytes(request.body as ReadableStream<Uint8Array>, MAX_BODY, signal);
  } catch (error) {
    throw new BadRequest("The body did not arrive, or not in time.", { cause: error });
  }
  if (!bytes) throw tooLarge();
  return bytes;
}

function fromForm(text: string): Body {
  return Object.fromEntries(new URLSearchParams(text));
}

async function fromMultipart(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<Body> {
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  // Files have no meaning in any of our forms.
  return Object.fromEntries([...form].filter(([, value]) => typeof value === "string"));
}

/**
 * The posted fields of a request: a form or a JSON object, at most 64 kB; the last of several fields
 * of one name. Other content is no fields.
 * @throws BadRequest when it is too large or malformed, or has not arrived when the signal ends it.
 */
export async function readBody(request: Request, signal: AbortSignal): Promise<Body> {
  if (!request.body) return {};
  if (request.bodyUsed) {
    throw new BadRequest("The body was read before: mount Keyhook ahead of body parsers.");
  }
  const type = request.headers.get("content-type") ?? "";
  const kind = type.split(";", 1)[0]?.trim().toLowerCase();
  const bytes = await bytesOf(request, signal);
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
