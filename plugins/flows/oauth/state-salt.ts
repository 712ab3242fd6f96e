/**
 * Salt of the `state` that a redirect proxy opens; the same as in Auth.js, so that its deployments
 * can be mixed with ours.
 */
export const STATE_SALT = "encodedState";
