import type { FlowProbe } from "./probe.ts";
import type { FlowSuite } from "./suite.ts";

const DECISIONS: readonly [title: string, decision: FlowProbe["decision"]][] = [
  ["returns false", false],
  ["throws", new Error("The tap is broken.")],
];

/** Tests the application's decisions about a sign-in. */
export function testDecisions({ describe, test, expect }: FlowSuite): void {
  describe("Flow: the decision of the application", () => {
    for (const [title, decision] of DECISIONS) {
      test(`if the hook \`signIn\` ${title}, no user is stored, and the visitor gets AccessDenied`, async (app) => {
        const callback = await app.begin();
        app.probe.decision = decision;
        const response = await app.send(app.browser, callback);
        const { searchParams } = new URL(response.headers.get("location") ?? "", app.origin);
        expect(searchParams.get("error")).toBe("AccessDenied");
        app.expectRefused(response);
        const [failed, ...others] = app.probe.events;
        expect([failed?.name, failed?.message.provider, others]).toEqual([
          "signInFailed",
          app.provider,
          [],
        ]);
        expect(await app.readUser()).toBe(null);
        app.probe.decision = undefined;
        await app.signIn();
        expect(Boolean(await app.readUser())).toBe(true);
      });
    }

    test("if the hook `signIn` returns a path, the visitor is redirected there without a session", async (app) => {
      const callback = await app.begin();
      app.probe.decision = "/invitation";
      const response = await app.send(app.browser, callback);
      expect(response.headers.get("location")).toBe(`${app.origin}/invitation`);
      expect(app.takeEvents()).toEqual([]);
      expect(await app.readUser()).toBe(null);
    });
  });
}
