import { eventHandler } from "h3";
import { requireAuthSession } from "keyhook/nitro";

export default eventHandler(async (event) => (await requireAuthSession(event)).user);
