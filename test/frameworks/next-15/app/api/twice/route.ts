import { auth } from "../../../auth";

export async function GET() {
  const [one, other] = [await auth(), await auth()];
  const headers = { "cache-control": "private, no-store" };
  return Response.json([one?.user?.name, other?.user?.name], { headers });
}
