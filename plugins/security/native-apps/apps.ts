import { isObject, isStorable, parseUrl } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { NativeApp, NativeAppsOptions } from "./options.ts";

/** An app with every default applied. */
export type App = Required<NativeApp> & { readonly id: string };

/** The apps by `client_id`. */
export type Apps = ReadonlyMap<string, App>;

const ID = /^[\w.~-]{1,100}$/;
// Compared as text: `URL` finds another host in `http://127.0.0.1:80@evil.example/`, and this one in `http://127.1/`.
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/[\x21-\x7e]*)$/;

// An app on loopback uses any free port when it starts (RFC 8252 section 7.3).
const withoutPort = (uri: string): string => LOOPBACK.exec(uri)?.slice(1).join("") ?? uri;

const OWN_SCHEME = "com.acme.app:/signed-in";

// Returns the fault of a redirect URI with its fix, or `undefined` for a URI that only the app can receive.
function findFault(uri: unknown): string | undefined {
  const text = String(uri);
  const url = typeof uri === "string" ? parseUrl(uri) : undefined;
  if (!url) return `is not a URL. Write the full URL, such as ${OWN_SCHEME}`;
  if (!/^[\x21-\x7e]+$/.test(text)) {
    return "contains a space or a non-ASCII character. Write it as browsers send it, percent-encoded";
  }
  if (text.includes("#")) return "has a fragment. Leave it out";
  if (url.username || url.password) {
    return "contains a user name or a password. Leave them out";
  }
  if (url.protocol === "http:" && !LOOPBACK.test(text)) {
    return "is plain http to a host other than this machine. Use https, or http://127.0.0.1/ or http://[::1]/ with a path";
  }
  if (/^https?:$/.test(url.protocol) || url.protocol.includes(".")) return undefined;
  return `has a scheme without a dot, which any app may claim. Use a reversed domain name of yours: ${OWN_SCHEME}`;
}

function toApp(id: string, app: NativeApp): App {
  const fail = (text: string): never => {
    throw new InvalidConfig(`The app "${id}" of nativeApps() ${text}.`);
  };
  if (!ID.test(id)) fail("has an id that is not valid. Use letters, digits and . _ ~ -");
  if (!isObject(app)) fail("must be an object. Give it a `name` and `redirectUris`");
  const { name, redirectUris = [], device = false } = app;
  if (typeof name !== "string" || !name.trim()) {
    fail("has no `name`. Set it to the name that users know");
  }
  // The name is stored with the sessions of the app.
  if (name.length > 100 || !isStorable(name)) {
    fail("has a name that cannot be stored. Use at most 100 characters, without NUL");
  }
  if (!Array.isArray(redirectUris) || typeof device !== "boolean") {
    fail(
      "has an option of the wrong type. Set `redirectUris` to a list, and `device` to true or false",
    );
  }
  if (!redirectUris.length && !device) {
    fail("has no way to get a token. Give it `redirectUris`, or `device: true`");
  }
  for (const uri of redirectUris) {
    const fault = findFault(uri);
    if (fault !== undefined) fail(`has the redirect URI ${JSON.stringify(uri)}, which ${fault}`);
  }
  return { id, name, redirectUris, device };
}

/**
 * Applies the defaults.
 * @throws InvalidConfig for an invalid app.
 */
export function resolveApps({ apps }: NativeAppsOptions): Apps {
  if (!isObject(apps) || !Object.keys(apps).length) {
    throw new InvalidConfig(
      '`apps` of nativeApps() has no app. Add one: { ios: { name: "Acme", redirectUris: [...] } }.',
    );
  }
  return new Map(Object.entries(apps).map(([id, app]) => [id, toApp(id, app)]));
}

/** Returns whether the browser may be redirected to a URI for an app. */
export function isRedirectUri({ redirectUris }: App, uri: string): boolean {
  const isKnown = redirectUris.some((known) => withoutPort(known) === withoutPort(uri));
  // A port above 65535 is not valid.
  return isKnown && URL.canParse(uri);
}
