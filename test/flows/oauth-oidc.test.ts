import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Op, startOp } from "../_op.ts";
import { createApp, expectSignedIn, oidc } from "./_app.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

describe("OpenID Connect", () => {
  it("signs in", async () => {
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    console.log(op.asked, await app.browser.session(), app.browser.cookies);
  });
});
