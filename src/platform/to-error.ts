/** Returns what was thrown as an error. The text of one that is made here does not state the value, which may be secret. */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error("The thrown value is not an Error.", { cause: thrown });
}
