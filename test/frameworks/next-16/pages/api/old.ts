import type { NextApiRequest, NextApiResponse } from "next";
import { auth } from "../../auth";

export default async function handler(req: NextApiRequest, res: NextApiResponse) {
  const session = await auth(req, res);
  const again = await auth(req, res);
  res.json([session?.user?.name ?? null, again?.user?.name ?? null]);
}
