export default defineNuxtRouteMiddleware(async () => {
  if (import.meta.server && !useAuth().ready.value) return undefined;
  return (await useAuth().waitForSession()) ? undefined : navigateTo("/open");
});
