import { renderToString as renderVue } from "@vue/server-renderer";
import { createElement, type FunctionComponent } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSSRApp, defineComponent, h } from "vue";
import { createReactClient, SessionProvider, useSession } from "../../plugins/faces/react/react.ts";
import { sessionStore } from "../../plugins/faces/svelte/session.ts";
import { authPlugin, useSession as useVueSession } from "../../plugins/faces/vue/vue.ts";
import { openPage, serverOf, settle } from "./_page.ts";

const ada = { user: { name: "Ada" }, expires: "2100-01-01T00:00:00.000Z" };

describe("on a server", () => {
  const fetch = vi.fn();
  const channel = vi.fn();
  beforeEach(() => {
    vi.stubGlobal("fetch", fetch);
    vi.stubGlobal("BroadcastChannel", channel);
  });
  afterEach(() => {
    // A request of one visitor's, or a channel between all of them, would be a leak.
    expect(fetch).not.toHaveBeenCalled();
    expect(channel).not.toHaveBeenCalled();
  });

  const Who: FunctionComponent = () => {
    const { status, data } = useSession();
    return createElement("p", null, `${status} ${data?.user?.name}`);
  };

  it.each([
    [ada, "authenticated Ada"],
    [null, "unauthenticated undefined"],
    [undefined, "loading undefined"],
  ])("React renders %j", (session, text) => {
    expect(
      renderToString(
        createElement(SessionProvider, { ...(session !== undefined && { session }) }, [
          createElement(Who, { key: 1 }),
        ]),
      ),
    ).toBe(`<p>${text}</p>`);
  });

  it("React says that the provider is missing", () => {
    expect(() => renderToString(createElement(Who))).toThrow(/SessionProvider/);
  });

  it("React keeps clients of two servers apart", () => {
    const other = createReactClient({ basePath: "/api/auth" });
    const Other = () => createElement("p", null, other.useSession().status);
    const both = createElement(
      other.SessionProvider,
      { session: null },
      createElement(SessionProvider, { session: ada }, createElement(Other), createElement(Who)),
    );
    expect(renderToString(both)).toBe("<p>unauthenticated</p><p>authenticated Ada</p>");
    expect(other.basePath).toBe("/api/auth");
  });

  const VueWho = defineComponent({
    setup() {
      const { status, data } = useVueSession();
      return () => h("p", `${status.value} ${data.value?.user?.name}`);
    },
  });

  it("Vue renders what it is given, each application its own", async () => {
    const render = (session?: typeof ada | null) =>
      renderVue(createSSRApp(VueWho).use(authPlugin({ session })));
    expect(await Promise.all([render(ada), render(null), render()])).toEqual([
      "<p>authenticated Ada</p>",
      "<p>unauthenticated undefined</p>",
      "<p>loading undefined</p>",
    ]);
  });

  it("Vue says that the plugin is missing", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    await expect(renderVue(createSSRApp(VueWho))).rejects.toThrow(/authPlugin/);
    vi.restoreAllMocks();
  });

  it("a Svelte store has a value at once", () => {
    const seen: unknown[] = [];
    sessionStore({ session: ada }).subscribe(({ status }) => seen.push(status))();
    sessionStore().subscribe(({ status }) => seen.push(status))();
    expect(seen).toEqual(["authenticated", "loading"]);
  });
});

describe("in a page", () => {
  it("a Svelte store follows the session while it has subscribers", async () => {
    const page = openPage();
    let answer: typeof ada | null = ada;
    const { fetch, asked } = serverOf(() => answer);
    const store = sessionStore({ fetch, basePath: "/auth-svelte" });
    const seen: unknown[] = [];
    const stop = store.subscribe(({ status }) => seen.push(status));
    await settle();
    answer = null;
    page.back();
    await settle();
    stop();
    page.back();
    await settle();
    expect(seen).toEqual(["loading", "authenticated", "unauthenticated"]);
    expect(asked).toHaveLength(2);
    store.take(ada);
    const again: unknown[] = [];
    store.subscribe(({ status }) => again.push(status))();
    expect(again).toEqual(["authenticated"]);
  });
});
