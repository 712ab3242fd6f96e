import { InvalidConfig } from "../errors/errors.ts";
import { buildCookieTable, COOKIE_NAME } from "../http/cookies.ts";
import { didYouMean } from "../platform/spelling.ts";
import type {
  CookieAttributes,
  CookieDefaults,
  CookieKey,
  CookiesOptions,
} from "../types/cookie.ts";
import type { ResolveOptions } from "./config.ts";

// The key of a sealed token is derived from its cookie's name: with two purposes under one name, the value of
// one would be accepted as the other (SECURITY.md R3). The redirect proxy's state is sealed under a name of
// its own.
function nameFaults(names: readonly string[], reserved: readonly string[]): string[] {
  return names.flatMap((name, at) => {
    if (reserved.includes(name)) return [`the name "${name}" is reserved; rename the cookie`];
    const rival = names.find((other, place) => {
      return place !== at && (other === name ? place > at : name.startsWith(`${other}.`));
    });
    return rival === undefined
      ? []
      : [
          `the names "${name}" and "${rival}" collide; rename one, so that neither is the other or the other ` +
            'followed by "."',
        ];
  });
}

function attributeFaults(key: string, name: string, attributes: CookieAttributes): string[] {
  const { maxAge, domain, path, secure, sameSite } = attributes;
  const faults: string[] = [];
  if (!COOKIE_NAME.test(name)) {
    faults.push(
      `\`cookies.${key}.name\` is not a valid cookie name: use letters, digits, "-", "_" and "."`,
    );
  }
  if (name.startsWith("__Host-") && (domain || path !== "/")) {
    faults.push(
      `\`cookies.${key}\`: a __Host- cookie has no domain and the path "/"; drop these options or rename it`,
    );
  }
  if (/^__(?:Host|Secure)-/.test(name) && !secure) {
    faults.push(
      `\`cookies.${key}\`: a cookie with a __Host- or __Secure- prefix must be secure; set \`secure\` or rename it`,
    );
  }
  if (sameSite === "none" && !secure) {
    faults.push(`\`cookies.${key}\`: SameSite=None requires \`secure: true\``);
  }
  if (maxAge !== undefined && !Number.isInteger(maxAge)) {
    faults.push(`\`cookies.${key}\`: \`maxAge\` must be a whole number of seconds`);
  }
  return faults;
}

/**
 * Reports names and attributes of cookies that cannot work. Called when all plugins have registered theirs.
 */
export function checkCookies(
  cookies: ReadonlyMap<string, CookieDefaults>,
  overrides: CookiesOptions,
  { logger, report }: Pick<ResolveOptions, "logger" | "report">,
): void {
  for (const key of Object.keys(overrides).filter((name) => !cookies.has(name))) {
    const text = `\`cookies.${key}\` is not a cookie of any plugin in use.`;
    const hint = didYouMean(key, cookies.keys());
    if (hint) report(new InvalidConfig(text + hint));
    else logger.warn("config-unknown", text);
  }
  const reserved = [...cookies.values()].flatMap(({ reservedSalts = [] }) => reservedSalts);
  const faults = new Set<string>();
  for (const isSecure of [true, false]) {
    const table = Object.entries(buildCookieTable(cookies, overrides, isSecure));
    for (const [key, { name, attributes }] of table) {
      // Whether the origin is https is not known yet: only an explicit `secure` can be wrong.
      const secure = overrides[key as CookieKey]?.options?.secure ?? true;
      for (const fault of attributeFaults(key, name, { ...attributes, secure })) faults.add(fault);
    }
    for (const fault of nameFaults(
      table.map(([, { name }]) => name),
      reserved,
    )) {
      faults.add(`\`cookies\`: ${fault}`);
    }
  }
  for (const fault of faults) report(new InvalidConfig(`${fault}.`));
}
