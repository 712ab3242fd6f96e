export default defineEventHandler(async () => runTask("keyhook:cleanup"));
