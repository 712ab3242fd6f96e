import type { Report } from "../errors/report.ts";
import type { HookTable } from "../hooks/hooks.ts";
import { type Catalogue, createCatalogue } from "../i18n/messages.ts";
import { andThen } from "../platform/awaitable.ts";
import type { AuthContext, Kernel } from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";
import type { Awaitable } from "../types/models.ts";
import type { Page, PageRenderer } from "../types/page.ts";
import { checkTexts } from "./check-texts.ts";
import { buildFailurePage } from "./failure-page.ts";
import { listLanguages } from "./languages.ts";
import { checkPageNames } from "./page-names.ts";
import { renderPage } from "./page.ts";

/** Renders pages, and has the texts of pages and e-mails. */
export interface Pages {
  /** Renders a page after its hooks. */
  render(ctx: AuthContext, page: Page): Promise<Response>;
  /** Resolves to the page about a request that failed with a status. */
  explain(ctx: AuthContext, status: number): Promise<Page>;
  /** Returns the tags of the visitor's languages, best first: from the `locale` hook, then from `Accept-Language`. */
  listLanguages(ctx: AuthContext): Awaitable<readonly string[]>;
  /** Returns the translator for the visitor's language. */
  translate(ctx: AuthContext): Awaitable<Translator>;
  /** Reports values that are not texts, and taps of pages with misspelled names. */
  check(kernel: Kernel, hooks: ReturnType<HookTable["list"]>, report: Report): void;
  /** The texts of all plugins. */
  readonly catalogue: Pick<Catalogue, "languages" | "translator">;
}

declare module "../types/kernel.ts" {
  interface Services {
    /** Renders pages. An application that uses none of Keyhook's pages does not need it. */
    pages: Pages;
  }
}

// In development, reports once each text id that no plugin has a text for.
function reportMissing({ config, logger }: Kernel): ((id: string) => void) | undefined {
  if (config.production) return undefined;
  const seen = new Set<string>();
  return (id) => {
    if (seen.has(id)) return;
    seen.add(id);
    logger.warn(
      "text-missing",
      `No plugin has added the text "${id}". Add it to \`kernel.addMessages\`, or correct the id.`,
    );
  };
}

function fillCatalogue(kernel: Kernel): Catalogue {
  const catalogue = createCatalogue(reportMissing(kernel));
  for (const { isOffered, plugin: _, ...language } of kernel.texts) {
    if (isOffered) catalogue.addLanguage(language);
    else catalogue.addMessages(language.tag, language.messages);
  }
  return catalogue;
}

/** Creates the service that renders pages with a renderer. */
export function createPages(kernel: Kernel, render: PageRenderer): Pages {
  // Filled on first use, because plugins that are set up later add texts too.
  let catalogue: Catalogue | undefined;
  const getCatalogue = () => (catalogue ??= fillCatalogue(kernel));
  return {
    render: (ctx, page) => renderPage(ctx, page, render),
    explain: buildFailurePage,
    listLanguages,
    check({ texts, routes }, hooks, report) {
      checkTexts(texts, report);
      checkPageNames(hooks, routes.values(), report);
    },
    translate(ctx) {
      const { languages, translator } = getCatalogue();
      if (languages.length === 1) return translator([]);
      return andThen(ctx.languages(), translator);
    },
    get catalogue() {
      return getCatalogue();
    },
  };
}
