import { sequence } from "@sveltejs/kit/hooks";
import { auth } from "./auth";

export const handle = sequence(
  // As applications let caches store all responses. Here only if a request asks for it.
  async ({ event, resolve }) => {
    const response = await resolve(event);
    const isStored = event.request.headers.has("x-stored");
    if (isStored) response.headers.set("cache-control", "public, s-maxage=600");
    return response;
  },
  auth.handle,
  (input) =>
    input.event.route.id?.startsWith("/guarded") ? auth.guard(input) : input.resolve(input.event),
);
