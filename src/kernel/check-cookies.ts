import { InvalidConfig } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import { buildCookieTable, COOKIE_NAME, toPlainName } from "../http/cookies.ts";
import type { CookieAttributes, CookieDefaults, CookieKey } from "../types/cookie.ts";
import type { ResolvedConfig } from "../types/options.ts";
import { checkNames } from "./option-names.ts";

// The key of a sealed token is derived from its cookie's name. If two purposes shared a name, a value for one would be
// accepted for the other (SECURITY.md R3). The redirect proxy's state is sealed under its own name.
function listNameFaults(
  cookies: readonly { readonly key: string; readonly name: string }[],
  reserved: readonly string[],
): string[] {
  return cookies.flatMap(({ key, name }, at) => {
    const own = `\`cookies.${key}\``;
    if (reserved.includes(name)) {
      return [`${own}: the name "${name}" is reserved; rename the cookie`];
    }
    // Of two equal names, only the second is reported.
    const rival = cookies.find((other, place) =>
      other.name === name ? place < at : name.startsWith(`${other.name}.`),
    );
    return rival
      ? [
          `${own} and \`cookies.${rival.key}\`: the names "${name}" and "${rival.name}" collide; rename one, so that ` +
            'neither equals the other or starts with the other and "."',
        ]
      : [];
  });
}

// Cookies that a script of the page may read: neither is of use without the session.
const READABLE: readonly string[] = ["csrfToken", "callbackUrl"];
const SAME_SITES: readonly unknown[] = ["lax", "strict", "none", true, false];
const DOMAIN = /^\.?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;
const PATH = /^\/[\u0020-\u003a\u003c-\u007e]*$/;
// Prefixes, in upper or lower case, for which browsers require more than `Secure` (RFC 6265bis section 4.1.3).
const HOST_PREFIX = /^__Host-/i;
const HTTP_PREFIX = /^__(?:Host-)?Http-/i;

function covers(domain: string, { hostname }: URL): boolean {
  const name = domain.replace(/^\./, "").toLowerCase();
  return hostname === name || (name.includes(".") && hostname.endsWith(`.${name}`));
}

// Browsers drop such a cookie or never send it, so every sign-in would fail silently.
function listScopeFaults(
  { domain, path }: CookieAttributes,
  { origin, basePath }: CookieConfig,
): string[] {
  const faults: string[] = [];
  if (domain !== undefined && !(typeof domain === "string" && DOMAIN.test(domain))) {
    faults.push("`domain` must be only a host name, such as example.com; correct it, or drop it");
  } else if (domain !== undefined && origin !== undefined && !covers(domain, new URL(origin))) {
    faults.push(
      `the domain ${domain} does not cover the origin ${origin}; set it to the host or a ` +
        "domain above it, or drop it",
    );
  }
  if (path !== undefined && !(typeof path === "string" && PATH.test(path))) {
    faults.push('`path` must start with "/" and have no ";"; set it to "/"');
  } else if (path !== undefined) {
    const [own, base] = [path, basePath].map((text) => `${text.replace(/\/$/, "")}/`) as [
      string,
      string,
    ];
    if (!own.startsWith(base) && !base.startsWith(own)) {
      faults.push(`the path ${path} does not cover the base path ${basePath}; set it to "/"`);
    }
  }
  return faults;
}

function listAttributeFaults(
  isReadable: boolean,
  name: string,
  { maxAge, domain, path, secure, sameSite, httpOnly, partitioned }: CookieAttributes,
  { origin, production }: CookieConfig,
): string[] {
  const faults: string[] = [];
  if (!httpOnly && !isReadable) {
    faults.push(
      "with `httpOnly: false`, every script on the page can read and send it; drop the option",
    );
  }
  if (!COOKIE_NAME.test(name)) {
    faults.push('the name is not valid; use letters, digits, "-", "_" and "."');
  }
  if (HOST_PREFIX.test(name) && (domain || path !== "/")) {
    faults.push('a __Host- cookie has no domain and the path "/"; drop these options or rename it');
  }
  if (toPlainName(name) !== name && !secure) {
    faults.push(
      "a cookie with a __Host-, __Http- or __Secure- prefix must be secure; set `secure` or rename it",
    );
  }
  if (HTTP_PREFIX.test(name) && !httpOnly) {
    faults.push(
      "a cookie with a __Http- or __Host-Http- prefix must be HttpOnly; drop `httpOnly: false` or rename it",
    );
  }
  if (sameSite !== undefined && !SAME_SITES.includes(sameSite)) {
    faults.push('`sameSite` must be "lax", "strict" or "none"; set it to one of these');
  }
  if (sameSite === "none" && !secure) faults.push("SameSite=None requires `secure: true`");
  if (partitioned && !secure) faults.push("Partitioned requires `secure: true`");
  if (maxAge !== undefined && !Number.isInteger(maxAge)) {
    faults.push("`maxAge` must be a whole number of seconds");
  }
  // Without a prefix in the cookie's name, nothing else enforces `secure`.
  if (!secure && !isReadable && production && origin?.startsWith("https:")) {
    faults.push("with `secure: false`, browsers send it over plain http too; drop the option");
  }
  return faults;
}

/** The configuration that cookie attributes must fit. */
export type CookieConfig = Pick<ResolvedConfig, "basePath" | "cookies" | "origin" | "production">;

/**
 * Reports names and attributes of cookies that cannot work or would expose a session. Called after all plugins have
 * registered their cookies.
 */
export function checkCookies(
  cookies: ReadonlyMap<string, CookieDefaults>,
  config: CookieConfig,
  { logger, report }: Reporter,
): void {
  const overrides = config.cookies;
  checkNames(overrides, "cookies.", [...cookies.keys()], { logger, report });
  if (overrides.sessionToken?.options?.sameSite === "none") {
    logger.warn(
      "cookie-cross-site",
      '`cookies.sessionToken`: with `sameSite: "none"`, every site can send requests with the visitor\'s session. Drop ' +
        "the option, or check the origin in all routes that change something.",
    );
  }
  const reserved = [...cookies.values()].flatMap(({ reservedSalts = [] }) => reservedSalts);
  const faults = new Set<string>();
  // Whether the origin is https is not known yet. For http, only the names differ.
  const table = buildCookieTable(cookies, overrides, true);
  const plain = buildCookieTable(cookies, overrides, false);
  for (const [key, { name, attributes }] of Object.entries(table)) {
    const secure = overrides[key as CookieKey]?.options?.secure ?? true;
    const own = { ...attributes, secure };
    const found = [
      ...listAttributeFaults(READABLE.includes(key), name, own, config),
      ...listScopeFaults(attributes, config),
    ];
    for (const fault of found) faults.add(`\`cookies.${key}\`: ${fault}`);
  }
  for (const one of [table, plain]) {
    const names = Object.entries(one).map(([key, { name }]) => ({ key, name }));
    for (const fault of listNameFaults(names, reserved)) faults.add(fault);
  }
  for (const fault of faults) report(new InvalidConfig(`${fault}.`));
}
