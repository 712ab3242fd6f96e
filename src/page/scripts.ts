import type { Block, FormScript, Page } from "../types/page.ts";

function listFormScripts(blocks: readonly Block[]): FormScript[] {
  return blocks.flatMap((block) => {
    if (block.kind === "form") return block.form.script ?? [];
    return "blocks" in block ? listFormScripts(block.blocks) : [];
  });
}

/** Returns the scripts of a page's forms, each once. Scripts outside the routes' base URL are left out. */
export function getPageScripts(
  { blocks }: Page,
  base: string,
  dropped: (what: string) => void = () => {},
): FormScript[] {
  const own = listFormScripts(blocks).filter(({ src }) => {
    const isOwn = src.startsWith(`${base}/`);
    if (!isOwn) dropped(`the script of a form, which stays hidden: use a URL below ${base}/`);
    return isOwn;
  });
  return [...new Map(own.map((one) => [one.src, one])).values()];
}
