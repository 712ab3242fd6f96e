import { isObject, nameType } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type {
  AnyOAuthProvider,
  EndSessionEndpoint,
  RevocationEndpoint,
} from "../../flows/oauth.ts";
import { findOAuthProvider } from "../_provider.ts";

interface Member {
  isValid(value: unknown): boolean;
  /** The required kind of value, for the message. */
  readonly must: string;
}

const NAME: Member = {
  isValid: (value) => typeof value === "string" && value !== "",
  must: "the name of a parameter",
};
const NO: Member = { isValid: (value) => value === false, must: "false, or left out" };
// URLs are checked elsewhere, like all URLs of a provider.
const URL_MEMBER: Member = { isValid: () => true, must: "a URL" };

const MEMBERS = {
  endSession: { url: URL_MEMBER, returnParam: NAME, hint: NO, state: NO },
  revocation: {
    url: URL_MEMBER,
    method: {
      isValid: (value) => value === "POST" || value === "DELETE",
      must: '"POST" or "DELETE"',
    },
    json: { ...NAME, must: "the name of a member" },
  },
} as const satisfies {
  endSession: Record<keyof EndSessionEndpoint, Member>;
  revocation: Record<keyof RevocationEndpoint, Member>;
};

function listMemberFaults(name: keyof typeof MEMBERS, given: object): string[] {
  const members: Readonly<Record<string, Member>> = MEMBERS[name];
  const known = Object.keys(members).join(", ");
  return Object.entries(given).flatMap(([key, value]) => {
    const member = Object.hasOwn(members, key) ? members[key] : undefined;
    if (!member) {
      return [`has no field \`${name}.${key}\`; use one of ${known}`];
    }
    if (value === undefined || member.isValid(value)) return [];
    return [`has an unusable \`${name}.${key}\`; it must be ${member.must}`];
  });
}

function listFaults(provider: AnyOAuthProvider): string[] {
  return (Object.keys(MEMBERS) as (keyof typeof MEMBERS)[]).flatMap((name) => {
    const given: unknown = provider[name];
    if (given === undefined || typeof given === "string") return [];
    if (isObject(given)) return listMemberFaults(name, given);
    return [
      `sets \`${name}\` to ${nameType(given)}; set it to a URL, or to an object with \`url\``,
    ];
  });
}

/**
 * Checks the fields by which providers end their sessions and revoke tokens, because only this plugin reads them. Their
 * URLs are checked with the other URLs of a provider.
 * @throws AggregateError of each `InvalidConfig`.
 */
export function checkLogoutFields(kernel: Kernel): void {
  const faults = [...kernel.providers.keys()].flatMap((id) => {
    const provider = findOAuthProvider(kernel, id);
    const found = provider ? listFaults(provider) : [];
    return found.map((fault) => new InvalidConfig(`The provider "${id}" ${fault}.`));
  });
  if (faults.length) throw new AggregateError(faults);
}
