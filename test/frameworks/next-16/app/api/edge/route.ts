import { auth } from "../../../auth";

export const runtime = "edge";

export const GET = auth(async ({ auth: session }, { params }) => {
  const again = await auth();
  return Response.json([session?.user?.name, again?.user?.name, await params]);
});
