import type { PageRenderer } from "../types/page.ts";

/** Renders a page with the CSRF token in its forms; the renderer is imported on first use. */
export const renderPageLazily: PageRenderer = async (page, options) => {
  const [{ respondWithPage }, { withCsrfField }] = await Promise.all([
    import("./respond.ts"),
    import("./csrf-field.ts"),
  ]);
  return respondWithPage(await withCsrfField(page, options, options.csrfToken), options);
};
