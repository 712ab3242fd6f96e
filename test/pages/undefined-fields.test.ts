import { expect, it } from "vitest";
import { standardPreset } from "../../presets/standard.ts";
import type { Page, Plugin } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";

const NONE = undefined;

// As plugins write it: each option is the result of a condition, or undefined.
const full: Page = {
  name: "notes",
  title: "Notes",
  heading: NONE,
  status: NONE,
  message: NONE,
  icon: NONE,
  blocks: [
    { kind: "person", name: "Ada", email: NONE, image: NONE },
    { kind: "divider", text: NONE },
    { kind: "link", text: "Home", href: "/", button: NONE, newTab: NONE },
    { kind: "image", src: "/logo.svg", alt: "Logo", width: NONE, height: NONE },
    {
      kind: "section",
      name: "notes",
      heading: "Notes",
      text: NONE,
      blocks: [
        {
          kind: "list",
          items: [{ title: "One", text: NONE, badge: NONE, icon: NONE, form: NONE }],
        },
        {
          kind: "form",
          provider: NONE,
          form: {
            ...{ id: NONE, action: "/auth/notes", submit: "Add", short: NONE, color: NONE },
            ...{
              icon: NONE,
              logo: NONE,
              look: NONE,
              script: NONE,
              other: NONE,
              hidden: { csrfToken: NONE },
            },
            fields: [{ name: "note", label: NONE, type: NONE, value: NONE, attributes: NONE }],
          },
        },
      ],
    },
  ],
};

const withoutNone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

it("a page whose options are undefined is rendered like one without them", async () => {
  const pages: Plugin = {
    name: "notes",
    setup: (kernel) => {
      kernel.addRoute({ method: "GET", path: "/full", handler: (ctx) => ctx.page(full) });
      kernel.addRoute({
        method: "GET",
        path: "/plain",
        handler: (ctx) => ctx.page(withoutNone(full)),
      });
    },
  };
  const { browser } = createTestAuth({ preset: standardPreset, use: [pages] });
  const draw = async (path: string) => {
    const response = await browser.get(path);
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).not.toContain("undefined");
    return html.replaceAll(/nonce="[^"]*"/g, "");
  };
  expect(await draw("/auth/full")).toBe(await draw("/auth/plain"));
});
