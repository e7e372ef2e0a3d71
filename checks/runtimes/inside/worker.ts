/** Cases from a worker: its response to a request is the results of the task in its bindings. */
import { results } from "./task.ts"

export default {
  fetch: async (_: Request, { TASK }: { readonly TASK: string }): Promise<Response> =>
    Response.json(await results(TASK))
}
