import { object, text } from "../read/Json.ts"
import { referenceOf, type Schema } from "./References.ts"
import { isNullOnly, once, type Schemas } from "./Schemas.ts"
import { add, type Choice, type Whole } from "./Whole.ts"

/** A value that no enum has. */
export const unknown = "x-verify-new"

/** Whether a schema is one of those that the keys name already. */
export const isThere = (schemas: Schemas, keys: ReadonlySet<string>, part: Schema) =>
  text(part.node, "$ref") !== undefined &&
  [...schemas.whole([part]).keys].every((key) => key === part.pointer || keys.has(key))

/** Whether its values are objects. */
export const isStruct = (schemas: Schemas, { choices, nodes, properties, required, types }: Whole): boolean =>
  types === undefined
    ? properties.size + required.size > 0 ||
      nodes.some(({ node }) => "additionalProperties" in node) ||
      choices.some(({ parts }) => parts.some((part) => schemas.whole([part]).properties.size > 0))
    : types.has("object")

/** The same for the same key of a document, which a value comes to at many places. */
const perDocument = <K extends object, A>(compute: (schemas: Schemas, key: K) => A) => {
  const of = once((schemas: Schemas) => once((key: K) => compute(schemas, key)))
  return (schemas: Schemas, key: K): A => of(schemas)(key)
}

/** The heirs of a base by all that they extend. */
const extending = perDocument((schemas, heirs: ReadonlyArray<Schema>) => {
  const found = new Map<string, Array<Schema>>()
  for (const heir of heirs) for (const key of schemas.whole([heir]).keys) add(found, key, heir)
  return found
})

/** The choices of a schema; of a base that lists what extends it, this is one of those, or what extends this. */
const choicesOf = perDocument((schemas, { choices, keys, nodes }: Whole) =>
  choices.map((choice) => {
    const { kind, parts } = choice
    const base = choice.site.replace(/\/heirs$/, "")
    const between =
      kind !== "heirs"
        ? []
        : nodes
            .flatMap((one) => schemas.target(one) ?? [])
            .filter((one) => one.pointer !== base && schemas.whole([one]).keys.has(base))
            .map(({ pointer }) => pointer)
    const site = kind === "heirs" ? `${between[0] ?? base}/heirs` : choice.site
    const find = (): Choice | undefined => {
      const isOther = (part: Schema) => !isThere(schemas, keys, part)
      if (kind !== "heirs") return parts.every(isOther) ? choice : undefined
      const near = between[0] === undefined ? parts : (extending(schemas, parts).get(between[0]) ?? [])
      const heirs = near.filter((part) => isOther(part) && between.every((key) => schemas.whole([part]).keys.has(key)))
      return heirs.length === 0 ? undefined : { ...choice, parts: heirs, site }
    }
    let found: { readonly choice: Choice | undefined } | undefined
    // each of many heirs has all of them
    return { site, choice: () => (found ??= { choice: find() }).choice }
  })
)

export const left = (schemas: Schemas, whole: Whole, done: ReadonlySet<string>): ReadonlyArray<Choice> =>
  choicesOf(schemas, whole).flatMap(({ choice, site }) => (done.has(site) ? [] : (choice() ?? [])))

/** The field and the values by which a discriminator names an alternative, if it does. */
export const tagOf = (
  schemas: Schemas,
  { discriminator, parts }: Choice,
  part: Schema,
  whole: Whole
): readonly [name: string, values: ReadonlyArray<unknown>] | undefined => {
  const name = text(discriminator, "propertyName")
  if (name === undefined) return undefined
  const own = schemas.whole(whole.properties.get(name) ?? [])
  const to = text(part.node, "$ref")
  // what a schema extends can have its own of the same field
  const others = schemas.whole([part]).nodes.map(({ node }) => node["discriminator"])
  const mapped = [discriminator, ...others.filter((one) => text(one, "propertyName") === name)].flatMap((one) =>
    Object.entries(object(one, "mapping")).flatMap(([value, target]) =>
      typeof target === "string" && referenceOf(target) === to ? [value] : []
    )
  )
  const type = [...(own.types ?? [])][0]
  const typed = (value: string): unknown =>
    type === "integer" || type === "number" ? Number(value) : type === "boolean" ? value === "true" : value
  const named = mapped.length > 0 || to === undefined ? mapped : [to.split("/").at(-1) ?? ""]
  const all = [...new Set(named)].map(typed)
  const rest = text(discriminator, "defaultMapping")
  if (rest !== undefined && referenceOf(rest) === to && own.values === undefined && type === "string")
    return [name, [unknown]]
  if (own.values === undefined) return all.length === 0 ? undefined : [name, all]
  const known = all.filter((value) => own.values?.includes(value))
  if (known.length > 0) return [name, known]
  // a value that another alternative has too does not tell them apart
  const elsewhere = new Set(
    parts.flatMap((other) =>
      other === part ? [] : (schemas.whole(schemas.whole([other]).properties.get(name) ?? []).values ?? [])
    )
  )
  const [first, ...more] = own.values
  return first === undefined ? undefined : [name, [first, ...more.filter((value) => !elsewhere.has(value))]]
}

