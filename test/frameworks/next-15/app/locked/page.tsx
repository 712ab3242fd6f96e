import { auth } from "../../auth";

export default async function Locked() {
  return <p>the locked page of {(await auth())?.user?.name}</p>;
}
