import { defineMiddleware, sequence } from "astro:middleware";
import { auth } from "./auth";

const guard = defineMiddleware((context, next) =>
  context.routePattern.startsWith("/guarded") ? auth.guard(context, next) : next(),
);

export const onRequest = sequence(auth.onRequest, guard);
