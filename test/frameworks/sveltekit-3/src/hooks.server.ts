import { sequence } from "@sveltejs/kit/hooks";
import { auth } from "./auth";

export const handle = sequence(auth.handle, (input) =>
  input.event.route.id?.startsWith("/guarded") ? auth.guard(input) : input.resolve(input.event),
);
