import type {
  PasskeyRegistrationOptions,
  PasskeyExtensions,
  PasskeyVerification,
  UserVerification,
  WebAuthnProvider,
} from "./provider.ts";

/** Milliseconds that the user may take. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** COSE algorithms that authenticators support: Ed25519, ECDSA on P-256, RSA. */
const ALGORITHMS = [-8, -7, -257];

function requiresUserVerification(given: PasskeyVerification | undefined): boolean {
  return given?.requireUserVerification ?? true;
}

// User verification that the response must have is also requested. Otherwise a user who did everything that was
// requested would be refused.
function getUserVerification(
  given: UserVerification | undefined,
  isRequired: boolean,
): UserVerification {
  return isRequired ? "required" : (given ?? "preferred");
}

/** The options of a sign-in, and the requirements for its response. */
export interface SignInSettings {
  options: {
    timeout: number;
    userVerification: UserVerification;
    extensions?: PasskeyExtensions;
  };
  requireUserVerification: boolean;
}

/** The options of a registration, and the requirements for its response. */
export interface RegistrationSettings {
  options: Omit<
    Required<PasskeyRegistrationOptions>,
    "extensions" | "supportedAlgorithmIDs" | "authenticatorSelection"
  > & {
    supportedAlgorithmIDs: number[];
    authenticatorSelection: NonNullable<PasskeyRegistrationOptions["authenticatorSelection"]> & {
      residentKey: "required";
      userVerification: UserVerification;
    };
    extensions?: PasskeyExtensions;
  };
  requireUserVerification: boolean;
  supportedAlgorithmIDs: number[];
  /** Whether the application requested attestations with certificates. */
  acceptsCertificates: boolean;
}

/** Returns the options of a sign-in, and the requirements for its response. */
export function signInSettings({
  authenticationOptions: { timeout = DEFAULT_TIMEOUT_MS, userVerification, extensions } = {},
  verifyAuthenticationOptions,
}: WebAuthnProvider): SignInSettings {
  const requireUserVerification = requiresUserVerification(verifyAuthenticationOptions);
  return {
    options: {
      timeout,
      userVerification: getUserVerification(userVerification, requireUserVerification),
      ...(extensions && { extensions }),
    },
    requireUserVerification,
  };
}

/** Returns the options of a registration, and the requirements for its response. */
export function registrationSettings({
  registrationOptions,
  verifyRegistrationOptions,
}: WebAuthnProvider): RegistrationSettings {
  const {
    timeout = DEFAULT_TIMEOUT_MS,
    authenticatorSelection,
    attestationType = "none",
    extensions,
  } = registrationOptions ?? {};
  const requireUserVerification = requiresUserVerification(verifyRegistrationOptions);
  const supportedAlgorithmIDs = [...(registrationOptions?.supportedAlgorithmIDs ?? ALGORITHMS)];
  return {
    options: {
      timeout,
      attestationType,
      supportedAlgorithmIDs,
      authenticatorSelection: {
        ...authenticatorSelection,
        // A sign-in does not ask for a name, so a passkey that is not discoverable would be unusable.
        residentKey: "required" as const,
        userVerification: getUserVerification(
          authenticatorSelection?.userVerification,
          requireUserVerification,
        ),
      },
      ...(extensions && { extensions }),
    },
    requireUserVerification,
    supportedAlgorithmIDs,
    acceptsCertificates: attestationType === "direct" || attestationType === "enterprise",
  };
}
