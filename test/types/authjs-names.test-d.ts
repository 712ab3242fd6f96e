import type { Context } from "react";
import { assertType, describe, expectTypeOf, it } from "vitest";
import type {
  SessionContext,
  SessionContextValue,
  SignInAuthorizationParams,
  SignInResponse,
  SignOutParams,
  UpdateSession,
} from "../../plugins/frameworks/next-react.ts";
import Credentials from "../../plugins/providers/credentials.ts";
import GitHub from "../../plugins/providers/github.ts";
import Resend from "../../plugins/providers/resend.ts";
import type { NextAuthConfig } from "../../presets/next.ts";
import type {
  CredentialsConfig,
  EmailConfig,
  OAuth2Config,
  OAuthConfig,
  OAuthUserConfig,
  OIDCConfig,
  OIDCUserConfig,
  Provider,
} from "../../presets/providers.ts";
import { SvelteKitAuth, type SvelteKitAuthConfig } from "../../presets/sveltekit.ts";
import type { SignInResult } from "../../src/client.ts";
import type { DefaultJWT, JWTDecodeParams, JWTEncodeParams, JWTOptions } from "../../src/jwt.ts";
import { decode, encode } from "../../src/jwt.ts";
import type {
  Account,
  AdapterUser,
  AuthConfig,
  JWT,
  Profile,
  Session,
  User,
} from "../../src/types.ts";

interface Member {
  sub: string;
  login: string;
  email: string;
}

describe("types under the names of next-auth/providers", () => {
  it("a function of an application creates an OAuth provider from its options", () => {
    function example(options: OAuthUserConfig<Member>): OAuth2Config<Member> {
      return {
        id: "example",
        name: "Example",
        type: "oauth",
        authorization: { url: "https://id.example/authorize", params: { scope: "read" } },
        token: "https://id.example/token",
        userinfo: "https://id.example/userinfo",
        profile: ({ sub, login, email }) => ({ id: sub, name: login, email }),
        style: { bg: "#fff", text: "#000" },
        options,
      };
    }
    assertType<NextAuthConfig>({ providers: [example({ clientId: "a", clientSecret: "b" })] });
  });

  it("a function of an application creates an OpenID provider from its options", () => {
    function example(options: OIDCUserConfig<Member>): OIDCConfig<Member> {
      return {
        id: "example",
        name: "Example",
        type: "oidc",
        issuer: "https://id.example",
        checks: ["pkce", "state"],
        profile: (profile) => ({ id: profile.sub, name: profile.login }),
        options,
      };
    }
    expectTypeOf(example({ clientId: "a" })).toExtend<OAuthConfig<Member>>();
    assertType<NextAuthConfig>({ providers: [example({ clientId: "a" })] });
  });

  it("a list of providers accepts a function, a provider of the catalog and a plain object", () => {
    const plain: EmailConfig = { id: "mail", name: "Mail", type: "email", from: "a@example.com" };
    const own: CredentialsConfig = {
      id: "pin",
      name: "Pin",
      type: "credentials",
      credentials: {},
      authorize: () => null,
    };
    const providers: Provider[] = [GitHub, GitHub(), Resend, plain, own];
    assertType<NextAuthConfig>({ providers });
  });
});

