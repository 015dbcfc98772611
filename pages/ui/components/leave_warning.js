// Who leaves the page by accident, by Back, a reload or closing its tab, is asked first: what it shows is shown once.
export default function () {
  const ask = event => event.preventDefault()
  addEventListener("beforeunload", ask)
  return () => removeEventListener("beforeunload", ask)
}
