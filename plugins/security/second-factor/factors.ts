import { CENTURY_S } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { createAttempts } from "./attempts.ts";
import type { SetupOffer } from "./offers.ts";
import { hashRecoveryCode, parseRecoveryCode } from "./recovery-codes.ts";
import { createSealedTexts } from "./sealed-texts.ts";
import type { Settings } from "./settings.ts";
import { findStep } from "./totp.ts";

/** The second factors of all users. */
export interface Factors {
  /** Resolves to the number of unused recovery codes, or to `undefined` if the user has no second factor. */
  countRecoveryCodes(userId: string): Promise<number | undefined>;
  /**
   * Adds a second factor. `step` is the time step of its first code. Resolves to `false` if the user already has a
   * second factor.
   */
  add(userId: string, offer: SetupOffer, step: number): Promise<boolean>;
  /** Resolves to whether the second factor is the one that `add` stored, and no code was used since. */
  hasAdded(userId: string, offer: SetupOffer, step: number): Promise<boolean>;
  /**
   * Uses up a code, or a recovery code, from a client. Resolves to `false` if it is wrong or used. After too many wrong
   * codes of a kind, every code of that kind resolves to `false`.
   */
  redeem(userId: string, code: string, client: string | undefined): Promise<boolean>;
  /**
   * Like `redeem`, but replaces all earlier recovery codes. Resolves to `undefined` if the code is not accepted. The
   * last code of the app is accepted again if it replaced the recovery codes by the same ones, which is `repeated`.
   */
  renew(
    userId: string,
    code: string,
    client: string | undefined,
    recoveryCodes: readonly string[],
  ): Promise<"renewed" | "repeated" | undefined>;
  /** Resolves to whether there was a second factor. */
  remove(userId: string): Promise<boolean>;
  /** Like `redeem`, and removes the code's second factor in the same write. A factor that was added since stays. */
  turnOff(userId: string, code: string, client: string | undefined): Promise<boolean>;
  /** Reverts what `add` stored, even after it was used, but nothing that was added since. */
  withdraw(userId: string, offer: SetupOffer): Promise<void>;
}

/** A second factor as it is stored. It is one record, so that every change is one atomic write. */
interface Factor {
  /** The sealed key. */
  key: string;
  /** Time step of the last code. This code and earlier ones are used up (RFC 6238 section 5.2). */
  step: number;
  /** Hashes of the unused recovery codes. */
  recoveryCodes: readonly string[];
}

/** Maximum number of retries after a concurrent write. Each such write has used up a code. */
const MAX_CONFLICTS = 5;

function isFactor(value: unknown): boolean {
  const { key, step, recoveryCodes } = (value ?? {}) as Partial<Factor>;
  return typeof key === "string" && Number.isSafeInteger(step) && Array.isArray(recoveryCodes);
}

const UNOPENED =
  "A second factor cannot be read: its key was sealed under a secret that is no longer configured. Add that " +
  'secret to `secret`, or remove the second factor: kernel.use("secondFactor").remove(userId).';

/** Returns whether two lists of hashes are the same. */
const areSame = (one: readonly string[] | undefined, other: readonly string[]) =>
  one?.join() === other.join();

const hashAll = (codes: readonly string[]) => Promise.all(codes.map(hashRecoveryCode));

