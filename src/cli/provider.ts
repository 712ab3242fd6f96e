import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandDef } from "citty";
import { didYouMean } from "../errors/did-you-mean.ts";
import { define, print } from "./command.ts";

function findPages(): string {
  const root = new URL(".", import.meta.resolve("keyhook/package.json"));
  return fileURLToPath(new URL("plugins/providers/docs/", root));
}

/** `keyhook provider` */
export const providerCommand: CommandDef = define({
  meta: {
    name: "provider",
    description: "Prints how to set a provider up: what to register, variables, scopes, options.",
  },
  args: {
    id: {
      type: "positional",
      required: false,
      description: "Id of the provider, such as github. Default: list all ids.",
    },
  },
  async run({ id }) {
    const folder = findPages();
    const ids = (await readdir(folder)).map((file) => basename(file, ".md"));
    if (id === undefined) return print(ids.sort().join("\n"));
    if (!ids.includes(id)) {
      const hint = didYouMean(id, ids) || " `keyhook provider` lists all.";
      throw new Error(`There is no provider "${id}".${hint}`);
    }
    const page = await readFile(`${folder}${id}.md`, "utf8");
    print(page.trimEnd());
  },
});
