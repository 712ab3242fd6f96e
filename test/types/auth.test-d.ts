import { assertType, describe, expectTypeOf, it } from "vitest";
import type { CredentialsProvider } from "../../plugins/flows/credentials/provider.ts";
import type { OAuthProvider } from "../../plugins/flows/oauth.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth as createExpress, type ExpressRequest } from "../../presets/express.ts";
import { createAuth as createH3, type H3Members } from "../../presets/h3.ts";
import { createAuth } from "../../presets/index.ts";
import { createAuth as createNode, type NodeMembers } from "../../presets/node.ts";
import { getToken, type JWT } from "../../src/jwt.ts";
import type {
  Auth,
  AuthConfig,
  AuthedRequest,
  RequestSource,
  Plugin,
  ProviderEntry,
  Session,
  SignInOptions,
} from "../../src/kernel.ts";

const request = new Request("http://localhost/");

describe("getToken()", () => {
  it("getToken() resolves to claims or, with `raw`, to the original token", () => {
    expectTypeOf(getToken({ req: request })).resolves.toEqualTypeOf<JWT | null>();
    expectTypeOf(getToken({ req: request, raw: false })).resolves.toEqualTypeOf<JWT | null>();
    expectTypeOf(getToken({ req: request, raw: true })).resolves.toEqualTypeOf<string | null>();
    const raw = Math.random() > 0.5;
    expectTypeOf(getToken({ req: request, raw })).resolves.toEqualTypeOf<JWT | string | null>();
  });
});

describe("createAuth().use(githubPlugin())", () => {
  it("use() keeps the type of its Auth, however long the chain", () => {
    expectTypeOf(createAuth().use(githubPlugin())).toEqualTypeOf<Auth>();
    expectTypeOf(createNode().use(githubPlugin()).use(githubPlugin())).toEqualTypeOf<
      Auth & NodeMembers
    >();
    expectTypeOf(createH3().use(githubPlugin())).toEqualTypeOf<Auth & H3Members>();
  });

  it("`providers` accepts a provider plugin, called or not, next to plain objects", () => {
    expectTypeOf(githubPlugin()).toExtend<Plugin>();
    expectTypeOf(githubPlugin()).toExtend<ProviderEntry>();
    expectTypeOf(githubPlugin).toExtend<ProviderEntry>();
    createAuth({ providers: [githubPlugin, githubPlugin({ clientId: "x" })] });
    createAuth({
      providers: [
        {
          id: "credentials",
          name: "Credentials",
          type: "credentials",
          credentials: { username: { label: "Name" } },
          authorize: ({ username }) => (typeof username === "string" ? { id: username } : null),
        },
      ],
    });
  });

  it("`profile` of a plain object may set the type of its parameter, or omit it", () => {
    interface Member {
      id: number;
      nick: string;
    }
    const endpoints = { authorization: "https://a.example", token: "https://t.example" };
    const plain = { id: "acme", name: "Acme", type: "oauth", ...endpoints } as const;
    const profile = ({ id, nick }: Member) => ({ id: String(id), name: nick });
    // As applications of Auth.js write their own providers.
    const createProvider = <P extends Member>(
      options: Partial<OAuthProvider<P>>,
    ): OAuthProvider<P> => ({ ...plain, profile, ...options });
    createAuth({
      providers: [
        { ...plain, profile },
        { ...plain, type: "oidc", profile },
        { ...plain, type: "oauth", profile: (member) => ({ id: member.id, name: member.nick }) },
        createProvider({ clientId: "x" }),
      ],
    });
    // @ts-expect-error -- the user of a profile has a name of text
    createAuth({ providers: [{ ...plain, profile: () => ({ id: "1", name: 1 }) }] });
  });

  it("options that a provider does not have are type errors", () => {
    // @ts-expect-error -- misspelled
    githubPlugin({ clientid: "x" });
    // @ts-expect-error -- no such option
    createAuth({ provider: [] });
    // @ts-expect-error -- a credentials provider has `authorize`
    assertType<CredentialsProvider>({ id: "x", name: "X", type: "credentials", credentials: {} });
  });

  it("createAuth() accepts a function of the request, synchronous or asynchronous", () => {
    createAuth((req) => ({ basePath: req?.url ?? "/auth" }));
    createAuth(async () => ({}));
  });
});

