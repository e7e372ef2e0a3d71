export default function Page() {
  return <p>It needs no request.</p>
}
