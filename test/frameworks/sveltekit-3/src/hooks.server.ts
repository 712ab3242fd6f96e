import { sequence } from "@sveltejs/kit/hooks";
import { auth } from "./auth";

export const handle = sequence(
  // Like an application that lets caches store every response, but only for requests that ask for it.
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
