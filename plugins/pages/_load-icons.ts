import type { Icon, ProviderBase } from "../../src/kernel.ts";

/** Loads the icons of providers by their ids: the provider's own icon, or else one that was drawn for the pages. */
export async function loadIcons(
  providers: Iterable<ProviderBase>,
): Promise<ReadonlyMap<string, Icon>> {
  const { ICONS } = await import("./_icons.ts");
  const icons = new Map(ICONS);
  const load = async ({ id, style }: ProviderBase) => {
    // If an icon cannot be loaded, the page is shown without it.
    const own = await style?.icon?.().catch(() => undefined);
    if (own) icons.set(id, own.ICON);
  };
  await Promise.all([...providers].map(load));
  return icons;
}
