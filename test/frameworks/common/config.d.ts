import type { AuthConfig } from "keyhook/types";

/** The configuration of the applications of this folder: a password, and an OpenID provider. */
export declare const config: AuthConfig;
