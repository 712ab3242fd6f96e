import { setTimeout } from "node:timers/promises";
import type { PageServerLoad } from "./$types";

export const load: PageServerLoad = ({ locals, setHeaders, url }) => {
  if (url.searchParams.has("shared")) setHeaders({ "cache-control": "public, max-age=60" });
  const late = async () => {
    await setTimeout(100);
    return (await locals.auth())?.user?.name ?? "nobody";
  };
  return { late: late() };
};
