import type { PageRenderer } from "../types/page.ts";

/** Renders a page; the renderer is imported on first use. */
export const renderPageLazily: PageRenderer = async (page, options) => {
  const { respondWithPage } = await import("./respond.ts");
  return respondWithPage(page, options);
};
