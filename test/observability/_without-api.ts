import { registerHooks } from "node:module";
import type { AuthError } from "../../src/errors.ts";

// Runs in a separate process, in which the package cannot be found.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@opentelemetry/api") throw new Error("not found");
    return next(specifier, context);
  },
});

const { createTestAuth } = await import("../_app.ts");
const { openTelemetry } = await import("../../plugins/observability/opentelemetry.ts");
const { browser, log } = createTestAuth({ use: [openTelemetry()], errors: "allowed" });
const { status } = await browser.get("/auth/session");
const error = log.errors[0] as AuthError;
console.log(JSON.stringify({ status, type: error.type, cause: error.cause?.err?.message }));
