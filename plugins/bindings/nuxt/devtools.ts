/** The fields of a Nuxt DevTools tab that Keyhook uses. */
export interface DevToolsTab {
  readonly name: string;
  readonly title: string;
  /** An icon name of Iconify. */
  readonly icon: string;
  readonly category: string;
  readonly view: { readonly type: "iframe"; readonly src: string };
}

/** Returns the tab that shows the inspector of an application. */
export function createDevToolsTab(basePath: string): DevToolsTab {
  return {
    name: "keyhook",
    title: "Keyhook",
    icon: "carbon:locked",
    category: "server",
    view: { type: "iframe", src: `${basePath}/inspector` },
  };
}
