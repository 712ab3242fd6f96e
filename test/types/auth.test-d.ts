import { assertType, describe, expectTypeOf, it } from "vitest";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth as createH3, type H3Face } from "../../presets/h3.ts";
import { createAuth } from "../../presets/index.ts";
import { createAuth as createNode, type NodeFace } from "../../presets/node.ts";
import type {
  Auth,
  AuthConfig,
  AuthedRequest,
  Call,
  CredentialsProvider,
  Plugin,
  ProviderEntry,
  Session,
} from "../../src/index.ts";

const request = new Request("http://localhost/");

describe("createAuth().use(githubPlugin())", () => {
  it("keeps the type of what it was called on, however long the chain", () => {
    expectTypeOf(createAuth().use(githubPlugin())).toEqualTypeOf<Auth>();
    expectTypeOf(createNode().use(githubPlugin()).use(githubPlugin())).toEqualTypeOf<
      Auth & NodeFace
    >();
    expectTypeOf(createH3().use(githubPlugin())).toEqualTypeOf<Auth & H3Face>();
  });

  it("takes the same plugin in `providers`, called or not, beside plain objects", () => {
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

  it("refuses options that a provider does not have", () => {
    // @ts-expect-error -- misspelt
    githubPlugin({ clientid: "x" });
    // @ts-expect-error -- no such option
    createAuth({ provider: [] });
    // @ts-expect-error -- a credentials provider has `authorize`
    assertType<CredentialsProvider>({ id: "x", name: "X", type: "credentials", credentials: {} });
  });

  it("takes a configuration for each request, at once or later", () => {
    createAuth((req) => ({ basePath: req?.url ?? "/auth" }));
    createAuth(async () => ({}));
  });
});

describe("auth.auth", () => {
  const { auth } = createAuth();

  it("answers the session of a request or of an event", () => {
    expectTypeOf(auth(request)).toEqualTypeOf<Promise<Session | null>>();
    expectTypeOf(auth({ req: request, res: { headers: new Headers() } })).toEqualTypeOf<
      Promise<Session | null>
    >();
  });

  it("wraps a handler, whose request has its session", () => {
    const wrapped = auth((req) => {
      expectTypeOf(req.auth).toEqualTypeOf<Session | null>();
      return new Response();
    });
    expectTypeOf(wrapped(request)).toEqualTypeOf<Promise<Response>>();
  });

  it("hands on what else a framework passes, with its types", () => {
    const wrapped = auth((_: AuthedRequest, context: { params: { id: string } }) =>
      Response.json(context.params.id),
    );
    expectTypeOf(wrapped).parameters.toEqualTypeOf<[Request, { params: { id: string } }]>();
    // @ts-expect-error -- the context is missing
    void wrapped(request);
  });

  it("keeps a framework's own request", () => {
    interface NextRequest extends Request {
      nextUrl: URL;
    }
    const wrapped = auth((req: AuthedRequest<NextRequest>) => Response.json(req.nextUrl.href));
    expectTypeOf(wrapped).parameter(0).toEqualTypeOf<NextRequest>();
  });

  it("needs something to ask about", () => {
    // @ts-expect-error -- no request
    void auth();
  });
});

describe("the server verbs", () => {
  const auth = createAuth();

  it("take a call first", () => {
    expectTypeOf(auth.getSession).parameters.toEqualTypeOf<[Call]>();
    expectTypeOf(auth.getSession(request)).toEqualTypeOf<Promise<Session | null>>();
    expectTypeOf(auth.signOut(request, { redirect: false })).toEqualTypeOf<
      Promise<Response | string>
    >();
    expectTypeOf(auth.update(request, { name: "x" })).toEqualTypeOf<Promise<Session | null>>();
  });

  it("take extra authorization parameters in every form", () => {
    for (const params of [
      "a=b",
      { a: "b" },
      new URLSearchParams(),
      [["a", "b"]] as [string, string][],
    ]) {
      expectTypeOf(auth.signIn(request, "github", {}, params)).toEqualTypeOf<
        Promise<Response | string>
      >();
    }
    void auth.signIn(request, "github", new FormData());
  });
});

describe("callbacks of the configuration", () => {
  it("are told what the hook is told", () => {
    assertType<AuthConfig>({
      callbacks: {
        jwt({ token, trigger, session }) {
          expectTypeOf(trigger).toEqualTypeOf<"signIn" | "signUp" | "update" | undefined>();
          expectTypeOf(session).toEqualTypeOf<unknown>();
          return token;
        },
        session: ({ session, token }) => ({ ...session, id: token?.sub }),
        signIn: ({ user, credentials }) => Boolean(user.email && credentials),
        redirect: ({ url, baseUrl }) => (url ? url : baseUrl),
        authorized: ({ auth }) => auth?.user,
      },
    });
  });

  it("cannot answer what means nothing", () => {
    // @ts-expect-error -- true, false or where to go
    assertType<AuthConfig>({ callbacks: { signIn: () => 1 } });
    // @ts-expect-error -- a target is text
    assertType<AuthConfig>({ callbacks: { redirect: () => null } });
    // @ts-expect-error -- null ends a session, undefined says nothing
    assertType<AuthConfig>({ callbacks: { jwt: () => undefined } });
  });
});
