import type { Kernel } from "../../../src/kernel.ts";
import { createRecoveryCodes } from "./recovery-codes.ts";
import { createSealedTexts } from "./sealed-texts.ts";
import { createKey } from "./totp.ts";

/** A key and its recovery codes, which are the user's once the first code of the key is posted. */
export interface SetupOffer {
  readonly key: string;
  readonly recoveryCodes: readonly string[];
}

/**
 * What a page offers, sealed in a field of its form: nothing is stored before the code, and both responses to a form
 * that a double click posts twice show the same recovery codes. The browser shows the second one alone.
 */
export interface Offers {
  createSetup(): Promise<SetupOffer>;
  sealSetup(userId: string, offer: SetupOffer): Promise<string>;
  /** Resolves to `undefined` for a field that was not made here for this user, or is too old. */
  openSetup(userId: string, field: string): Promise<SetupOffer | undefined>;
  /** Resolves to the field of a form that replaces the recovery codes. */
  sealRecoveryCodes(userId: string): Promise<string>;
  /** Resolves to the recovery codes of the form; to others for a field that does not contain any. */
  openRecoveryCodes(userId: string, field: string): Promise<readonly string[]>;
}

/** Seconds in which the code must follow. */
const MAX_AGE_S = 15 * 60;

/** Creates the functions; a user gets `count` recovery codes. */
export function createOffers(kernel: Kernel, count: number): Offers {
  const setups = createSealedTexts(kernel, "keyhook.second-factor.setup", MAX_AGE_S);
  const renewals = createSealedTexts(kernel, "keyhook.second-factor.recovery-codes", MAX_AGE_S);
  return {
    createSetup: async () => ({
      key: await createKey(),
      recoveryCodes: createRecoveryCodes(count),
    }),
    sealSetup: (userId, { key, recoveryCodes }) =>
      setups.seal(userId, [key, ...recoveryCodes].join(" ")),
    async openSetup(userId, field) {
      const [key, ...recoveryCodes] = (await setups.open(userId, field))?.split(" ") ?? [];
      return key === undefined ? undefined : { key, recoveryCodes };
    },
    sealRecoveryCodes: (userId) => renewals.seal(userId, createRecoveryCodes(count).join(" ")),
    openRecoveryCodes: async (userId, field) =>
      (await renewals.open(userId, field))?.split(" ") ?? createRecoveryCodes(count),
  };
}
