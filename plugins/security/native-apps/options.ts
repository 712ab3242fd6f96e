/** A native application: a public client, which has no secret because its users could read it. */
export interface NativeApp {
  /** Name of the app, at most 100 characters. The consent page and the list of sessions show it. */
  name: string;
  /**
   * Where the browser may be redirected with the code, compared character by character:
   * - a private scheme with a reversed domain name (`com.acme.app:/signed-in`)
   * - an https URL that the system opens in the app (`https://app.acme.com/signed-in`)
   * - `http://127.0.0.1/` or `http://[::1]/` with any path; the app may use any port
   */
  redirectUris?: readonly string[];
  /**
   * Whether users may sign in on devices without a browser, by a code that they type on another device (RFC 8628).
   * Default `false`.
   */
  device?: boolean;
}

/** Options of `nativeApps`. */
export interface NativeAppsOptions {
  /** The apps by `client_id`: letters, digits and `. _ ~ -`, at most 100 characters. */
  apps: Readonly<Record<string, NativeApp>>;
}
