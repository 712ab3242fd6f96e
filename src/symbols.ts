/** Set `skipCSRFCheck: skipCSRFCheck` where the framework around already checks the origin. */
export const skipCSRFCheck: unique symbol = Symbol("keyhook.skipCSRFCheck");

/** Key of a provider's own `fetch`, for proxies and tests: `{ [customFetch]: myFetch }`. */
export const customFetch: unique symbol = Symbol("keyhook.customFetch");
