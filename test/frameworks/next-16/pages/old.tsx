import type { GetServerSidePropsContext } from "next";
import { auth } from "../auth";

export async function getServerSideProps(context: GetServerSidePropsContext) {
  const session = await auth(context);
  return { props: { name: session?.user?.name ?? "stranger" } };
}

export default function Old({ name }: { name: string }) {
  return <p id="old">{name}</p>;
}
