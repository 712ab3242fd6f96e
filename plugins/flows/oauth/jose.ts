// Exported by name and imported on first use: a bundler can drop the rest.
export { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from "jose";
