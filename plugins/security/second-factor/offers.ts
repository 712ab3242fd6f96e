import type { Kernel } from "../../../src/kernel.ts";
import { createRecoveryCodes } from "./recovery-codes.ts";
import { createSealedTexts } from "./sealed-texts.ts";
import { createKey } from "./totp.ts";

/** A key with its recovery codes. They become the user's once the key's first code is posted. */
export interface SetupOffer {
  readonly key: string;
  readonly recoveryCodes: readonly string[];
}

/**
 * The offers of a page, sealed in a field of its form. Nothing is stored before the code is posted. If a double click
 * posts a form twice, the browser shows only the second response, so both show the same recovery codes.
 */
export interface Offers {
  createSetup(): Promise<SetupOffer>;
  sealSetup(userId: string, offer: SetupOffer): Promise<string>;
  /** Resolves to `undefined` for a field that was not created here for this user, or is too old. */
  openSetup(userId: string, field: string): Promise<SetupOffer | undefined>;
  /** Resolves to the field of a form that replaces the recovery codes. */
  sealRecoveryCodes(userId: string): Promise<string>;
  /** Resolves to the recovery codes in the form, or to new codes if the field does not contain any. */
  openRecoveryCodes(userId: string, field: string): Promise<readonly string[]>;
}

/** Seconds within which the code must be posted. */
const MAX_AGE_S = 15 * 60;

/** Creates the functions. A user gets `count` recovery codes. */
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
