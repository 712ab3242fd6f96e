/** Returns a thrown value as an error. The text of a new error does not contain the value, which may be secret. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error("The thrown value is not an Error.", { cause: thrown });
}
