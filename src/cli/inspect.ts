import type { CommandDef } from "citty";
import type { Inspection } from "../types/inspection.ts";
import { define, print, printError } from "./command.ts";
import { diagnoseAt } from "./diagnose-at.ts";
import { LOAD_ARGS, loadAuth, readEnvFile } from "./load-auth.ts";
import { renderSection, type Row, toLine } from "./table.ts";

function listFields(value: object): string {
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${typeof inner === "object" ? JSON.stringify(inner) : inner}`)
    .join(", ");
}

const SECTIONS: readonly [heading: string, rows: (inspection: Inspection) => Row[]][] = [
  [
    "Application",
    ({ basePath, strategy, adapter, store }) => [
      { name: "base path", value: basePath || "/" },
      { name: "strategy", value: strategy },
      { name: "adapter", value: adapter?.methods.join(", ") ?? "none" },
      { name: "store", value: store.backend?.name ?? "none" },
    ],
  ],
  [
    "Plugins",
    ({ plugins }) =>
      plugins.map(({ name, provides }) => ({ plugin: name, provides: provides.join(", ") })),
  ],
  ["Providers", ({ providers }) => providers.map(({ id, name, type }) => ({ id, name, type }))],
  [
    "Routes",
    ({ routes }) =>
      routes.map(({ method, path, auth, csrf, plugin }) => ({
        method,
        path,
        auth: auth === true ? "yes" : auth || "-",
        csrf,
        plugin,
      })),
  ],
  [
    "Hooks",
    ({ hooks }) =>
      Object.entries(hooks).flatMap(([hook, { kind, taps }]) =>
        taps.map(({ name, stage, plugin }) => ({
          hook,
          kind,
          tap: name,
          stage: String(stage),
          plugin,
        })),
      ),
  ],
  [
    "Events",
    ({ events }) =>
      Object.entries(events).map(([event, plugins]) => ({ event, plugins: plugins.join(", ") })),
  ],
  ["Services", ({ services }) => services.map(({ name, plugin }) => ({ service: name, plugin }))],
  [
    "Cookies",
    ({ cookies }) =>
      Object.entries(cookies).map(([purpose, { name, attributes }]) => ({
        purpose,
        name,
        attributes: listFields(attributes),
      })),
  ],
  [
    "Pages",
    ({ pages }) => Object.entries(pages).map(([page, url]) => ({ page, url: String(url) })),
  ],
  [
    "Records",
    ({ store }) =>
      store.namespaces.map(({ namespace, plugin, requirements }) => ({
        namespace,
        plugin,
        requirements: listFields(requirements),
      })),
  ],
];

/** `keyhook inspect` */
export const inspectCommand: CommandDef = define({
  meta: { name: "inspect", description: "Prints what the Auth of a module has registered." },
  args: {
    file: { type: "positional", required: true, description: "Module that exports the Auth." },
    ...LOAD_ARGS,
    json: { type: "boolean", description: "Print JSON." },
  },
  async run(args) {
    readEnvFile(args.env);
    const auth = await loadAuth(args.file, args.export);
    const { inspection, faults } = await diagnoseAt(auth, args.url)();
    if (!inspection) {
      for (const { type, message } of faults) printError(`${type}: ${toLine(message)}`);
      process.exitCode = 1;
      return;
    }
    print(
      args.json
        ? JSON.stringify(inspection, null, 2)
        : SECTIONS.map(([heading, rows]) => renderSection(heading, rows(inspection)))
            .filter(Boolean)
            .join("\n"),
    );
  },
});
