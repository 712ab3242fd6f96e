import type { Mutants } from "../_mutant.ts";

export const WEBAUTHN: readonly Mutants[] = [
  {
    file: "plugins/flows/webauthn/challenge.ts",
    tests: ["test/flows/webauthn.test.ts", "test/attack/passkeys.test.ts"],
    edits: [
      ["a challenge of another provider is accepted", " && check.provider === ctx.provider.id", ""],
      [
        "a challenge is accepted any number of times",
        `if (!(await ctx.kernel.useOnce("webauthn", challenge)))`,
        "if (!challenge)",
      ],
      [
        "a response to another challenge of the browser is accepted",
        " && timingSafeEqual(one.challenge, challenge)",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/finish.ts",
    tests: ["test/flows/webauthn.test.ts"],
    edits: [
      [
        "a challenge is accepted for another action",
        "if (ceremony.action !== action) throw",
        "if (!ceremony.action) throw",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/authenticate.ts",
    tests: [
      "test/flows/webauthn-steps.test.ts",
      "test/flows/webauthn-store.test.ts",
      "test/flows/webauthn.test.ts",
      "test/attack/passkeys.test.ts",
      "test/spec/linking.test.ts",
    ],
    edits: [
      [
        "the owner of the account is not compared with that of the passkey",
        "if (!owner || String(owner.id) !== String(userId)) {",
        "if (!owner) {",
      ],
      [
        "the user handle is not compared",
        "if (isRandomHandle(posted) || timingSafeEqual(own, posted)) return true;",
        "if (isRandomHandle(posted) || own) return true;",
      ],
      [
        "a handle that another script has encoded is refused",
        "own: string, encodings = 2)",
        "own: string, encodings = 1)",
      ],
      ["a response without a handle is accepted", "    if (isNamed) return;\n", "    return;\n"],
      [
        "the result of the verification is ignored",
        "if (!isValid) throw",
        "if (isValid === null) throw",
      ],
      [
        "another credential than the registered one is accepted",
        "authenticationInfo.credentialDeviceType !== passkey.credentialDeviceType",
        "!authenticationInfo",
      ],
      [
        "a passkey of another user confirms the action",
        "if (isNamed && String(owner.id) !== ceremony.userId) {",
        "if (!owner) {",
      ],
      [
        "copies of a passkey are used concurrently",
        "if (!isRecorded) throw",
        "if (isRecorded === 0) throw",
      ],
      [
        "the client data is not checked",
        `checkClientData(clientData, { type: "webauthn.get", origins });`,
        "",
      ],
      ["an unknown passkey creates a user", `    expects: "known",\n`, ""],
    ],
  },
  {
    file: "plugins/flows/webauthn/register.ts",
    tests: [
      "test/flows/webauthn-steps.test.ts",
      "test/flows/webauthn.test.ts",
      "test/flows/webauthn-store.test.ts",
      "test/spec/linking.test.ts",
      "test/attack/passkeys.test.ts",
      "test/spec/addresses.test.ts",
    ],
    edits: [
      [
        "the client data is not checked",
        `checkClientData(clientData, { type: "webauthn.create", origins });`,
        "",
      ],
      [
        "the attestation is not parsed before the library",
        "checkAttestation(bytes, acceptsCertificates);",
        "",
      ],
      [
        "another credential than the posted one is stored",
        "if (credential.id !== posted.id) throw",
        "if (!credential.id) throw",
      ],
      [
        "a known credential is registered",
        "if (known || ceremony.isKnown) {",
        "if (ceremony.isKnown) {",
      ],
      ["a known user is registered", "if (known || ceremony.isKnown) {", "if (known) {"],
      ["any number of transports is stored", "named.slice(0, MAX_TRANSPORTS)", "named"],
      ["a registration signs in as a stored user", `    expects: "new",\n`, ""],
      [
        "an address that a visitor has typed counts as unreported",
        "    ...(newUser && { emailVerified: false }),\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/attestation.ts",
    tests: ["test/attack/attestation.test.ts", "test/flows/webauthn-steps.test.ts"],
    edits: [
      [
        "certificates are verified although no option requires it",
        "if (!isAsked) {",
        "if (!format) {",
      ],
      ["any format is verified", "!CERTIFIED.includes(format)", `format === ""`],
      ["any number of certificates is verified", " && chain.length <= MAX_CERTIFICATES", ""],
      ["certificates of any size are verified", " && value.length <= MAX_CERTIFICATE_BYTES", ""],
      [
        "revocation lists are fetched",
        "if (chain.some((one) => includesBytes(one, CRL_DISTRIBUTION_POINTS))) {",
        "if (!chain) {",
      ],
      [
        "revocation lists of other certificates than the first are fetched",
        "chain.some((one) =>",
        "chain.slice(0, 1).some((one) =>",
      ],
      [
        "a self attestation of another algorithm is accepted",
        `if (statement.get("alg") === key.get(ALGORITHM)) return;`,
        "return;",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/authenticator-data.ts",
    tests: ["test/flows/webauthn-steps.test.ts"],
    edits: [
      [
        "trailing bytes are accepted",
        "if (end !== bytes.length) throw",
        "if (end > bytes.length) throw",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/cbor.ts",
    tests: ["test/flows/webauthn-cbor.test.ts"],
    edits: [
      [
        "CBOR may nest to any depth",
        "if (++cursor.depth > MAX_DEPTH) throw malformed();",
        "++cursor.depth;",
      ],
      [
        "CBOR may have any number of items",
        "if (++cursor.items > MAX_ITEMS) throw malformed();",
        "",
      ],
      ["a member may occur twice", " || map.has(key)", ""],
      ["bytes are read beyond their end", "if (end > cursor.bytes.length) throw malformed();", ""],
      [
        "trailing bytes of CBOR are accepted",
        "if (end !== bytes.length) throw",
        "if (end > bytes.length) throw",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/public-key.ts",
    tests: ["test/flows/webauthn-steps.test.ts"],
    edits: [
      ["a key for PS256 may have any type", "  [-37, [KTY_RSA]],\n", ""],
      ["a weak RSA key is accepted", "bits < MIN_RSA_BITS || ", ""],
      ["a huge RSA key is accepted", " || bits > MAX_RSA_BITS", ""],
      ["a key with the exponent 1 lets anyone sign", "exponent < 3 || ", ""],
      ["a signature with trailing bytes is accepted", "end !== signature.length || ", ""],
      [
        "a key of another type than its algorithm is accepted",
        "key.get(KEY_TYPE) !== type || ",
        "",
      ],
      ["a key of another curve is accepted", "(crv && key.get(CURVE) !== curve)", "false"],
      [
        "a key that is not a point of its curve is accepted",
        "await crypto.subtle.importKey",
        "void crypto.subtle.importKey",
      ],
      [
        "a key with members of other kinds is accepted",
        "if (![...key].every(isPlain)) throw",
        "if (!key) throw",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/response.ts",
    tests: ["test/flows/webauthn-steps.test.ts", "test/flows/webauthn.test.ts"],
    edits: [
      [
        "a ceremony of another type is accepted",
        "if (type !== expected.type) throw",
        "if (!expected.type) throw",
      ],
      ["a ceremony of another origin is accepted", "|| !expected.origins.includes(origin)", ""],
      [
        "a ceremony in a frame of another site is accepted",
        "if (crossOrigin !== undefined && crossOrigin !== false) {",
        "if (crossOrigin === null) {",
      ],
      [
        "a ceremony below another top-level origin is accepted",
        "if (topOrigin !== undefined) throw",
        "if (topOrigin === null) throw",
      ],
      [
        "a credential id of any length is accepted",
        "bytes.length > MAX_CREDENTIAL_ID_BYTES ||",
        "",
      ],
      ["the two ids of a response may differ", "id !== rawId ||", ""],
    ],
  },
  {
    file: "plugins/flows/webauthn/options.ts",
    tests: [
      "test/flows/webauthn.test.ts",
      "test/attack/passkeys.test.ts",
      "test/kernel/fresh-session.test.ts",
      "test/flows/webauthn-store.test.ts",
      "test/security/rate-limit-passkeys.test.ts",
    ],
    edits: [
      [
        "a second address bypasses the limit of registrations",
        "if (new Set(names).size < names.length) return",
        "if (new Set(names).size > names.length) return",
      ],
      [
        "another site replaces the challenges of a browser",
        `if (site === "cross-site" || site === "same-site") return`,
        `if (site === "none?") return`,
      ],
      [
        "a registration is possible although it is turned off",
        "if (!isOpen(ctx.kernel, provider)) return undefined;",
        "",
      ],
      ["a passkey is added in an old session", "if (current) await checkFreshness(ctx);", ""],
    ],
  },
  {
    file: "plugins/flows/webauthn/account.ts",
    tests: ["test/kernel/fresh-session.test.ts", "test/flows/webauthn-account.test.ts"],
    edits: [
      [
        "a passkey is removed in an old session",
        "if (await ctx.kernel.strategy.current(ctx)) await checkFreshness(ctx);",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/passkeys.ts",
    tests: ["test/flows/webauthn-account.test.ts", "test/flows/webauthn-store.test.ts"],
    edits: [
      [
        "a passkey of another user is removed",
        `if (!found) return "not-found";`,
        `if (!id) return "not-found";`,
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/settings.ts",
    tests: ["test/flows/webauthn-steps.test.ts", "test/flows/webauthn.test.ts"],
    edits: [
      [
        "authenticators are not asked for the attestation that the application requires",
        "      attestationType,\n      supportedAlgorithmIDs,",
        "      supportedAlgorithmIDs,",
      ],
      [
        "any authenticator may be registered although the application requires a kind",
        "        ...authenticatorSelection,\n",
        "",
      ],
      [
        "no user has to unlock the authenticator",
        "return given?.requireUserVerification ?? true;",
        "return given?.requireUserVerification ?? false;",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn/resolve.ts",
    tests: [
      "test/flows/webauthn-boot.test.ts",
      "test/flows/webauthn.test.ts",
      "test/attack/passkeys.test.ts",
    ],
    edits: [
      [
        "passkeys that can never sign in are registered",
        "return isUsable\n    ? []",
        "return isUsable || ids\n    ? []",
      ],
      [
        "strangers register passkeys for addresses that their owners cannot take back",
        "return !hasEmailSignIn(kernel) || kernel.adapter?.revokeUserAccess !== undefined;",
        "return true;",
      ],
      [
        "requests choose the origin of passkeys that other hosts can request",
        "    findOriginFault(kernel, provider),\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/webauthn.ts",
    tests: ["test/security/rate-limit-passkeys.test.ts"],
    edits: [
      [
        "registrations of an address are counted by the first field of the form",
        `const isAddress = !getUserInfo || Object.hasOwn(formFields, "email");`,
        `const isAddress = Object.keys(formFields)[0] === "email";`,
      ],
      [
        "registrations by a function of the application are counted by the first field of the form",
        `const isAddress = !getUserInfo || Object.hasOwn(formFields, "email");`,
        `const isAddress = !getUserInfo || Object.keys(formFields)[0] === "email";`,
      ],
      [
        "registrations of an address that is not in the form are counted by another field",
        `const isAddress = !getUserInfo || Object.hasOwn(formFields, "email");`,
        `const isAddress = Object.hasOwn(formFields, "email");`,
      ],
      [
        "registrations are counted by an address that is not a field of the form",
        `const isAddress = !getUserInfo || Object.hasOwn(formFields, "email");`,
        "const isAddress = true;",
      ],
    ],
  },
];
