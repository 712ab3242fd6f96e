/** A native application: a public client, which has no secret that its users could not read. */
export interface NativeApp {
  /** Name of the app, as its users know it, at most 100 characters: the page that asks them and the list of their sessions show it. */
  name: string;
  /**
   * Where the browser may be led with the code, compared character by character: a scheme of the app's own, the reversed name
   * of a domain (`com.acme.app:/signed-in`), an https URL that the system leads to the app (`https://app.acme.com/signed-in`),
   * or `http://127.0.0.1/` or `http://[::1]/` with any path, of which the app may use any port.
   */
  redirectUris?: readonly string[];
  /** Whether users may sign in on devices without a browser, by a code that they type elsewhere (RFC 8628). Default `false`. */
  device?: boolean;
}

/** Options of `nativeApps`. */
export interface NativeAppsOptions {
  /** The apps by `client_id`: letters, digits and `. _ ~ -`, at most 100. */
  apps: Readonly<Record<string, NativeApp>>;
}
