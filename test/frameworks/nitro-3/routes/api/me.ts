import { requireAuthSession } from "keyhook/nitro";
import { defineHandler } from "nitro/h3";

export default defineHandler(async (event) => (await requireAuthSession(event)).user);
