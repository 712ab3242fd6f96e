import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { createAuth } from "../presets/index.ts";
import type { ProviderPlugin } from "../src/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = `${root}README.md`;

/** The tables of the README that the code knows better. `npm run docs` writes them. */
const blocks: Record<string, () => Promise<string>> = {
  async hooks() {
    const secret = "a secret for this test alone, 32 characters and more";
    const { hooks } = await createAuth({ secret, trustHost: true }).inspect();
    const file = ts.createSourceFile(
      "kernel.ts",
      readFileSync(`${root}src/types/kernel.ts`, "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    const declared = file.statements.find(
      (node) => ts.isInterfaceDeclaration(node) && node.name.text === "AuthHooks",
    ) as ts.InterfaceDeclaration;
    const rows = declared.members.filter(ts.isPropertySignature).map((member) => {
      const name = member.name.getText();
      const type = member.type as ts.TypeReferenceNode;
      const isMap = type.typeName.getText() === "HookMap";
      const [given] = type.typeArguments as unknown as [ts.TupleTypeNode];
      const told = given.elements
        .filter(ts.isNamedTupleMember)
        .map((argument) => `\`${argument.name.text}\``);
      // A map's hooks are made when first asked for.
      const kind = isMap ? "waterfall" : hooks[name]?.kind;
      const says = ts.getJSDocCommentsAndTags(member)[0] as ts.JSDoc;
      const label = isMap ? `${name}.for(name)` : name;
      return [`\`${label}\``, kind, told.join(", "), ts.getTextOfJSDocComment(says.comment)];
    });
    return table(["Hook", "Kind", "Told", "Decides"], rows);
  },

  async providers() {
    const rows = await Promise.all(
      globSync("plugins/providers/*.ts", { cwd: root }).map(async (file) => {
        const module = (await import(root + file)) as Record<string, () => ProviderPlugin>;
        const { name, type } = module.default!().provider;
        const factory = Object.keys(module).find((key) => key.endsWith("Plugin"));
        const id = basename(file, ".ts");
        return [name, `\`${factory}\``, `\`keyhook/providers/${id}\``, type];
      }),
    );
    rows.sort(([one = ""], [other = ""]) => one.localeCompare(other, "en"));
    return table(["Provider", "Plugin", "Import", "Type"], rows);
  },
};

function table(head: string[], rows: (string | undefined)[][]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell?.replaceAll("|", "\\|") ?? "").join(" | ")} |`)
    .join("\n");
}

for (const [name, generate] of Object.entries(blocks))
  it(`has the ${name} that the code has`, async () => {
    const text = readFileSync(readme, "utf8");
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [before, rest] = text.split(start);
    const [found, after] = rest?.split(end) ?? [];
    if (after === undefined) throw new Error(`README.md has no ${start} ... ${end}`);
    const wanted = await generate();
    if (process.env.KEYHOOK_DOCS === "write")
      writeFileSync(readme, `${before}${start}\n\n${wanted}\n\n${end}${after}`);
    else expect(found?.trim()).toBe(wanted);
  });
