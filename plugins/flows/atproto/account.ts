import { AuthError } from "../../../src/errors.ts";
import { readObject } from "../_response-json.ts";
import { AtprotoUnknownAccount, AtprotoUnreachable } from "./errors.ts";
import { parseDid, parseHandle } from "./identifier.ts";
import { type Network, parseOrigin } from "./network.ts";
import type { Account, AtprotoContext } from "./types.ts";

const JSON_TYPE = { headers: { accept: "application/json" } };

/** Maximum number of characters that are read of a record. A DID is no longer than this. */
const MAX_TEXT_LENGTH = 2048;
/** The type of a DNS record with text (RFC 1035 section 3.2.2). */
const TXT = 16;
/** Response codes of DNS: no error, and no such name (RFC 1035 section 4.1.1). */
const RESOLVED = [0, 3];

// A TXT record is a list of strings, each in quotes.
function readText(record: unknown): string | undefined {
  const { type, data } = Object(record) as { type?: unknown; data?: unknown };
  if (type !== TXT || typeof data !== "string" || data.length > MAX_TEXT_LENGTH) return undefined;
  return data.replaceAll(/^"|"$|" "/g, "");
}

// Records that name different accounts are ambiguous.
async function lookUpRecord(
  { provider }: AtprotoContext,
  handle: string,
  { own }: Network,
): Promise<string | undefined> {
  if (provider.resolver === false) return undefined;
  const url = new URL(provider.resolver);
  url.searchParams.set("name", `_atproto.${handle}`);
  url.searchParams.set("type", "TXT");
  const response = await own(url.href, { headers: { accept: "application/dns-json" } });
  const { Status: status, Answer: records = [] } = await readObject(response, "The DNS response");
  if (!response.ok || !RESOLVED.includes(status as number) || !Array.isArray(records)) {
    throw new AtprotoUnreachable(`"${provider.id}": DNS did not resolve the handle.`);
  }
  const texts = records.map(readText).filter((text) => text?.startsWith("did="));
  const found = new Set(texts);
  if (found.size > 1) throw new AtprotoUnknownAccount("The handle has several records.");
  const [text] = found;
  return text === undefined ? undefined : (parseDid(text.slice("did=".length)) ?? "");
}

// The visitor may have typed any host. A host that does not respond names no account.
async function lookUpFile(handle: string, { foreign }: Network): Promise<string | undefined> {
  try {
    const response = await foreign(`https://${handle}/.well-known/atproto-did`);
    return response.status === 200 ? parseDid((await response.text()).trim()) : undefined;
  } catch (error) {
    if (error instanceof AtprotoUnreachable) return undefined;
    throw error;
  }
}

/** Resolves to the DID that a handle names, by DNS or else by HTTPS, or to `undefined`. */
async function resolveHandle(
  ctx: AtprotoContext,
  handle: string,
  network: Network,
): Promise<string | undefined> {
  const recorded = await lookUpRecord(ctx, handle, network);
  // A DNS record is final, even if it is malformed: HTTPS is not tried.
  if (recorded !== undefined) return recorded || undefined;
  return lookUpFile(handle, network);
}

type Document = Record<string, unknown>;

async function fetchDocument(
  { provider }: AtprotoContext,
  did: string,
  { own, foreign }: Network,
): Promise<Document> {
  const host = /^did:web:(.+)$/.exec(did)?.[1];
  const response = host
    ? await foreign(`https://${host}/.well-known/did.json`, JSON_TYPE)
    : await own(`${provider.directory}/${did}`, JSON_TYPE);
  if (response.status === 404 || response.status === 410) {
    throw new AtprotoUnknownAccount("The DID has no document.");
  }
  const what = "The DID document";
  const document = await readObject(response, what);
  if (response.status !== 200) throw new AuthError(`${what} has the status ${response.status}.`);
  if (document.id !== did) throw new AuthError(`${what} is for another DID.`);
  return document;
}

// The first valid handle counts: an account has only one.
function findHandle({ alsoKnownAs }: Document): string | undefined {
  if (!Array.isArray(alsoKnownAs)) return undefined;
  for (const name of alsoKnownAs as unknown[]) {
    if (typeof name !== "string" || !name.startsWith("at://")) continue;
    const handle = parseHandle(name.slice("at://".length));
    if (handle !== undefined) return handle;
  }
  return undefined;
}

function findServer({ id, service }: Document): string {
  const services = Array.isArray(service) ? (service as unknown[]) : [];
  const found = services
    .map((one) => Object(one) as Document)
    .find(
      ({ id: name, type }) =>
        (name === "#atproto_pds" || name === `${id as string}#atproto_pds`) &&
        type === "AtprotoPersonalDataServer",
    );
  const server = parseOrigin(found?.serviceEndpoint);
  if (server === undefined) {
    throw new AuthError("The DID document names no personal data server with an https origin.");
  }
  return server;
}

/**
 * Resolves to the account of a handle. The handle must name the DID, and the DID's document must name the handle.
 * @throws AtprotoUnknownAccount when either direction fails; AtprotoUnreachable; AuthError for a malformed document.
 */
export async function findByHandle(
  ctx: AtprotoContext,
  handle: string,
  network: Network,
): Promise<Account> {
  const did = await resolveHandle(ctx, handle, network);
  if (did === undefined) throw new AtprotoUnknownAccount("The handle resolves to no DID.");
  const document = await fetchDocument(ctx, did, network);
  // Anyone can point their own handle at another person's account.
  if (findHandle(document) !== handle) {
    throw new AtprotoUnknownAccount("The DID document does not name the handle.");
  }
  return { did, handle, pds: findServer(document) };
}

/**
 * Resolves to the account of a DID. A handle that does not resolve back to the DID is left out.
 * @throws AtprotoUnknownAccount; AtprotoUnreachable; AuthError for a malformed document.
 */
export async function findByDid(
  ctx: AtprotoContext,
  did: string,
  network: Network,
): Promise<Account> {
  const document = await fetchDocument(ctx, did, network);
  const pds = findServer(document);
  const handle = findHandle(document);
  if (handle === undefined) return { did, handle: null, pds };
  const named = await resolveHandle(ctx, handle, network).catch((error: unknown) => {
    if (error instanceof AtprotoUnknownAccount) return undefined;
    throw error;
  });
  return { did, handle: named === did ? handle : null, pds };
}