describe("auth.auth()", () => {
  const { auth } = createAuth();

  it("auth() returns the session of a request or of an event", () => {
    expectTypeOf(auth(request)).toEqualTypeOf<Promise<Session | null>>();
    expectTypeOf(auth({ req: request, res: { headers: new Headers() } })).toEqualTypeOf<
      Promise<Session | null>
    >();
  });

  it("auth(handler) passes a request that has its session", () => {
    const wrapped = auth((req) => {
      expectTypeOf(req.auth).toEqualTypeOf<Session | null>();
      return new Response();
    });
    expectTypeOf(wrapped(request)).toEqualTypeOf<Promise<Response>>();
  });

  it("auth(handler) keeps the types of the framework's further arguments", () => {
    const wrapped = auth((_: AuthedRequest, context: { params: { id: string } }) =>
      Response.json(context.params.id),
    );
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[Request, { params: { id: string } }]>();
    // @ts-expect-error -- the context is missing
    void wrapped(request);
  });

  it("auth(handler) keeps the framework's own request type", () => {
    interface NextRequest extends Request {
      nextUrl: URL;
    }
    const wrapped = auth((req: AuthedRequest<NextRequest>) => Response.json(req.nextUrl.href));
    expectTypeOf(wrapped).parameter(0).toEqualTypeOf<NextRequest>();
  });

  it("auth() requires an argument", () => {
    // @ts-expect-error -- no request
    void auth();
  });
});

describe("server functions", () => {
  const auth = createAuth();

  it("server functions take the request first", () => {
    expectTypeOf(auth.getSession).parameters.toEqualTypeOf<[RequestSource]>();
    expectTypeOf(auth.getSession(request)).toEqualTypeOf<Promise<Session | null>>();
    expectTypeOf(auth.signOut(request, { redirect: false })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(auth.signOut(request)).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(auth.signOut(request, new FormData())).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(auth.update(request, { name: "x" })).toEqualTypeOf<Promise<Session | null>>();
  });

  it("signIn() resolves to the URL with `redirect: false`, and otherwise to a Response", () => {
    const { signIn } = auth;
    const fields = { username: "ada" };
    expectTypeOf(signIn(request)).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(signIn(request, "github", new FormData())).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(signIn(request, "mine", { ...fields, redirect: true })).toEqualTypeOf<
      Promise<Response>
    >();
    expectTypeOf(signIn(request, "mine", { ...fields, redirect: false })).toEqualTypeOf<
      Promise<string>
    >();
    const options: SignInOptions = { redirect: false };
    expectTypeOf(signIn(request, "mine", options)).resolves.toEqualTypeOf<string | Response>();
    const redirect = Date.now() > 0;
    expectTypeOf(signIn(request, "mine", { redirect })).resolves.toEqualTypeOf<string | Response>();
  });

  it("signIn() and signOut() of a framework's source depend on `redirect` too", () => {
    const event = {} as Parameters<H3Members["signIn"]>[0];
    const own = createH3();
    expectTypeOf(own.signIn(event, "github", { redirect: false })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(own.signIn(event, "github")).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(own.signOut(event, { redirect: false })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(own.signOut(event)).toEqualTypeOf<Promise<Response>>();
  });

  it("signIn() and signOut() of Express requests resolve to the URL and refuse `redirect: true`", () => {
    const req = {} as ExpressRequest;
    const own = createExpress();
    expectTypeOf(own.signIn(req, "github")).toEqualTypeOf<Promise<string>>();
    expectTypeOf(own.signIn(req, "github", { redirect: false })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(own.signOut(req, new FormData())).toEqualTypeOf<Promise<string>>();
    // @ts-expect-error -- no Response
    void own.signIn(req, "github", { redirect: true });
    // @ts-expect-error -- no Response
    void own.signOut(req, { redirect: true });
  });

  it("signIn() accepts authorization parameters in every form", () => {
    for (const params of [
      "a=b",
      { a: "b" },
      new URLSearchParams(),
      [["a", "b"]] as [string, string][],
    ]) {
      expectTypeOf(auth.signIn(request, "github", {}, params)).toEqualTypeOf<Promise<Response>>();
    }
    void auth.signIn(request, "github", new FormData());
  });
});

describe("callbacks of the configuration", () => {
  it("callbacks receive the parameters of their hooks", () => {
    assertType<AuthConfig>({
      callbacks: {
        jwt({ token, trigger, session }) {
          expectTypeOf(trigger).toEqualTypeOf<"signIn" | "signUp" | "update" | undefined>();
          expectTypeOf(session).toBeAny();
          return token;
        },
        session: ({ session, token }) => ({ ...session, id: token.sub }),
        signIn: ({ user, credentials }) => Boolean(user.email && credentials),
        redirect: ({ url, baseUrl }) => (url ? url : baseUrl),
        authorized: ({ auth }) => auth?.user,
      },
    });
  });

  it("the session that a callback shapes has a user, as in Auth.js", () => {
    assertType<AuthConfig>({
      callbacks: {
        session({ session, token }) {
          session.user.id = token.sub ?? "";
          return session;
        },
      },
    });
  });

  it("callbacks cannot return values without a meaning", () => {
    // @ts-expect-error -- true, false or a URL
    assertType<AuthConfig>({ callbacks: { signIn: () => 1 } });
    // @ts-expect-error -- a target is a string
    assertType<AuthConfig>({ callbacks: { redirect: () => null } });
    // @ts-expect-error -- null ends a session, undefined has no meaning
    assertType<AuthConfig>({ callbacks: { jwt: () => undefined } });
  });
});
