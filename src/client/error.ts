// Not an `AuthError`: that would bundle the server's error classes into the page.
/** The error of a request that got no response, or no usable one. The state of the session is unchanged. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly type = "ClientError";
  /** HTTP status of the response; 0 without a response. */
  readonly status: number;

  constructor(message: string, status = 0, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
  }
}
