// A layer whose configuration another one replaces, as an application replaces that of its layers.
export default defineNuxtConfig({});
