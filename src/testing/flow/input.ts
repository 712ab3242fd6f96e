import type { FlowSuite, SentCallback } from "./suite.ts";

/** JSON values instead of texts. */
const NO_TEXTS: readonly unknown[] = [{ $ne: null }, [], 7, null];

type Fields = [name: string, value: string][];

/** Changes that truncated or rewritten links, or other sites, make to a callback. */
const CHANGES: Record<string, (fields: Fields, name: string) => Fields> = {
  missing: (fields, name) => fields.filter(([other]) => other !== name),
  empty: (fields, name) => fields.map(([other, value]) => [other, other === name ? "" : value]),
  "cut short": (fields, name) =>
    fields.map(([other, value]) => [other, other === name ? value.slice(0, -1) : value]),
  repeated: (fields, name) => [...fields, [name, "x"]],
  "much too long": (fields, name) =>
    fields.map(([other, value]) => [other, other === name ? value.padEnd(9000, "x") : value]),
};

const listFields = ({ url, fields }: SentCallback): Fields =>
  fields ? Object.entries(fields) : [...new URL(url).searchParams];

function withFields(callback: SentCallback, fields: Fields): SentCallback {
  if (callback.fields) return { ...callback, fields: Object.fromEntries(fields) };
  const url = new URL(callback.url);
  url.search = new URLSearchParams(fields).toString();
  return { ...callback, url: url.href };
}

/** Tests callbacks with fields or parameters that the other side does not send. */
export function testInput({ describe, test, expect }: FlowSuite): void {
  describe("Flow: invalid parameters of a callback", () => {
    for (const [title, change] of Object.entries(CHANGES)) {
      test(`a callback with a field or parameter that is ${title} signs in no other user, and the flow does not crash`, async (app) => {
        await app.signIn();
        const ada = await app.readUser();
        const { length } = listFields(await app.begin(app.openBrowser()));
        for (let at = 0; at < length; at++) {
          const browser = app.openBrowser();
          const callback = await app.begin(browser);
          const fields = listFields(callback);
          const [name = ""] = fields[at] ?? [];
          const response = await app.send(browser, withFields(callback, change(fields, name)));
          const user = await app.readUser(browser);
          app.expectHandled(response);
          if (user !== null && app.isStored) expect([name, user]).toEqual([name, ada]);
        }
      });
    }

    for (const value of NO_TEXTS) {
      test(`a callback with ${JSON.stringify(value)} instead of a text signs no one in`, async (app) => {
        const { fields = {}, site } = await app.begin();
        if (site !== undefined) return;
        for (const name of Object.keys(fields)) {
          const { url, fields: posted } = await app.begin();
          const json = { ...posted, [name]: value };
          const headers = { accept: "text/html" };
          app.expectRefused(await app.browser.send(url, { json, headers }));
          expect(await app.readUser()).toBe(null);
        }
      });
    }
  });
}
