import { CredentialsSignin, type ErrorLevel, SignInError } from "../../../src/errors.ts";

/** A rate limit refused the attempt, which was not made. */
export class TooManyAttempts extends SignInError {
  static override readonly type: string = "TooManyAttempts";
  static override readonly public: boolean = true;
  static override readonly status: number = 429;
  static override readonly level: ErrorLevel = "debug";
  /** Seconds until attempts are admitted again. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/**
 * A rate limit refused credentials, right or wrong; `authorize` was not called. It is a `CredentialsSignin` with the
 * code `rate_limited`, so code that handles wrong credentials handles it too.
 */
export class CredentialsLocked extends CredentialsSignin {
  static override readonly status: number = 429;
  static override readonly level: ErrorLevel = "debug";
  override code = "rate_limited";
  /** Seconds until attempts are admitted again. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
