import { renderToString as renderVue } from "@vue/server-renderer";
import { createElement, type FunctionComponent } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Component,
  createRenderer,
  createSSRApp,
  defineComponent,
  h,
  KeepAlive,
  nextTick,
  shallowRef,
} from "vue";
import {
  createReactClient,
  SessionContext,
  SessionProvider,
  useSession,
} from "../../plugins/frameworks/react.ts";
import { sessionStore } from "../../plugins/frameworks/svelte/session.ts";
import { authPlugin, useSession as useVueSession } from "../../plugins/frameworks/vue.ts";
import { openPage, createTestServer, settle } from "./_page.ts";

const ada = { user: { name: "Ada" }, expires: "2100-01-01T00:00:00.000Z" };

interface TreeNode {
  children: TreeNode[];
  parent?: TreeNode | null;
}

// Vue over a tree without a document.
function createTree(render: () => unknown) {
  const create = (): TreeNode => ({ children: [] });
  const remove = (node: TreeNode) => {
    const siblings = node.parent?.children;
    siblings?.splice(siblings.indexOf(node), 1);
    node.parent = null;
  };
  const { createApp } = createRenderer<TreeNode, TreeNode>({
    createElement: create,
    createText: create,
    createComment: create,
    insert(node, parent, anchor) {
      remove(node);
      const at = anchor ? parent.children.indexOf(anchor) : parent.children.length;
      parent.children.splice(at, 0, node);
      node.parent = parent;
    },
    remove,
    setText() {},
    setElementText() {},
    patchProp() {},
    parentNode: ({ parent }) => parent ?? null,
    nextSibling: (node) => node.parent?.children[node.parent.children.indexOf(node) + 1] ?? null,
  });
  return createApp(defineComponent(() => render as () => never));
}

describe("framework clients on a server", () => {
  const fetch = vi.fn();
  const channel = vi.fn();
  beforeEach(() => {
    vi.stubGlobal("fetch", fetch);
    vi.stubGlobal("BroadcastChannel", channel);
  });
  afterEach(() => {
    // A request, or a channel shared by all visitors, would leak a session.
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
  ])("React: SessionProvider renders %j", (session, text) => {
    expect(
      renderToString(
        createElement(SessionProvider, { ...(session !== undefined && { session }) }, [
          createElement(Who, { key: 1 }),
        ]),
      ),
    ).toBe(`<p>${text}</p>`);
  });

  it("React: useSession throws without a SessionProvider", () => {
    expect(() => renderToString(createElement(Who))).toThrow(/SessionProvider/);
  });

  it("React: a test or a story provides a session by SessionContext, without a client", () => {
    const Name: FunctionComponent = () => useSession().data?.user?.name;
    const value = {
      data: ada,
      status: "authenticated" as const,
      update: async () => null,
      error: null,
    };
    const tree = createElement(SessionContext.Provider, { value }, createElement(Name));
    expect(renderToString(tree)).toBe("Ada");
    expect(fetch).not.toHaveBeenCalled();
  });

  it("React: clients of two servers keep their sessions separate", () => {
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

  it("Vue: authPlugin renders the session of each application", async () => {
    const render = (session?: typeof ada | null) =>
      renderVue(createSSRApp(VueWho).use(authPlugin({ session })));
    expect(await Promise.all([render(ada), render(null), render()])).toEqual([
      "<p>authenticated Ada</p>",
      "<p>unauthenticated undefined</p>",
      "<p>loading undefined</p>",
    ]);
  });

  it("Vue: useSession throws without the authPlugin", () => {
    const app = createSSRApp(VueWho);
    expect(() => app.runWithContext(() => useVueSession())).toThrow(/authPlugin/);
  });

  it("Svelte: sessionStore has a value immediately", () => {
    const seen: unknown[] = [];
    sessionStore({ session: ada }).subscribe(({ status }) => seen.push(status))();
    sessionStore().subscribe(({ status }) => seen.push(status))();
    expect(seen).toEqual(["authenticated", "loading"]);
  });
});

describe("framework clients in a page", () => {
  it("Svelte: sessionStore follows the session while it has subscribers", async () => {
    const page = openPage();
    let answer: typeof ada | null = ada;
    const { fetch, asked } = createTestServer(() => answer);
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
    store.set(ada);
    const again: unknown[] = [];
    store.subscribe(({ status }) => again.push(status))();
    expect(again).toEqual(["authenticated"]);
  });

  it("Vue: a page that KeepAlive has deactivated redirects no one to the sign-in page until it is shown again", async () => {
    const page = openPage();
    let answer: typeof ada | null = ada;
    const { fetch, asked } = createTestServer(() => answer);
    const leave = vi.fn();
    const Secret = defineComponent(() => {
      const { status } = useVueSession({ required: true, onUnauthenticated: leave });
      return () => status.value;
    });
    const Other = defineComponent(() => () => "other");
    const shown = shallowRef<Component>(Secret);
    const app = createTree(() => h(KeepAlive, () => h(shown.value)));
    app.use(authPlugin({ session: ada, fetch, basePath: "/auth-vue" })).mount({ children: [] });
    shown.value = Other;
    await nextTick();
    answer = null;
    page.back();
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await settle();
    expect(leave).not.toHaveBeenCalled();
    shown.value = Secret;
    await nextTick();
    expect(leave).toHaveBeenCalledOnce();
    app.unmount();
  });
});
