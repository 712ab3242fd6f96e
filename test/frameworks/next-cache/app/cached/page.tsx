import { cacheLife } from "next/cache";

async function Time() {
  "use cache";
  cacheLife("max");
  return <p id="time">{Date.now()}</p>;
}

export default function Cached() {
  return <Time />;
}
