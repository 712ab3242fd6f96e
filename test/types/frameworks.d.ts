// Frameworks whose types are extended, and which only `test/frameworks/` installs.
declare module "nitropack/types" {
  export interface NitroRouteConfig {}
}

declare module "nitro/types" {
  export interface NitroRouteConfig {}
}
