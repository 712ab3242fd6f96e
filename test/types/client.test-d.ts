import type { Component, ComponentProps } from "svelte";
import type { Readable } from "svelte/store";
import { describe, expectTypeOf, it } from "vitest";
import type { ComputedRef, Plugin as VuePlugin } from "vue";
import * as react from "../../plugins/frameworks/react.ts";
import type * as svelte from "../../plugins/frameworks/svelte.ts";
import * as vue from "../../plugins/frameworks/vue.ts";
import {
  type AuthClient,
  type ClientError,
  createAuthClient,
  getSession,
  type Session,
  type SessionState,
  signIn,
  type SignInResult,
  signOut,
} from "../../src/client.ts";

declare const result: SignInResult;
declare const state: SessionState;

describe("keyhook/client", () => {
  it("SignInResult is discriminated by `ok`", () => {
    if (result.ok) {
      expectTypeOf(result.url).toEqualTypeOf<string>();
      expectTypeOf(result.error).toEqualTypeOf<undefined>();
    } else {
      expectTypeOf(result.error).toEqualTypeOf<string>();
      expectTypeOf(result.url).toEqualTypeOf<string | null>();
    }
    // As callers of the Auth.js client read it.
    expectTypeOf(result.error).toEqualTypeOf<string | undefined>();
    expectTypeOf(result.status).toEqualTypeOf<number>();
  });

  it("SessionState is discriminated by `status`", () => {
    if (state.status === "authenticated") expectTypeOf(state.data).toEqualTypeOf<Session>();
    else expectTypeOf(state.data).toEqualTypeOf<null>();
    expectTypeOf(state.error).toEqualTypeOf<ClientError | null>();
  });

  it("client functions need no client object", () => {
    expectTypeOf(createAuthClient()).toEqualTypeOf<AuthClient>();
    expectTypeOf(getSession).returns.resolves.toEqualTypeOf<Session | null>();
    void signIn("credentials", { username: "ada", code: 1, redirect: false });
    void signIn("github", { redirectTo: "/" }, { login_hint: "ada" });
    void signIn("github", undefined, new URLSearchParams());
    // @ts-expect-error -- not a boolean
    void signOut({ redirect: "no" });
    // @ts-expect-error -- misspelled
    createAuthClient({ basepath: "/auth" });
  });
});

describe("keyhook/react", () => {
  it("useSession() of keyhook/react has no unauthenticated state when a session is required", () => {
    const free = react.useSession();
    expectTypeOf(free.status).toEqualTypeOf<"authenticated" | "loading" | "unauthenticated">();
    expectTypeOf(free.data).toEqualTypeOf<Session | null>();
    if (free.status === "authenticated") expectTypeOf(free.data).toEqualTypeOf<Session>();
    const bound = react.useSession({ required: true, onUnauthenticated() {} });
    expectTypeOf(bound.status).toEqualTypeOf<"authenticated" | "loading">();
    expectTypeOf(free.update).toEqualTypeOf<AuthClient["update"]>();
  });

  it("createReactClient() has the same functions for another base path", () => {
    const own = react.createReactClient({ basePath: "/api/auth" });
    expectTypeOf(own.signIn).toEqualTypeOf(react.signIn);
    expectTypeOf(own.useSession).toEqualTypeOf(react.useSession);
    expectTypeOf(own.SessionProvider).toEqualTypeOf(react.SessionProvider);
  });
});

describe("keyhook/vue", () => {
  it("keyhook/vue has a plugin and composables", () => {
    expectTypeOf(vue.authPlugin({ session: null, basePath: "/api/auth" })).toExtend<VuePlugin>();
    expectTypeOf(vue.useAuth()).toEqualTypeOf<AuthClient>();
    const { data, status } = vue.useSession({ required: true });
    expectTypeOf(data).toEqualTypeOf<ComputedRef<Session | null>>();
    expectTypeOf(status).toEqualTypeOf<ComputedRef<SessionState["status"]>>();
  });
});

describe("keyhook/svelte", () => {
  it("keyhook/svelte has stores and components", () => {
    expectTypeOf<ReturnType<typeof svelte.useSession>>().toExtend<Readable<SessionState>>();
    expectTypeOf<typeof svelte.SignIn>().toExtend<Component<svelte.SignInProps>>();
    expectTypeOf<ComponentProps<typeof svelte.SignOut>>().toEqualTypeOf<svelte.SignOutProps>();
  });
});
