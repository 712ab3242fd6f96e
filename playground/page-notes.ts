import { definePlugin } from "../presets/index.ts";
import { parseLook } from "./look.ts";
import { PASSWORD, people } from "./people.ts";

/** Adds the test user, the outbox and the language switch to the built-in pages, and sets their language. */
export const pageNotes = definePlugin({
  name: "page-notes",
  setup({ hooks }) {
    hooks.locale.tap("page-notes", ({ request }) => {
      const { language } = parseLook(request);
      // When the tap returns undefined, the browser's `Accept-Language` decides.
      return language === "auto" ? undefined : language;
    });
    hooks.page.for("signin").tap("page-notes", (page) => ({
      ...page,
      blocks: [
        ...page.blocks,
        {
          kind: "text",
          text: `Try ${people[0]?.username} with the password ${PASSWORD}.`,
          language: "en",
        },
        { kind: "link", text: "Language and look", href: "/#look" },
      ],
    }));
    hooks.page.for("verify-request").tap("page-notes", (page) => ({
      ...page,
      blocks: [
        ...page.blocks,
        { kind: "link", text: "Open the outbox", href: "/outbox", button: true },
      ],
    }));
  },
});
