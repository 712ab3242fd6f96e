export default function Static() {
  return <p id="static">for all visitors</p>;
}
