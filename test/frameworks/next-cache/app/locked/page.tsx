export default function Locked() {
  return <p>the locked page</p>;
}
