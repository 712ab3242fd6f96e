// Exported by name and imported on first use: a bundler can drop the rest, and an application that
// does not use OAuth never loads it.
export {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  customFetch,
  nopkce,
  skipStateCheck,
  validateAuthResponse,
} from "oauth4webapi";
