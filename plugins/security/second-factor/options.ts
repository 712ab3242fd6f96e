import type { Awaitable, Login, User } from "../../../src/kernel.ts";

declare module "../../../src/types.ts" {
  interface EventMessages {
    /** A user has set up a second factor. */
    secondFactorAdded: { user: User };
    /** The second factor of a user was turned off, or removed by the application. */
    secondFactorRemoved: { user: User };
    /** A code was refused: another person may know the user's first factor. */
    secondFactorFailed: { user: User; error: Error };
  }
  interface Services {
    secondFactor: SecondFactor;
  }
}

/** Options of `secondFactor`. */
export interface SecondFactorOptions {
  /** Name of the application in authenticator apps, without a colon. Default: the host. */
  issuer?: string;
  /**
   * The users who must have a second factor: one without it sets it up before the first session. Default
   * `false`: the users who have set it up are asked for it.
   */
  required?: boolean | ((user: User) => Awaitable<boolean>);
  /**
   * Whether a login needs no second factor, also where one is `required`. Default: sign-ins by passkey, which
   * are two factors in one, unless the provider sets `requireUserVerification: false`.
   */
  skip?(login: Login): Awaitable<boolean>;
  /** Number of recovery codes, 1 to 100. Default 10. */
  recoveryCodes?: number;
  /**
   * Number of codes before and after the current one that are accepted, 0 to 10; each is of 30 seconds. It
   * tolerates clocks that differ. Default 1.
   */
  window?: number;
}

/** The service `secondFactor`, which other plugins get by `kernel.use("secondFactor")`. */
export interface SecondFactor {
  /**
   * Resolves to whether a user has a second factor.
   * @throws StoreError when that cannot be read.
   */
  has(userId: string): Promise<boolean>;
  /**
   * Removes the second factor of a user who has lost it, or was deleted. Resolves to whether there was one.
   * @throws StoreError when the store fails.
   */
  remove(userId: string): Promise<boolean>;
}
