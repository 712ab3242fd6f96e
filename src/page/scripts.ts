import type { Block, LiveForm, Page } from "../types/page.ts";

function liveFormsIn(blocks: readonly Block[]): LiveForm[] {
  return blocks.flatMap((block) => {
    if (block.kind === "form") return block.form.live ?? [];
    return "blocks" in block ? liveFormsIn(block.blocks) : [];
  });
}

/** The scripts of a page's forms, each once; those of other origins are left out. */
export function scriptsOf({ blocks }: Page, base: string): LiveForm[] {
  const own = liveFormsIn(blocks).filter(({ script }) => script.startsWith(`${base}/`));
  return [...new Map(own.map((one) => [one.script, one])).values()];
}
