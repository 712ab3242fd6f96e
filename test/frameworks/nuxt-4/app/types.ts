// `nuxi typecheck` reads this file, and nothing runs it.
type Role = "admin" | "reader" | undefined;

export async function typed(): Promise<unknown[]> {
  definePageMeta({ auth: true });
  definePageMeta({ auth: "guest" });
  // @ts-expect-error It is true, false or "guest".
  definePageMeta({ auth: "admin" });

  const { user, session, status, signIn, waitForSession } = useAuth();
  const ofWait: Role = (await waitForSession())?.user?.role;
  const role: Role = user.value?.role;
  const ofSession: Role = session.value?.user?.role;
  // @ts-expect-error No one has declared it.
  const unknown: unknown = user.value?.rank;
  // @ts-expect-error There is no such status.
  const isEnded = status.value === "ended";
  const result = await signIn("op", { redirect: false });
  const reason: string | undefined = result.ok ? undefined : result.error;

  const { methods, message, code } = await useSignIn({ redirectTo: "/" });
  const label: string | undefined = methods.value[0]?.label;
  const reasonCode: string | undefined = code.value;
  const tone: "info" | "error" | undefined = message.value?.tone;
  // @ts-expect-error It is a path.
  await useSignIn({ redirectTo: 1 });
  const { data } = useSession();
  const ofData: Role = data.value?.user?.role;
  const ofUserSession: Role = useUserSession().user.value?.role;
  return [
    role,
    ofSession,
    unknown,
    isEnded,
    reason,
    reasonCode,
    ofWait,
    label,
    tone,
    ofData,
    ofUserSession,
  ];
}
