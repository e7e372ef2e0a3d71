/** `<try-example>`: a button that runs an example in the page, and what it prints. */
import { button, element } from "../element.ts"
import type { Report } from "./worker.ts"

class TryExample extends HTMLElement {
  connectedCallback() {
    const file = this.getAttribute("file") ?? ""
    const output = element("pre", { role: "region", ariaLabel: `Output of ${file}`, hidden: true })
    const state = element("span", { role: "status" })
    const run = button("Run here", () => {
      output.replaceChildren()
      output.hidden = false
      run.disabled = true
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
      const take = ({ status, text }: Report) => {
        output.append(text)
        state.textContent = status
        if (status === "Running …") return
        worker.terminate()
        run.disabled = false
      }
      worker.onmessage = ({ data }: MessageEvent<Report>) => take(data)
      worker.onerror = ({ message }) => take({ text: message, status: "Failed" })
      take({ text: "", status: "Running …" })
      worker.postMessage(file)
    })
    this.replaceChildren(element("div", { className: "try" }, run, state), output)
  }
}

customElements.define("try-example", TryExample)

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
