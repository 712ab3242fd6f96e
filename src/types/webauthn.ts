import type { Adapter } from "./adapter.ts";
import type { User } from "./models.ts";

/** Who asks a browser for passkeys; the first of several is the one that is named. */
export interface RelyingPartyOptions {
  /** The host, or a parent domain that shares its passkeys. Default: the host of the public URL. */
  id?: string | readonly string[];
  /** What an authenticator shows. Default: the host with its port. */
  name?: string | readonly string[];
  /** Where answers may come from. Default: the public origin. */
  origin?: string | readonly string[];
}

/** Who asks a browser for passkeys. */
export interface RelyingParty {
  id: string;
  name: string;
  /** Where answers may come from. */
  origin: string | readonly string[];
}

/** What a passkey provider's functions are told of the application. */
export interface PasskeyInquiry<P = object> {
  provider: P;
  adapter: Adapter;
  /** The request's URL on the public origin. */
  url: URL;
}

/** What a passkey provider's functions are told of the request. */
export interface PasskeyRequest {
  method: string;
  url: URL;
  headers: Headers;
  /** The form's fields, and `action`. */
  query: Readonly<Record<string, string>>;
}

/** Who wants to register a passkey. `exists`: they are stored already, and must sign in first. */
export interface PasskeyPerson {
  user: User;
  exists: boolean;
}

/** How much an authenticator must know of who holds it. */
export type UserVerification = "required" | "preferred" | "discouraged";

/** What a browser is asked for, at a sign-in. */
export interface PasskeySignInOptions {
  /** Milliseconds a person may take. Default 300000. */
  timeout?: number;
  /** Default `required`. */
  userVerification?: UserVerification;
  extensions?: AuthenticationExtensionsClientInputs;
}

/** What a browser is asked for, at a registration. */
export interface PasskeyRegistrationOptions {
  /** Milliseconds a person may take. Default 300000. */
  timeout?: number;
  /** A passkey can always be found without a name: `residentKey` is `required` whatever is said. */
  authenticatorSelection?: {
    authenticatorAttachment?: "platform" | "cross-platform";
    residentKey?: "required" | "preferred" | "discouraged";
    /** Default `required`. */
    userVerification?: UserVerification;
  };
  /** Default `none`. What comes with another one is verified, and then not looked at. */
  attestationType?: "none" | "direct" | "enterprise";
  /** COSE algorithms in order of preference. Default -8, -7, -257. */
  supportedAlgorithmIDs?: readonly number[];
  extensions?: AuthenticationExtensionsClientInputs;
}

/** What is demanded of an answer. */
export interface PasskeyVerification {
  /** Whether a fingerprint, a PIN or the like must have been asked for. Default `true`. */
  requireUserVerification?: boolean;
}
