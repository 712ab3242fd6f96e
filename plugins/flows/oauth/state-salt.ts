/**
 * Salt of the `state` that a redirect proxy opens. The same as in Auth.js, so that deployments of both can be mixed.
 */
export const STATE_SALT = "encodedState";
