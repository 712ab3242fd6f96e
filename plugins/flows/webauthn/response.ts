import { decodeBase64url, decodeText, isObject, parseJson } from "../../../src/_kit.ts";
import { BadRequest } from "../../../src/errors.ts";
import type { Bytes } from "./cbor.ts";
import { refusal } from "./error.ts";

/** The client data that the browser reports (WebAuthn level 3, section 5.8.1). */
export interface ClientData {
  type?: unknown;
  challenge?: unknown;
  origin?: unknown;
  crossOrigin?: unknown;
  topOrigin?: unknown;
}

/** A browser's posted response. Its structure is checked, but its content is not verified. */
export interface Posted {
  id: string;
  rawId: string;
  type: "public-key";
  response: Record<string, unknown> & { clientDataJSON: string };
}

/** Maximum length of a credential id in bytes (WebAuthn level 3, section 4). */
const MAX_CREDENTIAL_ID_BYTES = 1023;

/**
 * Parses the posted `data`: the JSON of a credential, as text or as an object.
 * @throws BadRequest when its structure is wrong; WebAuthnVerificationError when its id or type is not valid.
 */
export function readPosted(data: unknown): Posted {
  const value = typeof data === "string" ? parseJson(data) : data;
  if (!isObject(value) || !isObject(value.response)) {
    throw new BadRequest("`data` must be the JSON of a credential.");
  }
  const { id, rawId, type, response } = value;
  const { clientDataJSON } = response;
  if (typeof id !== "string" || typeof clientDataJSON !== "string") {
    throw new BadRequest("`data` has no `id` or no `clientDataJSON`.");
  }
  const bytes = decodeBase64url(id);
  if (
    !bytes?.length ||
    bytes.length > MAX_CREDENTIAL_ID_BYTES ||
    id !== rawId ||
    type !== "public-key"
  ) {
    throw refusal("The credential's id or type is not valid.");
  }
  return { id, rawId, type, response: { ...response, clientDataJSON } };
}

/**
 * Decodes a field of the response. The field must be canonical base64url, so that the package reads the same bytes.
 * @throws WebAuthnVerificationError
 */
export function readBytes({ response }: Posted, name: string): { text: string; bytes: Bytes } {
  const text = response[name];
  const bytes = typeof text === "string" ? decodeBase64url(text) : undefined;
  if (typeof text !== "string" || !bytes?.length) {
    throw refusal(`The response's ${name} is missing or not base64url.`);
  }
  return { text, bytes };
}

/**
 * Parses the client data, which must be a JSON object in UTF-8.
 * @throws WebAuthnVerificationError
 */
export function readClientData({ response }: Posted): ClientData & { challenge: string } {
  const bytes = decodeBase64url(response.clientDataJSON);
  const text = bytes && decodeText(bytes);
  let value: unknown;
  try {
    value = text === undefined ? undefined : parseJson(text);
  } catch (error) {
    throw refusal("The client data is not JSON.", error);
  }
  if (!isObject(value) || typeof value.challenge !== "string") {
    throw refusal("The client data is not a JSON object with a challenge.");
  }
  return { ...value, challenge: value.challenge };
}

/**
 * Checks the client data except for the challenge: the type of the ceremony, and that it ran on a page of an expected
 * origin and not in a frame of another origin.
 * @throws WebAuthnVerificationError
 */
export function checkClientData(
  { type, origin, crossOrigin, topOrigin }: ClientData,
  expected: { type: string; origins: readonly string[] },
): void {
  if (type !== expected.type) throw refusal("The client data is for another type of ceremony.");
  if (typeof origin !== "string" || !expected.origins.includes(origin)) {
    throw refusal(
      "The client data is from another origin. Set AUTH_URL to the URL that users open.",
    );
  }
  if (crossOrigin !== undefined && crossOrigin !== false) {
    throw refusal("The ceremony ran in a frame of another site.");
  }
  if (topOrigin !== undefined) throw refusal("The ceremony ran under another top-level origin.");
}
