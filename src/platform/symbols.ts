// Registered: a plugin may have brought another copy of this package.

/**
 * The value of the option `skipCSRFCheck`: `{ skipCSRFCheck: skipCSRFCheck }` disables the CSRF check, for use if the
 * surrounding framework already checks the origin.
 */
export const skipCSRFCheck: unique symbol = Symbol.for("keyhook.skipCSRFCheck");

/** The key of a provider's own `fetch`, for proxies and tests: `{ [customFetch]: myFetch }`. */
export const customFetch: unique symbol = Symbol.for("keyhook.customFetch");

/** The key of the name that a provider's definition has, as opposed to a name that the application sets. */
export const definedName: unique symbol = Symbol.for("keyhook.definedName");
