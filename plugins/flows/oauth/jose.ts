// As with oauth4webapi: by name, and imported when first used.
export { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from "jose";
