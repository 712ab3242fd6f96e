import { eventHandler } from "h3";
import { getAuthSession } from "keyhook/nitro";

export default eventHandler(async (event) => ({
  name: (await getAuthSession(event))?.user?.name ?? null,
}));
