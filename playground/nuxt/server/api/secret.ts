// The route rule lets no one in without a session; `requireAuthSession` returns it, typed.
export default defineEventHandler(async (event) => {
  const { user } = await requireAuthSession(event);
  return { secret: `${user?.name ?? user?.email} may read this.` };
});
