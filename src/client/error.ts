// Not an `AuthError`: that would bundle the server's error classes into the page.
/**
 * The error of a request that got no response, an unusable response, or one that reports an error. The state of the
 * session is unchanged.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** The `type` of the server's error, such as `SessionRequired`; `ClientError` if the server sent none. */
  readonly type: string;
  /** HTTP status of the response; 0 without a response. */
  readonly status: number;

  constructor(message: string, status = 0, options: { cause?: unknown; type?: string } = {}) {
    super(message, options);
    this.status = status;
    this.type = options.type ?? "ClientError";
  }
}
