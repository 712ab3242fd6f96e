import { requireAuthSession } from "keyhook/nitro";

export default defineEventHandler(async (event) => (await requireAuthSession(event)).user);
