import { MissingRequest } from "../errors/errors.ts";

/** Returns the error for a value that is not a web-standard request, such as a Node request or nothing at all. */
export function findRequestFault(value: unknown): MissingRequest | undefined {
  const request = value as Partial<Request> | null | undefined;
  if (typeof request?.headers?.get === "function" && "url" in request) {
    return undefined;
  }
  return new MissingRequest(
    "Pass the Request, or the event that has it, as the first argument. Node.js requests need keyhook/express, " +
      "/fastify or /node.",
  );
}
