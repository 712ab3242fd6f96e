import { BadRequest, decodeBase64url, decodeText, parseJson } from "../../../src/index.ts";
import { refusal } from "./fault.ts";

/** WebAuthn level 3, section 5.8.1: what the browser saw. */
export interface ClientData {
  type?: unknown;
  challenge?: unknown;
  origin?: unknown;
  crossOrigin?: unknown;
  topOrigin?: unknown;
}

/** A browser's answer as it was posted: its shape is known, nothing in it is proved. */
export interface Posted {
  id: string;
  rawId: string;
  type: "public-key";
  response: Record<string, unknown> & { clientDataJSON: string };
  clientExtensionResults: Record<string, unknown>;
}

/** Bytes of the longest credential id (WebAuthn level 3, section 4). */
const MAX_ID = 1023;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads the posted `data`: the JSON of a credential, as text or as an object.
 * @throws BadRequest when it is none.
 */
export function readPosted(data: unknown): Posted {
  const value = typeof data === "string" ? parseJson(data) : data;
  if (!isRecord(value) || !isRecord(value.response)) {
    throw new BadRequest("`data` must be the JSON of a credential.");
  }
  const { id, rawId, type, response, clientExtensionResults } = value;
  const { clientDataJSON } = response;
  if (typeof id !== "string" || typeof clientDataJSON !== "string") {
    throw new BadRequest("`data` has no `id` or no `clientDataJSON`.");
  }
  const bytes = decodeBase64url(id);
  if (!bytes?.length || bytes.length > MAX_ID || id !== rawId || type !== "public-key") {
    throw refusal("The credential's id or type is none.");
  }
  return {
    id,
    rawId,
    type,
    response: { ...response, clientDataJSON },
    clientExtensionResults: isRecord(clientExtensionResults) ? clientExtensionResults : {},
  };
}

/**
 * Reads what the browser saw: UTF-8 and a JSON object, whatever is in it.
 * @throws WebAuthnVerificationError
 */
export function readClientData({ response }: Posted): ClientData & { challenge: string } {
  const bytes = decodeBase64url(response.clientDataJSON);
  const text = bytes && decodeText(bytes);
  let value: unknown;
  try {
    value = text === undefined ? undefined : parseJson(text);
  } catch (error) {
    throw refusal("The client data is no JSON.", error);
  }
  if (!isRecord(value) || typeof value.challenge !== "string") {
    throw refusal("The client data is no JSON object with a challenge.");
  }
  return { ...value, challenge: value.challenge };
}

/**
 * Checks what the browser saw, beyond the challenge: the kind of ceremony, and that it ran on a page of
 * ours which nobody had framed.
 * @throws WebAuthnVerificationError
 */
export function checkClientData(
  { type, origin, crossOrigin, topOrigin }: ClientData,
  expected: { type: string; origins: readonly string[] },
): void {
  if (type !== expected.type) throw refusal("The client data is of another kind of ceremony.");
  if (typeof origin !== "string" || !expected.origins.includes(origin)) {
    throw refusal("The client data is of another origin. Is AUTH_URL the URL people use?");
  }
  if (crossOrigin !== undefined && crossOrigin !== false) {
    throw refusal("The ceremony ran inside another site's page.");
  }
  if (topOrigin !== undefined) throw refusal("The ceremony ran below another origin.");
}
