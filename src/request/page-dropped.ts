import type { Logger } from "../types/options.ts";
import type { PageRenderer } from "../types/page.ts";

/** Maximum number of different warnings, since their texts may depend on what visitors enter. */
const MAX_WARNINGS = 100;

/**
 * Returns a renderer that warns once about each part that a page leaves out, such as a link with an unknown scheme. For
 * development.
 */
export function reportDropped(render: PageRenderer, logger: Required<Logger>): PageRenderer {
  const seen = new Set<string>();
  return (page, options) =>
    render(page, {
      ...options,
      dropped(what) {
        const text = `The page "${page.name}" leaves out ${what}.`;
        if (seen.has(text) || seen.size >= MAX_WARNINGS) return;
        seen.add(text);
        logger.warn("page-dropped", text);
      },
    });
}
