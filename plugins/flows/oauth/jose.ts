// Exported by name, so that a bundler can drop the rest, and imported on first use.
export { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from "jose";
