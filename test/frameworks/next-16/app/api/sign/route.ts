import { auth, signIn, signOut } from "../../../auth";

export async function POST(request: Request) {
  const before = await auth();
  const fields = Object.fromEntries(await request.formData());
  const url = await signIn("credentials", { ...fields, redirect: false, redirectTo: "/locked" });
  const after = await auth();
  return Response.json({ before: before?.user?.name ?? null, after: after?.user?.name, url });
}

// Redirects to the front page with Next.js's redirect.
export const DELETE = auth(async () => signOut({ redirectTo: "/" }));