describe("code of Auth.js applications compiles after the imports are changed", () => {
  it("the types of the tokens are those of next-auth/jwt", () => {
    expectTypeOf<DefaultJWT["sub"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<JWTOptions["maxAge"]>().toEqualTypeOf<number | undefined>();
  });

  it("an encoder of an application signs with the secret, or with the first of a list", () => {
    const getKey = (secret: string | string[]): string => [secret].flat()[0] ?? "";
    const jwt: JWTOptions = {
      encode: ({ token, secret }: JWTEncodeParams) => JSON.stringify(token) + getKey(secret),
      decode: ({ secret }) => ({ sub: getKey(secret) }),
    };
    assertType<NextAuthConfig>({ jwt, providers: [] });
    expectTypeOf<JWTDecodeParams["secret"]>().toEqualTypeOf<string | string[]>();
  });

  it("encode() and decode() of keyhook/jwt accept claims of an application's interface", () => {
    interface Claims {
      userId: string;
    }
    const token: Claims = { userId: "42" };
    expectTypeOf(encode({ token, secret: "a", salt: "a" })).resolves.toBeString();
    const claims = decode<Claims>({ token: "", secret: "a", salt: "a" });
    expectTypeOf(claims).resolves.toEqualTypeOf<Claims | null>();
    expectTypeOf<JWTEncodeParams<Claims>["token"]>().toEqualTypeOf<Claims | undefined>();
  });

  it("encode() and decode() of keyhook/jwt accept a readonly list of secrets", () => {
    const secret = ["one", "two"] as const;
    expectTypeOf(encode({ token: { sub: "42" }, secret, salt: "a" })).resolves.toBeString();
    expectTypeOf(decode({ token: "", secret, salt: "a" })).resolves.toExtend<object | null>();
  });

  it("the result of a sign-in in the browser has the name of next-auth/react", () => {
    expectTypeOf<SignInResponse>().toEqualTypeOf<SignInResult>();
  });

  it("the types of the client in React have the names of next-auth/react", () => {
    expectTypeOf<typeof SessionContext>().toEqualTypeOf<Context<SessionContextValue | undefined>>();
    expectTypeOf<SessionContextValue["update"]>().toEqualTypeOf<UpdateSession>();
    expectTypeOf<UpdateSession>().returns.resolves.toEqualTypeOf<Session | null>();
    expectTypeOf<{ prompt: string }>().toExtend<SignInAuthorizationParams>();
    expectTypeOf<SignOutParams["redirectTo"]>().toEqualTypeOf<string | undefined>();
  });

  it("the jwt callback reads the data of update() without a cast", () => {
    assertType<NextAuthConfig>({
      callbacks: {
        jwt({ token, trigger, session }) {
          if (trigger === "update" && session?.user) token.name = session.user.name;
          return { ...token, ...session };
        },
      },
    });
  });

  it("the jwt callback has the user if it has the account, or a sign-in as trigger", () => {
    assertType<NextAuthConfig>({
      callbacks: {
        jwt({ token, user, account }) {
          if (account) token.userId = user.id;
          return token;
        },
      },
    });
    assertType<NextAuthConfig>({
      callbacks: {
        jwt({ token, trigger, user, account }) {
          if (trigger === "signIn" || trigger === "signUp") token.userId = user.id;
          if (user) token.accessToken = account?.access_token;
          return token;
        },
      },
    });
    assertType<NextAuthConfig>({
      // @ts-expect-error -- at a read there is no user
      callbacks: { jwt: ({ token, user }) => ({ ...token, userId: user.id }) },
    });
  });

  it("a jwt callback with parameter types has those of Auth.js, or a part of them", () => {
    type Whole = {
      token: JWT;
      user: User | AdapterUser;
      account?: Account | null;
      profile?: Profile;
      trigger?: "signIn" | "signUp" | "update";
      isNewUser?: boolean;
      session?: Session;
    };
    assertType<NextAuthConfig>({
      callbacks: { jwt: ({ token, user }: Whole) => ({ ...token, userId: user?.id }) },
    });
    assertType<NextAuthConfig>({
      callbacks: {
        jwt: ({ token, user }: { token: JWT; user: User }) => (user ? { userId: user.id } : token),
      },
    });
    assertType<NextAuthConfig>({
      callbacks: {
        jwt: ({ token, user, account }: { token: JWT; user?: User; account?: Account | null }) =>
          user && account ? { userId: user.id } : token,
      },
    });
    assertType<NextAuthConfig>({
      callbacks: {
        jwt: ({ token, user }: { token: JWT; user?: Member }) => ({ ...token, ...user }),
      },
    });
    assertType<NextAuthConfig>({
      // @ts-expect-error -- a user is no text
      callbacks: { jwt: ({ token, user }: { token: JWT; user: string }) => ({ ...token, user }) },
    });
  });

  it("callbacks and events may return an object that only has `then`, such as a query", () => {
    const query = <T>(value: T): PromiseLike<T> => Promise.resolve(value);
    assertType<NextAuthConfig>({
      callbacks: { signIn: () => query(true), jwt: ({ token }) => query(token) },
      events: { createUser: () => query(undefined) },
      adapter: { getUser: () => query(null) },
    });
  });

  it("the picture of a profile is stored without a cast, as text or as an object", () => {
    const toImage = (profile: Profile): string | null | undefined => profile.picture;
    const toUrl = (profile: Profile): string | undefined => profile.picture?.data?.url;
    expectTypeOf(toImage).toEqualTypeOf<(profile: Profile) => string | null | undefined>();
    expectTypeOf(toUrl).returns.toEqualTypeOf<string | undefined>();
  });

  it("the options of credentials may include the type, and their type is that of the parameter", () => {
    const options = {
      id: "ldap",
      type: "credentials",
      name: "Ldap",
      authorize: ({ name }) => (name ? { id: name } : null),
    } satisfies Parameters<typeof Credentials>[0];
    assertType<NextAuthConfig>({ providers: [Credentials(options)] });
  });

  it("a configuration for SvelteKit is an object, or a function of the event that returns one", () => {
    expectTypeOf<SvelteKitAuthConfig["callbacks"]>().toEqualTypeOf<AuthConfig["callbacks"]>();
    expectTypeOf((config: SvelteKitAuthConfig) => SvelteKitAuth(async () => config)).toBeFunction();
    expectTypeOf((config: SvelteKitAuthConfig) => SvelteKitAuth(config)).toBeFunction();
  });
});
