import type { Awaitable, Login, User } from "../../../src/kernel.ts";

declare module "../../../src/types.ts" {
  interface EventMessages {
    /** A user has set up a second factor. */
    secondFactorAdded: { user: User };
    /** The second factor of a user was turned off, or removed by the application. */
    secondFactorRemoved: { user: User };
    /** A code was refused. Another person may know the user's first factor. */
    secondFactorFailed: { user: User; error: Error };
    /** A code of the authenticator app was accepted at a sign-in. */
    secondFactorPassed: { user: User };
    /**
     * A recovery code was accepted at a sign-in instead of a code of the app. Tell the user, because another person may
     * have the codes.
     */
    recoveryCodeUsed: { user: User };
    /** A user has replaced the recovery codes. */
    recoveryCodesRenewed: { user: User };
  }
  interface Services {
    /** The second factors of users, for other plugins. */
    secondFactor: SecondFactor;
  }
}

/** Options of `secondFactor`. */
export interface SecondFactorOptions {
  /** Name of the application in authenticator apps, without a colon. Default: the host. */
  issuer?: string;
  /**
   * The users who must have a second factor. A user without one sets it up before the first session. Default `false`:
   * only users who have set it up are asked for it. A function must return a boolean: with anything else, the sign-in
   * fails with `PluginError`.
   */
  required?: boolean | ((user: User) => Awaitable<boolean>);
  /**
   * Whether a login needs no second factor, even if it is `required`. Default: sign-ins by passkey, which combine two
   * factors, unless the provider sets `requireUserVerification: false`. It must return a boolean, as for `required`.
   */
  skip?(login: Login): Awaitable<boolean>;
  /** Number of recovery codes, 1 to 100. Default 10. */
  recoveryCodes?: number;
  /**
   * Number of accepted codes before and after the current one, 0 to 10. Each code is valid for 30 seconds. A larger
   * window tolerates clocks that differ. Default 1.
   */
  window?: number;
}

/** The service `secondFactor`, available to other plugins as `kernel.use("secondFactor")`. */
export interface SecondFactor {
  /**
   * Resolves to whether a user has a second factor.
   * @throws StoreError when the store cannot be read.
   */
  has(userId: string): Promise<boolean>;
  /**
   * Removes the second factor of a user who has lost it, or who was deleted. Resolves to whether there was one.
   * @throws StoreError when the store fails.
   */
  remove(userId: string): Promise<boolean>;
}
