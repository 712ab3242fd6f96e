import type {
  PasskeyVerification,
  UserVerification,
  WebAuthnProvider,
} from "../../../src/index.ts";

/** Milliseconds that a person may take. */
const TIMEOUT = 300_000;
/** Ed25519, ECDSA on P-256, RSA: what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

function isDemanded(given: PasskeyVerification | undefined): boolean {
  return given?.requireUserVerification ?? true;
}

// What is demanded of the answer is asked for: else people would fail who did all they were asked.
function asked(given: UserVerification | undefined, isRequired: boolean): UserVerification {
  return isRequired ? "required" : (given ?? "preferred");
}

/** What a browser is asked for at a sign-in, and what its answer must show. */
export function signInSettings({
  authenticationOptions: { timeout = TIMEOUT, userVerification, extensions } = {},
  verifyAuthenticationOptions,
}: WebAuthnProvider) {
  const requireUserVerification = isDemanded(verifyAuthenticationOptions);
  return {
    ask: {
      timeout,
      userVerification: asked(userVerification, requireUserVerification),
      ...(extensions && { extensions }),
    },
    requireUserVerification,
  };
}

/** What a browser is asked for at a registration, and what its answer must show. */
export function registrationSettings({
  registrationOptions,
  verifyRegistrationOptions,
}: WebAuthnProvider) {
  const {
    timeout = TIMEOUT,
    authenticatorSelection,
    attestationType = "none",
    extensions,
  } = registrationOptions ?? {};
  const requireUserVerification = isDemanded(verifyRegistrationOptions);
  const supportedAlgorithmIDs = [...(registrationOptions?.supportedAlgorithmIDs ?? ALGORITHMS)];
  return {
    ask: {
      timeout,
      attestationType,
      supportedAlgorithmIDs,
      authenticatorSelection: {
        ...authenticatorSelection,
        // Nobody is asked for a name at a sign-in: what cannot be found without one is of no use.
        residentKey: "required" as const,
        userVerification: asked(authenticatorSelection?.userVerification, requireUserVerification),
      },
      ...(extensions && { extensions }),
    },
    requireUserVerification,
    supportedAlgorithmIDs,
  };
}
