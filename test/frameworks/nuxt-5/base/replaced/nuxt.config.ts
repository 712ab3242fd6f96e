// A layer whose configuration another layer replaces, as an application replaces that of its
// layers.
export default defineNuxtConfig({});
