// Exported by name and imported on first use: a bundler can drop the rest, and an application that
// does not use OAuth never loads it.
export {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  ClientSecretJwt,
  ClientSecretPost,
  customFetch,
  modifyAssertion,
  None,
  nopkce,
  PrivateKeyJwt,
  processAuthorizationCodeResponse,
  skipStateCheck,
  validateAuthResponse,
} from "oauth4webapi";
