import { auth } from "../../../auth";

async function readName() {
  "use cache";
  return (await auth())?.user?.name ?? null;
}

// A cache for all visitors: Next.js refuses to read the session there.
export async function GET() {
  const name = await readName().catch((error: Error) => `refused: ${error.message}`);
  return Response.json({ name });
}
