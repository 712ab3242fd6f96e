import type { Icon, ProviderBase } from "../../src/kernel.ts";

/** Loads the icons of providers by their ids: their own, else those that are drawn for the pages. */
export async function loadIcons(
  providers: Iterable<ProviderBase>,
): Promise<ReadonlyMap<string, Icon>> {
  const { ICONS } = await import("./_icons.ts");
  const icons = new Map(ICONS);
  const load = async ({ id, style }: ProviderBase) => {
    // A page is shown without an icon that cannot be loaded.
    const own = await style?.icon?.().catch(() => undefined);
    if (own) icons.set(id, own.ICON);
  };
  await Promise.all([...providers].map(load));
  return icons;
}
