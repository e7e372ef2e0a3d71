/** Reads the words of an `operationId`: frameworks put a class before the method, and what makes it unique behind it. */
import * as Names from "./Names.ts"
import type { OperationModel } from "./OperationModel.ts"

export interface Parts {
  /** The words of the class. */
  readonly owner: ReadonlyArray<string>
  /** The words of the method; the bare ones are without the number that makes it unique in the document. */
  readonly own: ReadonlyArray<string>
  readonly bare: ReadonlyArray<string>
  readonly whole: ReadonlyArray<string>
}

/** NestJS, gRPC-Gateway, JAX-RS: `PetsController_list`; Phoenix, with the module: `Shop.PetsController.list`. */
const ofClass = /^(?:.*\.)?(\w*?[A-Za-z\d])(?:Controller|Service|Resource|Api|API)[^A-Za-z\d]+([A-Za-z].*)$/s

/** Spring: `pet-controller`; gRPC: `PetService`. */
const asGroup = /^(\S*[A-Za-z\d])(?:-controller|Controller|Service|Resource|Api|API)$/

/** Spring: `list_1`; NestJS, for each of several paths: `list[0]`. */
const number = /(?:_\d+|\[\d+\])$/

/** The method and the path in the place of an ID; the bare words are without what leads to the group. */
const ofPath = (model: OperationModel, path: string): Parts => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const group = groupOf(model)
  const inGroup = segments.findIndex((segment) => Names.isSame(Names.words(segment), group)) + 1
  // one of a list is not the list
  const by = /^\{([^{}]*)\}$/.exec(segments.at(-1) ?? "")?.[1]
  const wordsOf = (some: ReadonlyArray<string>) => [
    model.method.toLowerCase(),
    ...Names.words(some.join("/").replace(/\{[^{}]*\}/g, " ")),
    ...(by === undefined ? [] : ["by", ...Names.words(by)])
  ]
  const whole = wordsOf(segments)
  return { owner: [], own: whole, bare: wordsOf(segments.slice(inGroup)), whole }
}

/** The parts of an ID, or of what is in its place. */
export const read = (model: OperationModel): Parts => {
  const { id, key, method } = model
  const path = key.replace(/^\S+ /, "")
  if (id.includes(" /")) return ofPath(model, path)
  // FastAPI (`generate_unique_id`)
  const route = `${path}_${method.toLowerCase()}`.replaceAll(/\W/g, "_")
  const given = id.endsWith(route) && id !== route ? id.slice(0, -route.length) : id
  const [, owner = "", own = given] = ofClass.exec(given) ?? []
  const [words, bare] = [Names.words(own), Names.words(own.replace(number, ""))]
  return { owner: Names.words(owner), own: words, bare: bare.length === 0 ? words : bare, whole: Names.words(given) }
}

/** The words of a group, without the kind of its class. */
export const groupOf = ({ tag }: OperationModel): ReadonlyArray<string> => Names.words(asGroup.exec(tag)?.[1] ?? tag)
