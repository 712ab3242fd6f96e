import type { Application } from "./_application.ts";
import type { Scenario, Step } from "./_run.ts";

const ADA = "ada@example.com";
const EVE = "eve@example.com";
const RETURN = { "x-auth-return-redirect": "1" };
const READ: Step = ["get", "session"];
const OUT: Step = ["post", "signout"];
const OP: readonly Step[] = [["post", "signin/op"], ["consent"]];

const register = (email = ADA): readonly Step[] => [
  ["options", { action: "register", email }],
  ["passkey", "register"],
];
const ENTER: readonly Step[] = [
  ["options", { action: "authenticate" }],
  ["passkey", "authenticate"],
];

const apps: Record<string, Application> = {
  stored: { strategy: "stored", passkey: {} },
  database: { strategy: "database", passkey: {} },
};

const later = (time: string) => ({ counter: Number(time) });

/** Scenarios with passkeys that both libraries run. */
export const passkeys: readonly Scenario[] = Object.entries(apps).flatMap(
  ([kind, app]): Scenario[] => [
    {
      name: `a new user by a passkey (${kind})`,
      app,
      steps: [...register(), READ, OUT, ...ENTER, READ, ...ENTER, READ, OUT],
    },
    {
      name: `a passkey of a user who is signed in (${kind})`,
      app,
      steps: [
        ...OP,
        ["options", { action: "register" }],
        ["passkey", "register"],
        READ,
        ["options", { action: "register" }],
        ["passkey", "register"],
        OUT,
        ...ENTER,
        READ,
      ],
    },
    {
      name: `options (${kind})`,
      app,
      steps: [
        ["options", {}],
        ["options", { email: ADA }],
        ["options", { action: "register" }],
        ["options", { action: "register", email: ADA, name: "Ada" }],
        ["options", { action: "authenticate", email: ADA }],
        ["options", { action: "other", email: ADA }],
        ...register(),
        ["options", {}],
        ["options", { action: "register" }],
        ["options", { action: "register", email: EVE }],
        ["options", { action: "authenticate" }],
        OUT,
        ["options", { email: ADA }],
        ["options", { action: "register", email: ADA }],
        ["options", { action: "authenticate", email: ADA }],
        ["get", "webauthn-options/op"],
        ["get", "webauthn-options/none"],
        ["get", "webauthn-options"],
        ["post", "webauthn-options/passkey"],
        ["get", "signin/passkey"],
        ["post", "signin/passkey"],
        ["get", "callback/passkey"],
        ["get", "providers"],
        ["get", "signin"],
      ],
    },
    {
      name: `responses that fit no challenge (${kind})`,
      app,
      steps: [
        ...register(),
        OUT,
        ...ENTER,
        OUT,
        ["replay"],
        READ,
        ["passkey", "authenticate"],
        READ,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { clientData: { challenge: "x".repeat(43) } }],
        ["options", { action: "authenticate" }],
        ["cookie", "authjs.challenge", undefined],
        ["passkey", "authenticate"],
        ["options", { action: "authenticate" }],
        ["cookie", "authjs.challenge", "junk"],
        ["passkey", "authenticate"],
        ["options", { action: "authenticate" }],
        ["wait", 1000],
        ["passkey", "authenticate"],
        ["options", { action: "register", email: EVE }],
        ["passkey", "authenticate"],
        ["options", { action: "authenticate" }],
        ["browser", "second"],
        ["passkey", "authenticate"],
        READ,
      ],
    },
    {
      name: `responses that are not valid (${kind})`,
      app,
      steps: [
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { clientData: { origin: "https://evil.example" } }],
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { clientData: { type: "webauthn.get" } }],
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { rpId: "evil.example" }],
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { flags: (flags) => flags & ~0x04 }],
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { json: () => "{" }],
        ...register(),
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { clientData: { origin: "https://evil.example" } }],
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { signature: (bytes) => bytes.with(-1, 1) as never }],
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { flags: (flags) => flags & ~0x04 }],
        ["options", { action: "authenticate" }],
        [
          "passkey",
          "authenticate",
          { json: (answer) => ({ ...answer, id: "AAAA", rawId: "AAAA" }) },
        ],
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { json: () => "text" }],
        ["post", "callback/passkey"],
        ["post", "callback/passkey", { action: "other", data: "{}" }],
        ["post", "callback/passkey", { action: "authenticate" }],
        ["post", "callback/passkey", { action: "authenticate", data: "{" }],
        ["post", "callback/passkey", { action: "authenticate", data: "{" }, RETURN],
        ["post", "callback/passkey", { action: "authenticate", data: "{}", csrfToken: "wrong" }],
        READ,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { userHandle: null }],
      ],
    },
    {
      name: `counters (${kind})`,
      app: { ...app, passkeyCounts: true },
      steps: [
        ...register(),
        OUT,
        ...ENTER,
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", later("9")],
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", later("9")],
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", later("3")],
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", later("10")],
        READ,
      ],
    },
    {
      name: `two users (${kind})`,
      app,
      steps: [
        ...register(),
        OUT,
        ...register(EVE),
        READ,
        // The passkey of another user than the one who is signed in.
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", {}, {}, 0],
        READ,
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", {}, {}, 0],
        READ,
        ["browser", "second"],
        ["options", { action: "register", email: "bob@example.com" }],
        ["browser", "first"],
        ...register("bob@example.com"),
      ],
    },
    {
      name: `an address of a user of another provider (${kind})`,
      app,
      steps: [...OP, OUT, ["options", { email: ADA }], ...register(), READ],
    },
    {
      name: `a registration while the user signs out (${kind})`,
      app,
      steps: [...OP, ["options", { action: "register" }], OUT, ["passkey", "register"], READ],
    },
    {
      name: `a registration of a visitor who has signed in since (${kind})`,
      app,
      steps: [
        ["options", { action: "register", email: EVE }],
        ...OP,
        ["passkey", "register"],
        READ,
      ],
    },
    {
      name: `passkeys, signIn callback refuses (${kind})`,
      app: {
        ...app,
        answers: {
          signIn: ({ account }: { account: { type: string } }) => account.type !== "webauthn",
        },
      },
      steps: [
        ...register(),
        READ,
        ...OP,
        ["options", { action: "register" }],
        ["passkey", "register"],
        OUT,
        ...ENTER,
        READ,
      ],
    },
    {
      name: `passkeys, signIn callback returns a URL (${kind})`,
      app: { ...app, answers: { signIn: () => "/welcome" } },
      steps: register(),
    },
    {
      name: `passkeys and pages (${kind})`,
      app: {
        ...app,
        config: () => ({ pages: { newUser: "/new", signIn: "/login", error: "/oops" } }),
      },
      steps: [
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", {}, { callbackUrl: "/home" }],
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", {}, { callbackUrl: "/home" }],
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", {}, { callbackUrl: "https://evil.example" }],
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { rpId: "evil.example" }],
        ["post", "callback/passkey", { action: "other" }],
      ],
    },
    {
      name: `passkeys of an application's own settings (${kind})`,
      app: {
        ...app,
        passkey: {
          id: "passkey",
          name: "Key",
          enableConditionalUI: false,
          relayingParty: { id: "localhost", name: "The App", origin: "http://localhost:3000" },
          formFields: { email: { label: "Mail" }, name: { label: "Name" } },
          authenticationOptions: { timeout: 1000, userVerification: "preferred" },
          registrationOptions: {
            timeout: 2000,
            authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
          },
          verifyAuthenticationOptions: { requireUserVerification: false },
          verifyRegistrationOptions: { requireUserVerification: false },
        },
      },
      steps: [
        ["get", "signin"],
        ["get", "providers"],
        ["options", { action: "register", email: ADA }],
        ["passkey", "register", { flags: (flags) => flags & ~0x04 }],
        READ,
        OUT,
        ["options", { action: "authenticate" }],
        ["passkey", "authenticate", { flags: (flags) => flags & ~0x04 }],
        READ,
      ],
    },
    {
      name: `users of the application (${kind})`,
      app: {
        ...app,
        passkey: {
          getUserInfo: async (
            { adapter }: { adapter: { getUserByEmail(email: string): Promise<object | null> } },
            { query }: { query: Record<string, string> },
          ) => {
            if (!query.nick) return null;
            const email = `${query.nick}@example.com`;
            const user = await adapter.getUserByEmail(email);
            return user
              ? { user, exists: true }
              : { user: { email, name: query.nick }, exists: false };
          },
          formFields: { nick: { label: "Nick", autocomplete: "username webauthn" } },
        },
      },
      steps: [
        ["options", { nick: "ada" }],
        ["options", { action: "register" }],
        ["options", { action: "register", nick: "ada" }],
        ["passkey", "register"],
        READ,
        OUT,
        ["options", { action: "register", nick: "ada" }],
        ["options", { nick: "ada" }],
        ...ENTER,
        READ,
      ],
    },
    {
      name: `a relying party of the application (${kind})`,
      app: {
        ...app,
        passkey: {
          getRelayingParty: ({ url }: { url: URL }) => ({
            id: url.hostname,
            name: "The App",
            origin: url.origin,
          }),
        },
      },
      steps: [...register(), READ, OUT, ...ENTER, READ],
    },
    {
      name: `an address of a user with a passkey, at a provider (${kind})`,
      app,
      steps: [...register(), OUT, ...OP, READ, ["post", "signin/trusted"], ["consent"], READ],
    },
    {
      name: `passkeys together with links by e-mail (${kind})`,
      app: { ...app, mail: {} },
      steps: [["options", { action: "register", email: ADA }]],
    },
    {
      name: `passkeys on https (${kind})`,
      app: { ...app, origin: "https://app.example" },
      steps: [...register(), READ, OUT, ...ENTER, READ],
    },
  ],
);

/** Registrations and sign-ins, with the step from which the other library gets the requests. */
export const passkeyMoves: readonly (readonly [scenario: Scenario, step: number])[] =
  Object.entries(apps).flatMap(([kind, app]) =>
    ([undefined, "next-auth"] as const).flatMap((script) =>
      [
        { name: "a new user", steps: register() },
        {
          name: "a user who is signed in",
          steps: [...OP, ["options", { action: "register" }], ["passkey", "register"]] as Step[],
        },
      ].map(({ name, steps }): readonly [Scenario, number] => [
        {
          name: `${name} with the script of ${script ?? "each library"} (${kind})`,
          app: { ...app, ...(script && { script }) },
          steps: [...steps, READ, OUT, ...ENTER, READ, OUT, ...ENTER, READ],
        },
        steps.length + 2,
      ]),
    ),
  );
