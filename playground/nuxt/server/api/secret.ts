// The route rule requires a session. `requireAuthSession` returns it with its type.
export default defineEventHandler(async (event) => {
  const { user } = await requireAuthSession(event);
  return { secret: `${user?.name ?? user?.email} may read this.` };
});
