/**
 * The server could not be asked, or gave no good answer. What was known before still stands.
 * A class of its own: the kernel's errors would bring the kernel into the page.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly type = "ClientError";
  /** HTTP status of the answer; 0 when none came. */
  readonly status: number;

  constructor(message: string, status = 0, options?: { cause?: unknown }) {
    super(message, options);
    this.status = status;
  }
}
