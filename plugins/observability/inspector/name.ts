/** The name of the plugin. */
export const NAME = "observability/inspector";
