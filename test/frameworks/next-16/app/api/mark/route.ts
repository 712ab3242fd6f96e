import { auth, mark, toRequestSource } from "../../../auth";

export const GET = async () => Response.json(await mark(await toRequestSource()));

export const POST = auth(async (request) => Response.json(await mark(request)));
