import { CredentialsSignin, type ErrorLevel, SignInError } from "../../../src/errors.ts";

/** What the errors of a rate limit state in addition. */
export interface Limited {
  /** Seconds until attempts are admitted again. */
  readonly retryAfter: number;
  /** Whether the route sends its errors as JSON. */
  readonly json: boolean;
}

/** A rate limit refused the attempt, which was not made: after `retryAfter` seconds the next one is admitted. */
export class TooManyAttempts extends SignInError implements Limited {
  static override readonly type: string = "TooManyAttempts";
  static override readonly public: boolean = true;
  static override readonly status: number = 429;
  static override readonly level: ErrorLevel = "debug";
  readonly retryAfter: number;
  readonly json: boolean;

  constructor(message: string, { retryAfter, json }: Limited) {
    super(message);
    this.retryAfter = retryAfter;
    this.json = json;
  }
}

/**
 * A rate limit refused credentials, right or wrong: `authorize` was not called. It is a `CredentialsSignin` with
 * the code `rate_limited`, so that what handles wrong credentials handles it too.
 */
export class CredentialsLocked extends CredentialsSignin implements Limited {
  static override readonly status: number = 429;
  static override readonly level: ErrorLevel = "debug";
  override code = "rate_limited";
  readonly retryAfter: number;
  readonly json: boolean;

  constructor(message: string, { retryAfter, json }: Limited) {
    super(message);
    this.retryAfter = retryAfter;
    this.json = json;
  }
}
