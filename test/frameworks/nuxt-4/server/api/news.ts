export default defineEventHandler(() => "of today");
