import { getAuthSession } from "keyhook/nitro";
import { defineHandler } from "nitro/h3";

export default defineHandler(
  async (event) => (await getAuthSession(event))?.user?.name ?? "nobody",
);
