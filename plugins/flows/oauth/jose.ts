// Exported by name and imported on first use, as oauth4webapi.
export { createLocalJWKSet, decodeProtectedHeader, errors, jwtVerify } from "jose";
