/** Returns whether a method only reads (RFC 9110 section 9.2.1). Such requests have no body here. */
export function isSafeMethod(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
