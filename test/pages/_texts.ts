import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nativeApps } from "../../plugins/security/native-apps.ts";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Language, Messages, Plugin, PluralForms, Preset } from "../../src/kernel.ts";
import { ENGLISH } from "../../src/request/page-texts.ts";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** Collects the messages and languages that a plugin adds, and ignores other registrations. */
export function collectTexts(plugin: Plugin): {
  messages: [string, Messages][];
  languages: Language[];
} {
  const messages: [string, Messages][] = [];
  const languages: Language[] = [];
  const stub: unknown = new Proxy(() => stub, { get: () => stub, apply: () => stub });
  const kernel = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => {
      if (name === "addMessages")
        return (tag: string, texts: Messages) => messages.push([tag, texts]);
      if (name === "addLanguage") return (language: Language) => languages.push(language);
      if (name === "providers") return new Map();
      return stub;
    },
  });
  plugin.setup(kernel as never);
  return { messages, languages };
}

const withBrought = (plugin: Plugin): Plugin[] => [
  ...(plugin.plugins ?? []).flatMap(withBrought),
  plugin,
];
const listPlugins = ({ extends: bases = [], plugins }: Preset): Plugin[] => {
  const all = [...bases.flatMap(listPlugins), ...plugins.flatMap(withBrought)];
  return [...new Map(all.map((plugin) => [plugin.name, plugin])).values()];
};

/** The plugins with messages: those of the standard preset, and the others. */
export const withMessages: Plugin[] = [
  ...listPlugins(standardPreset),
  secondFactor(),
  nativeApps({ apps: { cli: { name: "Acme", device: true } } }),
].filter((plugin) => collectTexts(plugin).messages.length);

/** Every English text by id. */
export const english: Messages = Object.assign(
  {},
  ENGLISH,
  ...withMessages.flatMap((plugin) => collectTexts(plugin).messages.map(([, texts]) => texts)),
);

/** Every language of the package, with its plugin. */
export const shipped: { plugin: Plugin; language: Language }[] = await Promise.all(
  globSync("plugins/languages/*.ts", { cwd: root })
    .sort()
    .map(async (file) => {
      const [make] = Object.values((await import(root + file)) as Record<string, () => Plugin>);
      if (!make) throw new Error(`${file} exports no plugin`);
      return { plugin: make(), language: collectTexts(make()).languages[0]! };
    }),
);

/** The forms of a text: one, or one per plural category. */
export function toForms(text: string | PluralForms): string[] {
  return typeof text === "string" ? [text] : Object.values(text);
}