/** Creates the records in the plugin's store. */
export function createFactors(kernel: Kernel, settings: Settings): Factors {
  const factors = kernel.store<Factor>("second-factor", {
    atomic: true,
    durable: true,
    validate: isFactor,
    // An unreadable record must not count as absent: its user could then sign in without a code.
    unreadable: "error",
  });
  const attempts = createAttempts(kernel);
  const keys = createSealedTexts(kernel, "keyhook.second-factor", CENTURY_S);

  // Returns the changes when a code is used, or `undefined` if the code is not valid.
  const use = async (
    userId: string,
    factor: Factor,
    code: string,
    renewed: readonly string[] | undefined,
  ): Promise<Partial<Factor> | undefined> => {
    const recoveryCode = parseRecoveryCode(code);
    if (recoveryCode !== undefined) {
      const hash = await hashRecoveryCode(recoveryCode);
      const recoveryCodes = factor.recoveryCodes.filter((one) => one !== hash);
      return recoveryCodes.length < factor.recoveryCodes.length ? { recoveryCodes } : undefined;
    }
    const key = await keys.open(userId, factor.key);
    if (key === undefined) throw new AuthError(UNOPENED);
    const step = await findStep(key, code, settings.window);
    if (step === undefined || step < factor.step) return undefined;
    return step > factor.step || areSame(renewed, factor.recoveryCodes) ? { step } : undefined;
  };

  // Seals the key again when the secret was rotated.
  const reseal = async (userId: string, { key: sealed }: Factor): Promise<string> => {
    const key = await keys.open(userId, sealed);
    return key === undefined ? sealed : keys.seal(userId, key);
  };

  // Resolves to what was stored before, if the code was accepted.
  /* oxlint-disable no-await-in-loop -- each round reads what a concurrent request has written */
  const redeem = async (
    userId: string,
    code: string,
    client: string | undefined,
    { recoveryCodes, remove }: { recoveryCodes?: readonly string[]; remove?: boolean } = {},
  ): Promise<Factor | undefined> => {
    const kind = parseRecoveryCode(code) === undefined ? "code" : "recovery";
    const attempt = await attempts.begin(kind, userId, client);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const entry = await factors.read(userId);
      const used = entry && (await use(userId, entry.value, code, recoveryCodes));
      // Checked only here, so that a code that is refused by a limit takes as long as a wrong one.
      if (!used || !attempt.isAdmitted) return undefined;
      const key = await reseal(userId, entry.value);
      const next = { ...entry.value, ...used, ...(recoveryCodes && { recoveryCodes }), key };
      const isWritten = remove
        ? await factors.compareAndDelete(userId, entry)
        : await factors.compareAndSet(userId, entry, next);
      if (isWritten) {
        await attempt.succeed();
        return entry.value;
      }
    }
    return undefined;
  };

  // Compares only the key with the offer. If it compared the whole record, an attacker could keep the factor by using
  // it once.
  const withdraw: Factors["withdraw"] = async (userId, offer) => {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const entry = await factors.read(userId);
      if (!entry || (await keys.open(userId, entry.value.key)) !== offer.key) return;
      if (await factors.compareAndDelete(userId, entry)) return;
    }
    await factors.delete(userId);
  };
  /* oxlint-enable no-await-in-loop */

  return {
    countRecoveryCodes: async (userId) => (await factors.get(userId))?.recoveryCodes.length,
    async add(userId, offer, step) {
      const [key, recoveryCodes] = await Promise.all([
        keys.seal(userId, offer.key),
        hashAll(offer.recoveryCodes),
      ]);
      return factors.putIfAbsent(userId, { key, step, recoveryCodes });
    },
    async hasAdded(userId, offer, step) {
      const factor = await factors.get(userId);
      // The codes of an offer are unique to it, and so is the key.
      const recoveryCodes = await hashAll(offer.recoveryCodes);
      return factor?.step === step && areSame(recoveryCodes, factor.recoveryCodes);
    },
    redeem: async (userId, code, client) => (await redeem(userId, code, client)) !== undefined,
    async renew(userId, code, client, codes) {
      const recoveryCodes = await hashAll(codes);
      const replaced = await redeem(userId, code, client, { recoveryCodes });
      return replaced && (areSame(recoveryCodes, replaced.recoveryCodes) ? "repeated" : "renewed");
    },
    withdraw,
    async turnOff(userId, code, client) {
      const isDone = (await redeem(userId, code, client, { remove: true })) !== undefined;
      if (isDone) await attempts.reset(userId);
      return isDone;
    },
    async remove(userId) {
      await attempts.reset(userId);
      return factors.delete(userId);
    },
  };
}
