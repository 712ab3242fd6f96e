import type { AuthContext, User } from "../../../src/kernel.ts";
import type { Factors } from "./factors.ts";
import type { Offers } from "./offers.ts";
import type { Settings } from "./settings.ts";

/** What the handlers of one kernel share. */
export interface Parts {
  readonly settings: Settings;
  readonly factors: Factors;
  readonly offers: Offers;
  /** Removes a user's second factor, and reports it. Resolves to whether there was one. */
  remove(user: User, ctx?: AuthContext): Promise<boolean>;
}
