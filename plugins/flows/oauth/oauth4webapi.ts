// By name, and imported when first used: a bundler can leave out the rest, and an application whose
// people sign in otherwise never loads it.
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
