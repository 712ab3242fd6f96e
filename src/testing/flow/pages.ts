import type { FlowApp, FlowSuite } from "./suite.ts";

// Checks what every page of the kernel must have, whatever its blocks.
function listPageFaults(text: string, headers: Headers): string[] {
  const policy = headers.get("content-security-policy") ?? "";
  const forms = text.split("<form").slice(1);
  const scripts = text.match(/<script\b[^>]*>/gi) ?? [];
  const faults: Record<string, boolean> = {
    "it has no title": !/<title>[^<]+<\/title>/.test(text),
    "it has no heading": !/<h1\b/.test(text),
    "it has no Content-Security-Policy": !policy.includes("default-src 'none'"),
    "it may be framed": !policy.includes("frame-ancestors 'none'"),
    "it may be cached": !/\bno-store\b/.test(headers.get("cache-control") ?? ""),
    "it has a script without a nonce": scripts.some((tag) => !/\bnonce="[^"]+"/.test(tag)),
    "it has an inline handler": /\son[a-z]{1,30}=["']/i.test(text),
    "a form has no CSRF token": forms.some(
      (form) => /method="post"/i.test(form) && !form.includes('name="csrfToken"'),
    ),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}

// Returns the path of the page of a flow that `defineFlow` created.
function findPagePath({ auth, basePath, provider }: FlowApp): string | undefined {
  const { providers, routes } = auth.inspect();
  const type = providers.find(({ id }) => id === provider)?.type ?? "";
  const isThere = routes.some(
    ({ method, path }) => method === "GET" && path === `/${type}/:provider`,
  );
  return isThere ? `${basePath}/${type}/${provider}` : undefined;
}

/** Tests the pages that visitors see. */
export function testPages({ describe, test, expect }: FlowSuite): void {
  describe("Flow: pages", () => {
    test("the sign-in page names the provider, and meets the requirements of pages", async (app) => {
      const { basePath, provider } = app;
      const response = await app.browser.get(`${basePath}/signin`);
      const text = await response.text();
      const isThere = ["signin", "callback"].some((route) =>
        text.includes(`${basePath}/${route}/${provider}"`),
      );
      expect([isThere, listPageFaults(text, response.headers)]).toEqual([true, []]);
    });

    test("the page of the flow meets the requirements of pages, and is shown only during an attempt", async (app) => {
      const path = findPagePath(app);
      if (path === undefined) return;
      app.expectRefused(await app.browser.get(path));
      await app.begin();
      const response = await app.browser.get(path);
      const text = await response.text();
      expect([response.status, listPageFaults(text, response.headers)]).toEqual([200, []]);
    });

    test("the page after a refused sign-in meets the requirements of pages, and leaks no secret", async (app) => {
      const callback = await app.begin();
      app.probe.decision = false;
      const refused = await app.send(app.browser, callback);
      const response = await app.browser.follow(refused);
      const text = await response.text();
      expect([response.status < 500, listPageFaults(text, response.headers)]).toEqual([true, []]);
      app.expectNoLeak();
    });
  });
}