/** The alternatives of a choice; in place of one that has some itself, these. */
const leavesOf = (
  schemas: Schemas,
  { parts, site }: Choice,
  outer: ReadonlyArray<Schema> = [],
  seen: ReadonlySet<string> = new Set()
): ReadonlyArray<Whole> =>
  parts.flatMap((part) => {
    if (isNullOnly(part)) return []
    const done = new Set([...seen, site])
    const [inner] = left(schemas, schemas.whole([part]), done)
    return inner === undefined ? [schemas.whole([...outer, part])] : leavesOf(schemas, inner, [...outer, part], done)
  })

/** The types of a field, or else of its values. */
const typesOf = (schemas: Schemas, field: ReadonlyArray<Schema>): ReadonlyArray<string> => {
  const { types, values = [] } = schemas.whole(field)
  return [...(types ?? values.map((value) => typeof value))]
}

/** The fields that tell the alternatives of a choice apart. */
export const tellersOf = perDocument((schemas, choice: Choice): ReadonlyArray<string> => {
  const name = text(choice.discriminator, "propertyName")
  const leaves = choice.kind === "if" ? [] : leavesOf(schemas, choice)
  /** The values of each field in the alternatives that name some. */
  const fields = new Map<string, Array<string>>()
  for (const { properties } of leaves)
    for (const [field, parts] of properties) {
      const all = fields.get(field) ?? []
      const { values } = schemas.whole(parts)
      if (values?.some((value) => value !== null) === true) all.push(JSON.stringify(values))
      fields.set(field, all)
    }
  const told = Array.from(fields).flatMap(([field, [first, ...rest]]) =>
    // one with the same values in several alternatives tells nothing apart
    first !== undefined && (rest.length === 0 || rest.some((one) => one !== first)) ? [field] : []
  )
  return name === undefined ? told : [...new Set([name, ...told])]
})

/** Whether only booleans tell all alternatives apart: there is no third truth. */
export const isComplete = perDocument((schemas, choice: Choice): boolean => {
  const leaves = leavesOf(schemas, choice)
  const name = text(choice.discriminator, "propertyName")
  const told = tellersOf(schemas, choice).filter(
    (field) => field === name || leaves.every(({ properties }) => properties.has(field))
  )
  const isBoolean = (field: string) =>
    leaves.some(({ properties }) => typesOf(schemas, properties.get(field) ?? []).includes("boolean"))
  return told.length > 0 && told.every(isBoolean)
})

/** Whether these fields can be an alternative with new values of enums: no field has other values in each alternative. */
export const isGrown = (schemas: Schemas, choice: Choice, names: ReadonlySet<string>): boolean => {
  const leaves = leavesOf(schemas, choice)
  const isTeller = (name: string) => {
    const all = leaves.map(({ properties }) => schemas.whole(properties.get(name) ?? []).values ?? [])
    return all.every(({ length }) => length > 0) && new Set(all.flat()).size === all.flat().length
  }
  return ![...names].some(isTeller) && leaves.some(({ required }) => [...required].every((name) => names.has(name)))
}

/** Values of fields that no alternative has; of a boolean, one of its two. */
export const freshOf = (
  schemas: Schemas,
  choice: Choice,
  outer: ReadonlyArray<Schema>,
  tellers: Iterable<string>
): ReadonlyArray<readonly [string, unknown]> =>
  Array.from(tellers, (field) => {
    const all = [schemas.whole(outer), ...leavesOf(schemas, choice)]
    const types = all.flatMap(({ properties }) => typesOf(schemas, properties.get(field) ?? []))
    const isNumber = types.includes("integer") || types.includes("number")
    return [field, types.includes("boolean") ? true : isNumber ? 987_654 : unknown]
  })
