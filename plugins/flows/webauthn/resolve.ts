import { findPeerFault, hasEmailSignIn, merge, parseUrl } from "../../../src/_kit.ts";
import {
  DuplicateConditionalUI,
  ExperimentalFeatureNotEnabled,
  InvalidConfig,
  MissingAdapter,
  MissingWebAuthnAutocomplete,
  UntrustedHost,
  type AuthError,
} from "../../../src/errors.ts";
import { type Kernel, requireMethods } from "../../../src/kernel.ts";
import { isOriginConfigured } from "../_origin.ts";
import type { WebAuthnProvider } from "./provider.ts";

const DEFAULTS = {
  enableConditionalUI: true,
  formFields: {
    email: {
      type: "email",
      required: true,
      autocomplete: "username webauthn",
    },
  },
};
const METHODS = [
  "createAuthenticator",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
] as const;

// COSE algorithms whose signatures the package verifies, except the one with SHA-1.
const VERIFIED: readonly unknown[] = [
  ...[-7, -8, -35, -36, -37, -38, -39],
  ...[-48, -49, -50, -257, -258, -259],
];

// A passkey with any other algorithm could be registered, but never sign in.
function listAlgorithmFaults({ registrationOptions = {} }: WebAuthnProvider): string[] {
  const { supportedAlgorithmIDs: ids } = registrationOptions;
  if (ids === undefined) return [];
  const isUsable = Array.isArray(ids) && ids.length > 0 && ids.every((id) => VERIFIED.includes(id));
  return isUsable
    ? []
    : [
        `has unusable \`registrationOptions.supportedAlgorithmIDs\`; list one or more of ${VERIFIED.join(", ")}`,
      ];
}

// The origin of an app is not a web URL: `android:apk-key-hash:...`.
function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return /^[a-z]+:[^/]+$/.test(text);
  return parseUrl(text)?.origin === text;
}

function listPartyFaults({ relayingParty = {} }: WebAuthnProvider): string[] {
  const faults: string[] = [];
  const ids = [relayingParty.id ?? []].flat();
  const origins = [relayingParty.origin ?? []].flat();
  if (ids.some((id) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(id))) {
    faults.push(
      "has a `relayingParty.id` that is not a host name; write it without scheme and port",
    );
  }
  if (!origins.every(isOrigin)) {
    faults.push(
      "has a `relayingParty.origin` that is not an origin; write `https://host` without a trailing slash",
    );
  }
  return faults;
}

function findAutofillFault(provider: WebAuthnProvider): AuthError | undefined {
  if (!provider.enableConditionalUI) return undefined;
  const fields = Object.values(provider.formFields ?? {});
  // WebAuthn level 3, section 5.1.4.1: `webauthn` is the last token, after the field's own tokens.
  if (fields.some(({ autocomplete }) => /(^|\s)webauthn\s*$/.test(autocomplete ?? ""))) {
    return undefined;
  }
  return new MissingWebAuthnAutocomplete(
    `"${provider.id}" has \`enableConditionalUI\`, but no field whose \`autocomplete\` ends in ` +
      '"webauthn". Set it to "username webauthn" on one, or set `enableConditionalUI: false`.',
  );
}

// Other hosts below the id may request its passkeys too. If the request chose the origin, it could bring a response
// that was signed for one of those hosts. Without an id, such passkeys belong to another relying party.
function findOriginFault(kernel: Kernel, provider: WebAuthnProvider): AuthError | undefined {
  const { id, relayingParty: { id: party, origin } = {}, getRelayingParty } = provider;
  const isChosen = kernel.config.production && !isOriginConfigured(kernel);
  const isOpen = isChosen && !getRelayingParty && [party ?? []].flat().length > 0;
  if (!isOpen || [origin ?? []].flat().length) return undefined;
  return new UntrustedHost(
    `"${id}" has a \`relayingParty.id\`, but any request could choose the origin at which passkeys are used. Set AUTH_URL ` +
      "to the public URL, `trustHost` to the list of your hosts, or `relayingParty.origin`.",
  );
}

/**
 * Returns a provider completed at boot with its defaults.
 * @throws AuthError for a single fault, AggregateError for several.
 */
export function resolveProvider(given: WebAuthnProvider, kernel: Kernel): WebAuthnProvider {
  const { config, adapter } = kernel;
  // `formFields` replace the default fields and are not merged with them.
  const { formFields = DEFAULTS.formFields } = given;
  const provider: WebAuthnProvider = {
    ...(merge(DEFAULTS as object, given) as WebAuthnProvider),
    formFields,
  };
  const { id } = provider;
  const faults: (AuthError | undefined)[] = [
    ...[...listPartyFaults(provider), ...listAlgorithmFaults(provider)].map(
      (fault) => new InvalidConfig(`The provider "${id}" ${fault}.`),
    ),
    findOriginFault(kernel, provider),
    findAutofillFault(provider),
    findPeerFault("@simplewebauthn/server"),
  ];
  if (!config.experimental.enableWebAuthn) {
    faults.push(
      new ExperimentalFeatureNotEnabled(
        `"${id}" signs in with passkeys, which are experimental. Set \`experimental.enableWebAuthn: true\`.`,
      ),
    );
  }
  if (!adapter) {
    faults.push(
      new MissingAdapter(
        `"${id}" needs an adapter for users and passkeys. Use storeAdapter() of keyhook/adapters/store, or set \`adapter\`.`,
      ),
    );
  }
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 1) throw new AggregateError(found);
  if (found[0]) throw found[0];
  return provider;
}

function warnAboutProcesses({ config, storeScope = "process", logger }: Kernel): void {
  if (!config.production || storeScope !== "process") return;
  logger.warn(
    "webauthn-process",
    "Only this process knows which passkey challenges were used: another one would accept a " +
      "replayed response. Use a store that all processes share (keyhook/stores/...).",
  );
}

/**
 * Checks at boot what the adapter must support, and conflicts between WebAuthn providers.
 * @throws MissingAdapterMethods, DuplicateConditionalUI
 */
export function checkTogether(kernel: Kernel): void {
  const all = [...kernel.providers.values()].filter(({ type }) => type === "webauthn");
  if (!all.length) return;
  requireMethods(kernel, "passkeys", METHODS);
  kernel.use("storedUsers").requireLinking(kernel, ["webauthn"]);
  warnAboutProcesses(kernel);
  const conditional = (all as WebAuthnProvider[]).filter((one) => one.enableConditionalUI);
  if (conditional.length < 2) return;
  const ids = conditional.map(({ id }) => `"${id}"`).join(" and ");
  throw new DuplicateConditionalUI(
    `${ids} have \`enableConditionalUI\`, which a page can use only once. Set it to false on all but one.`,
  );
}

/** Returns whether a visitor without a session may register a passkey. */
export function isOpen(kernel: Kernel, { registration }: WebAuthnProvider): boolean {
  if (registration !== undefined) return registration === "open";
  // A user who verifies an address takes its account over. The passkeys of a user who only claimed the address must
  // then be removed (SECURITY.md R5).
  return !hasEmailSignIn(kernel) || kernel.adapter?.revokeUserAccess !== undefined;
}
