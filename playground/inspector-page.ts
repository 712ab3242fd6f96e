import type { Inspection } from "../presets/index.ts";
import type { AppPage } from "./layout.ts";
import { type Markup, markup } from "./markup.ts";

type Cell = string | Markup;

function table(title: string, head: readonly string[], rows: readonly (readonly Cell[])[]): Markup {
  const cells = (row: readonly Cell[]) =>
    row.map((cell, at) => markup`<td data-label="${head[at]}">${cell}</td>`);
  return markup`<section class="card">
<h2>${title}</h2>
<table>
<thead><tr>${head.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => markup`<tr>${cells(row)}</tr>`)}</tbody>
</table>
</section>`;
}

const code = (text: string) => markup`<code>${text}</code>`;

const STAGES: Record<number, string> = {
  [-100]: "first",
  [-10]: "early",
  0: "normal",
  10: "late",
  100: "last",
};

function listTaps(taps: Inspection["hooks"][string]["taps"]): Cell {
  if (!taps.length) return markup`<span class="quiet">none</span>`;
  const items = taps.map(
    ({ name, stage, plugin }) =>
      markup`<li><strong>${name}</strong> ${STAGES[stage] ?? stage}${
        plugin !== name && markup`, <small>by ${plugin}</small>`
      }</li>`,
  );
  return markup`<ol class="taps">${items}</ol>`;
}

function formatAttributes(attributes: object): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== false && value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name}=${String(value)}`))
    .join(", ");
}

/** Renders everything that `auth.inspect()` returns, as tables. */
export function inspectorPage(inspection: Inspection): AppPage {
  const { plugins, hooks, events, routes, cookies, providers, store, adapter } = inspection;
  const broughtBy = (name: string) => [
    ...routes.flatMap(({ method, path, plugin }) => (plugin === name ? `${method} ${path}` : [])),
    ...Object.entries(hooks).flatMap(([hook, { taps }]) =>
      taps.some(({ plugin }) => plugin === name) ? `a tap of ${hook}` : [],
    ),
  ];
  return {
    title: "Inspector",
    here: "/inspector",
    content: markup`<main class="wide">
<div class="intro"><h1>Inspector</h1>
<p class="quiet">The result of <code>auth.inspect()</code>: all plugins, and the taps of each hook in the order in which they run.
Base path <code>${inspection.basePath}</code>, sessions kept by <code>${inspection.strategy}</code>,
records in <code>${store.backend?.name ?? "no store"}</code>, ${adapter?.methods.length ?? 0} methods of the adapter.</p></div>
${table(
  "Hooks",
  ["Hook", "Kind", "Taps"],
  Object.entries(hooks).map(([name, { kind, taps }]) => [code(name), kind, listTaps(taps)]),
)}
${table(
  "Events",
  ["Event", "Listeners"],
  Object.entries(events).map(([name, plugins]) => [code(name), plugins.join(", ")]),
)}
${table(
  "Providers",
  ["Provider", "Name", "Type"],
  providers.map(({ id, name, type }) => [code(id), name, type]),
)}
${table(
  "Plugins",
  ["Plugin", "Adds"],
  plugins.map(({ name, provides }) => [code(name), [...provides, ...broughtBy(name)].join(", ")]),
)}
${table(
  "Routes",
  ["Route", "CSRF token", "Plugin"],
  routes.map(({ method, path, csrf, plugin }) => [code(`${method} ${path}`), csrf, plugin]),
)}
${table(
  "Cookies",
  ["For", "Name", "Attributes"],
  Object.entries(cookies).map(([key, { name, attributes }]) => [
    key,
    code(name),
    formatAttributes(attributes),
  ]),
)}
${table(
  "Store",
  ["Namespace", "Plugin", "Needs"],
  store.namespaces.map(({ namespace, plugin, requirements }) => [
    code(namespace),
    plugin,
    formatAttributes(requirements),
  ]),
)}
</main>`,
  };
}
