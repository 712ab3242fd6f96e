import {
  checkSecrets,
  findPeerFault,
  isSecureUrl,
  merge,
  nameMissing,
  parseUrl,
  readProviderEnv,
} from "../../../src/_kit.ts";
import {
  InvalidConfig,
  MissingAdapter,
  UntrustedHost,
  type AuthError,
} from "../../../src/errors.ts";
import { type Kernel, requireMethods } from "../../../src/kernel.ts";
import { isOriginConfigured } from "../_origin.ts";
import { parseSender } from "./address.ts";
import { apiValues, fillText } from "./placeholders.ts";
import type { AnyEmailProvider } from "./types.ts";

const DAY_S = 86_400;
const CONFIRM = ["auto", "always", "never"];

function listApiFaults(provider: AnyEmailProvider, { env }: Kernel): string[] {
  const { api, from, apiKey, id } = provider;
  if (!api) return [];
  const sender = from === undefined ? undefined : parseSender(from);
  const values = apiValues(provider, sender?.address);
  const texts = [api.url, api.auth, ...Object.values(api.headers ?? {})];
  if (!apiKey && texts.some((text) => text?.includes("{apiKey}"))) {
    return [`has no \`apiKey\`; set it, or ${nameMissing(env, id, "KEY")}`];
  }
  const missing = Object.entries(api.required ?? {}).find(([, value]) => !value);
  if (missing) return [`has no \`${missing[0]}\`; set it`];
  const text = fillText(api.url, values);
  if (!sender && text.includes("{domain}")) return [];
  const url = parseUrl(text);
  const isUsable = url && isSecureUrl(url) && !/[{}]/.test(text);
  return isUsable ? [] : ["has an `api.url` that is not https; set it to an https URL"];
}

function listSenderFaults(provider: AnyEmailProvider, kernel: Kernel): string[] {
  const { sendVerificationRequest, api, smtp, server, from } = provider;
  if (typeof sendVerificationRequest === "function") return [];
  const faults: string[] = [];
  if (!api && !smtp) {
    faults.push(
      "cannot send e-mails; set `sendVerificationRequest`, `api` (`url` of httpEmailPlugin), or `smtp` and `server`",
    );
  }
  if (smtp && !api && !server) faults.push("has no `server`; set it to an SMTP URL");
  if (!api?.templated && from === undefined) {
    faults.push("has no `from`; set it to an address that may send for your domain");
  }
  if (from !== undefined && !parseSender(from)) {
    faults.push(
      "has a `from` that is neither an address nor `Name <address>`; set it to one of these",
    );
  }
  return [...faults, ...listApiFaults(provider, kernel)];
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function listOptionFaults(provider: AnyEmailProvider): string[] {
  const { maxAge = DAY_S, confirm = "auto", attempts, code, secret, messages = {} } = provider;
  const faults: string[] = [];
  if (!Number.isSafeInteger(maxAge) || maxAge < 1) {
    faults.push("has an invalid `maxAge`; set it to a whole number of seconds, at least 1");
  }
  if (code !== undefined && typeof code !== "boolean") {
    faults.push("has a `code` that is neither `true` nor `false`; set it to one of these");
  }
  if (!CONFIRM.includes(confirm)) {
    faults.push(`has the unknown \`confirm\` "${confirm}"; use one of ${CONFIRM.join(", ")}`);
  }
  const secrets = [secret ?? "-"].flat();
  if (!secrets.length || !secrets.every(Boolean))
    faults.push("has an empty `secret`; set it, or leave it out");
  const tag = Object.keys(messages).find((key) => !isLanguage(key));
  if (tag !== undefined)
    faults.push(`has \`messages\` in "${tag}", which is not a language tag; correct it`);
  if (attempts && !(attempts.max >= 1 && attempts.window >= 1)) {
    faults.push("has `attempts` without `max` and `window`, both at least 1; set both");
  }
  return faults;
}

function findOriginFault(kernel: Kernel, id: string): AuthError | undefined {
  if (!kernel.config.production || isOriginConfigured(kernel)) return undefined;
  return new UntrustedHost(
    `"${id}" sends links by e-mail, but any request could choose their host. Set AUTH_URL to the ` +
      "public URL, or `trustHost` to the list of your hosts.",
  );
}

// Empty secrets are reported separately.
function listSecretFaults({ id, secret = [] }: AnyEmailProvider, kernel: Kernel): AuthError[] {
  const faults: AuthError[] = [];
  const { config, logger } = kernel;
  const report = (fault: AuthError) => void faults.push(fault);
  const named = [secret].flat().filter(Boolean);
  checkSecrets(
    named.map((text) => [`A \`secret\` of the provider "${id}"`, text]),
    { production: config.production, logger, report },
  );
  return faults;
}

// The application's own transport may be of any version.
function findSmtpFault({
  api,
  smtp,
  server,
  sendVerificationRequest,
}: AnyEmailProvider): AuthError | undefined {
  if (!smtp || api || sendVerificationRequest) return undefined;
  if (typeof server === "object" && "sendMail" in server) return undefined;
  return findPeerFault("nodemailer");
}

function adapterFault(kernel: Kernel, id: string): AuthError | undefined {
  if (!kernel.adapter) {
    return new MissingAdapter(
      `"${id}" needs an adapter for users and tokens. Use storeAdapter() of keyhook/adapters/store, or set \`adapter\`.`,
    );
  }
  try {
    requireMethods(kernel, `signing in with "${id}"`, [
      "createVerificationToken",
      "useVerificationToken",
      "getUserByEmail",
      "createUser",
      "updateUser",
    ]);
    return undefined;
  } catch (fault) {
    return fault as AuthError;
  }
}

// A short token can be guessed until `maxAge` has passed.
function warnOfGuesses(
  { id, attempts, maxAge, generateVerificationToken }: AnyEmailProvider,
  { logger }: Kernel,
): void {
  if (!generateVerificationToken) return;
  if (attempts === false) {
    logger.warn(
      "email-guessable",
      `"${id}" generates its own tokens, and \`attempts: false\` lets anyone guess them. Drop the option, unless they ` +
        "have at least 128 random bits.",
    );
  }
  if (maxAge !== undefined) return;
  logger.warn(
    "email-long-lived",
    `"${id}" generates its own tokens, which are accepted for a day: short ones may be guessed. Set \`maxAge\`, to 900 ` +
      "seconds at most if they are short.",
  );
}

/**
 * Returns a provider completed at boot with the environment and the defaults.
 * @throws AuthError for a single fault, AggregateError for several.
 */
export function resolveProvider(given: AnyEmailProvider, kernel: Kernel): AnyEmailProvider {
  const { apiKey } = readProviderEnv(kernel.env, given.id);
  const defaults = { apiKey, maxAge: DAY_S, confirm: "auto" };
  const provider = merge(defaults as object, given) as AnyEmailProvider;
  const { id } = provider;
  const faults = [
    ...[...listSenderFaults(provider, kernel), ...listOptionFaults(provider)].map(
      (fault) => new InvalidConfig(`The provider "${id}" ${fault}.`),
    ),
    ...listSecretFaults(provider, kernel),
    adapterFault(kernel, id),
    findOriginFault(kernel, id),
    findSmtpFault(provider),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 1) throw new AggregateError(faults);
  if (faults[0]) throw faults[0];
  warnOfGuesses(given, kernel);
  return provider;
}
