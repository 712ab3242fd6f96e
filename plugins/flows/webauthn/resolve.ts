import {
  type AuthError,
  DuplicateConditionalUI,
  ExperimentalFeatureNotEnabled,
  InvalidConfig,
  type Kernel,
  merge,
  MissingAdapter,
  MissingWebAuthnAutocomplete,
  needLinking,
  needMethods,
  type WebAuthnProvider,
} from "../../../src/index.ts";

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

// An app's origin is no URL of the web: `android:apk-key-hash:...`.
function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return /^[a-z]+:[^/]+$/.test(text);
  return URL.canParse(text) && new URL(text).origin === text;
}

function partyFaults({ relayingParty = {} }: WebAuthnProvider): string[] {
  const faults: string[] = [];
  const ids = [relayingParty.id ?? []].flat();
  const origins = [relayingParty.origin ?? []].flat();
  if (ids.some((id) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(id))) {
    faults.push("has a `relayingParty.id` that is no host name; write it without scheme and port");
  }
  if (!origins.every(isOrigin)) {
    faults.push(
      "has a `relayingParty.origin` that is none; write `https://host`, no slash at the end",
    );
  }
  return faults;
}

function autofillFault(provider: WebAuthnProvider): AuthError | undefined {
  if (!provider.enableConditionalUI) return undefined;
  const fields = Object.values(provider.formFields ?? {});
  // WebAuthn level 3, section 5.1.4.1: the last word, beside what the field holds.
  if (fields.some(({ autocomplete }) => /(^|\s)webauthn\s*$/.test(autocomplete ?? ""))) {
    return undefined;
  }
  return new MissingWebAuthnAutocomplete(
    `"${provider.id}" has \`enableConditionalUI\`, and no field whose \`autocomplete\` ends in ` +
      '"webauthn". Give one "username webauthn", or set `enableConditionalUI: false`.',
  );
}

/**
 * Completes a provider at boot with its defaults.
 * @throws the fault, or all of them as an `AggregateError`.
 */
export function resolveProvider(
  given: WebAuthnProvider,
  { config, adapter }: Kernel,
): WebAuthnProvider {
  // Fields that are given are all there are.
  const { formFields = DEFAULTS.formFields } = given;
  const provider: WebAuthnProvider = {
    ...(merge(DEFAULTS as object, given) as WebAuthnProvider),
    formFields,
  };
  const { id } = provider;
  const faults: (AuthError | undefined)[] = [
    ...partyFaults(provider).map((fault) => new InvalidConfig(`The provider "${id}" ${fault}.`)),
    autofillFault(provider),
  ];
  if (!config.experimental.enableWebAuthn) {
    faults.push(
      new ExperimentalFeatureNotEnabled(
        `"${id}" signs in by passkeys, which are experimental. Set \`experimental.enableWebAuthn: true\`.`,
      ),
    );
  }
  if (!adapter) {
    faults.push(
      new MissingAdapter(
        `"${id}" needs a place for people and passkeys. Set \`adapter\`, or use the plugin of one.`,
      ),
    );
  }
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 1) throw new AggregateError(found);
  if (found[0]) throw found[0];
  return provider;
}

function warnOfProcesses({ config, storeScope = "process", logger }: Kernel): void {
  if (!config.production || storeScope !== "process") return;
  logger.warn(
    "webauthn-process",
    "Challenges of passkeys are used up in this process alone: another one would take an answer a " +
      "second time. Give a store that all of them see (keyhook/plugins/stores/...).",
  );
}

/** Last checks at boot: what the adapter must have, and what all providers together must not. */
export function checkTogether(kernel: Kernel): void {
  const all = [...kernel.providers.values()].filter(({ type }) => type === "webauthn");
  if (!all.length) return;
  needMethods(kernel, "passkeys", METHODS);
  needLinking(kernel, ["webauthn"]);
  warnOfProcesses(kernel);
  const offering = (all as WebAuthnProvider[]).filter((one) => one.enableConditionalUI);
  if (offering.length < 2) return;
  const ids = offering.map(({ id }) => `"${id}"`).join(" and ");
  throw new DuplicateConditionalUI(
    `${ids} both have \`enableConditionalUI\`, and a browser offers passkeys once. Set it to false on all but one.`,
  );
}

/** Whether somebody who is not signed in may register. */
export function isOpen(
  { adapter, providers, flow }: Kernel,
  { registration }: WebAuthnProvider,
): boolean {
  if (registration !== undefined) return registration === "open";
  // Whoever proves an address takes it over: the passkeys of whoever only claimed it must then go.
  const isProvable = [...providers.values()].some(({ type }) => flow(type).links === "email");
  return !isProvable || adapter?.resetUser !== undefined;
}
