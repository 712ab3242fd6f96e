import "keyhook/types";

declare module "keyhook/types" {
  interface User {
    role?: "admin" | "reader";
  }
}
