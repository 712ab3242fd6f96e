import { InvalidConfig, PluginError } from "../../../src/errors.ts";
import type { Awaitable, Kernel, Login, User } from "../../../src/kernel.ts";
import type { WebAuthnProvider } from "../../flows/webauthn.ts";
import type { SecondFactorOptions } from "./options.ts";

/** The options with every default applied. */
export interface Settings {
  readonly issuer: string | undefined;
  readonly recoveryCodes: number;
  readonly window: number;
  isRequired(user: User): Promise<boolean>;
  isSkipped(login: Login): Promise<boolean>;
}

const DEFAULT_RECOVERY_CODES = 10;
const DEFAULT_WINDOW = 1;

function checkNumber(
  name: "recoveryCodes" | "window",
  value: number,
  [min, max]: readonly [number, number],
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new InvalidConfig(
    `\`${name}\` of secondFactor() must be a whole number from ${min} to ${max}.`,
  );
}

// In the key URI format, a colon separates the issuer from the account.
function checkIssuer(issuer: unknown): string | undefined {
  if (issuer === undefined) return undefined;
  if (typeof issuer === "string" && issuer.trim() && !issuer.includes(":")) return issuer;
  throw new InvalidConfig("`issuer` of secondFactor() must be a name without a colon.");
}

// A forgotten decision must neither let a user in nor lock one out unnoticed.
function decide<Subject>(
  name: "required" | "skip",
  decision: unknown,
): (subject: Subject) => Promise<boolean> {
  // Skipping every login would turn the second factor off.
  if (typeof decision === "boolean" && name === "required") return async () => decision;
  if (typeof decision !== "function") {
    const values = name === "required" ? "true, false or a function" : "a function of the login";
    throw new InvalidConfig(`\`${name}\` of secondFactor() must be ${values}.`);
  }
  return async (subject) => {
    const decided = await (decision as (subject: Subject) => Awaitable<unknown>)(subject);
    if (typeof decided === "boolean") return decided;
    throw new PluginError(`\`${name}\` of secondFactor() must return true or false.`);
  };
}

// A passkey combines the device with the fingerprint, face or PIN that it asks for. Without user verification it is
// only one factor: possession of the device is enough.
function isTwoFactors({ providers }: Pick<Kernel, "providers">, { account }: Login): boolean {
  const provider = providers.get(account.provider);
  if (provider?.type !== "webauthn") return false;
  const { verifyAuthenticationOptions, verifyRegistrationOptions } = provider as WebAuthnProvider;
  return [verifyAuthenticationOptions, verifyRegistrationOptions].every(
    (options) => options?.requireUserVerification !== false,
  );
}

/**
 * Applies the defaults.
 * @throws InvalidConfig for an option with an invalid value.
 */
export function resolveSettings(
  options: SecondFactorOptions,
  kernel: Pick<Kernel, "providers">,
): Settings {
  const { recoveryCodes = DEFAULT_RECOVERY_CODES, window = DEFAULT_WINDOW } = options;
  return {
    issuer: checkIssuer(options.issuer),
    recoveryCodes: checkNumber("recoveryCodes", recoveryCodes, [1, 100]),
    window: checkNumber("window", window, [0, 10]),
    isRequired: decide<User>("required", options.required ?? false),
    isSkipped: decide<Login>(
      "skip",
      options.skip ?? ((login: Login) => isTwoFactors(kernel, login)),
    ),
  };
}
