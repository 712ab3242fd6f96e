import { didYouMean } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import type { HookTable } from "../hooks/hooks.ts";
import type { Route } from "../types/kernel.ts";

/** Names that are correct even if no route shows the page: "*" is every page, "failure" has no route. */
const PAGES = ["*", "error", "failure", "signin", "signout", "verify-request", "account"];

/** Reports taps of pages with misspelled names. A page is shown by the GET route of its name. */
export function checkPageNames(
  hooks: ReturnType<HookTable["list"]>,
  routes: Iterable<Route>,
  report: Report,
): void {
  const shown = [...routes].filter(({ method }) => method === "GET");
  const pages = [...PAGES, ...shown.map(({ path }) => path.slice(1))];
  for (const [hook, { taps }] of hooks) {
    const name = hook.startsWith("page:") ? hook.slice("page:".length) : "*";
    const hint = pages.includes(name) ? "" : didYouMean(name, pages);
    for (const plugin of hint ? new Set(taps.map((tap) => tap.plugin)) : []) {
      report(new PluginError(`There is no page "${name}" (plugin "${plugin}").${hint}`));
    }
  }
}
