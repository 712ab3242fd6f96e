export default defineEventHandler(() => ({ secret: true }));
