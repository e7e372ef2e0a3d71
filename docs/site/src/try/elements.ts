/** `<try-example>` and `<conformance-cases>`: a button each, whose worker starts when it is pressed. */
import { element } from "../element.ts"
import type { Report } from "./worker.ts"

/** Runs in a worker of its own, until it is done or the page is left. */
const start = (what: string, onReport: (report: Report) => void) => {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
  const finish = (report: Report) => {
    onReport(report)
    if (report._tag === "Done" || report._tag === "Failed") worker.terminate()
  }
  worker.onmessage = ({ data }: MessageEvent<Report>) => finish(data)
  worker.onerror = ({ message }) => finish({ _tag: "Failed", text: message })
  worker.postMessage(what)
}

/** A button, and below it what its press brings; `begin` empties it and takes the reports. */
const mount = (
  host: HTMLElement,
  label: string,
  what: string,
  begin: (place: HTMLElement) => (report: Report) => string
) => {
  const place = element("div")
  const status = element("span", { role: "status" })
  const button = element("button", { type: "button" }, label)
  button.onclick = () => {
    place.replaceChildren()
    status.textContent = "Running …"
    button.disabled = true
    const take = begin(place)
    start(what, (report) => {
      status.textContent = take(report)
      button.disabled = report._tag !== "Done" && report._tag !== "Failed"
    })
  }
  host.replaceChildren(element("div", { className: "try" }, button, status), place)
}

class TryExample extends HTMLElement {
  connectedCallback() {
    const file = this.getAttribute("file") ?? ""
    mount(this, "Run here", file, (place) => {
      const output = element("pre", { role: "region", ariaLabel: `Output of ${file}` })
      place.append(output)
      return (report) => {
        if (report._tag === "Line") output.append(`${report.text}\n`)
        if (report._tag === "Failed") output.append(report.text)
        return { Line: "Running …", Case: "", Done: "Done", Failed: "Failed" }[report._tag]
      }
    })
  }
}

class ConformanceCases extends HTMLElement {
  connectedCallback() {
    mount(this, "Run the cases in this browser", "conformance", (place) => {
      const body = element("tbody")
      const names = ["Section", "Case", "Result"].map((name) => element("th", { scope: "col" }, name))
      const table = element("table", {}, element("thead", {}, element("tr", {}, ...names)), body)
      scrolling.observe(table)
      place.append(table)
      let [count, failed] = [0, 0]
      return (report) => {
        if (report._tag === "Case") {
          const { failure, name, section } = report
          count++
          if (failure !== undefined) failed++
          const cells = [section, name, failure ?? "passed"].map((text) => element("td", {}, text))
          body.append(element("tr", {}, ...cells))
        }
        if (report._tag === "Failed") return `Failed: ${report.text}`
        return `${report._tag === "Done" ? "" : "Running … "}${count} cases, ${failed} failed`
      }
    })
  }
}

customElements.define("try-example", TryExample)
customElements.define("conformance-cases", ConformanceCases)

/** A table or diagram that is wider than its place scrolls, and takes the focus for that. */
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0")
    else target.removeAttribute("tabindex")
  }
})
for (const wide of document.querySelectorAll(
  ".sl-markdown-content table, .diagram, .sl-openapi-operation-method-path"
)) {
  scrolling.observe(wide)
}
