import { mark, toRequestSource } from "../../auth";

export default async function Marked() {
  return <p>Marked for {await mark(await toRequestSource())}</p>;
}
