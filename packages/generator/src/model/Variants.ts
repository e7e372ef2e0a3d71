import { parts, resolved, type Field, type Literals, type Shape, type ShapeOf, type Union } from "./Shape.ts"

/** Fields that tell alternatives apart, and whether a list of values that has a name is one of theirs. */
type Fields = ReadonlyMap<string, boolean>

/** Alternatives that are objects. */
export interface Variants {
  /** The fields that tell them apart: if one is enough, no other. */
  readonly fields: Fields
  /** The known values of those that tell all of them apart. */
  readonly tags: ReadonlyArray<readonly [name: string, values: Literals["values"], isRequired: boolean]>
  /** Whether there can be others. */
  readonly canGrow: boolean
}

type Constant = Field & { readonly shape: Literals }

/** The known values of a field; behind a name only if it is one value, or one told it: many fields can share a list of them. */
const constantOf = (field: Field, shapeOf: ShapeOf, isTold = false): ReadonlyArray<Constant> => {
  const shape = resolved(field.shape, shapeOf)
  const isOwn = isTold || shape === field.shape
  return shape._tag === "Literals" && (isOwn || shape.values.length === 1) ? [{ ...field, shape }] : []
}

/** The fields of an object that have known values. */
const constants = (shape: Shape, shapeOf: ShapeOf, told: Fields = none): ReadonlyArray<Constant> =>
  shape._tag === "Struct"
    ? shape.fields.flatMap((field) => constantOf(field, shapeOf, told.get(field.name) === true))
    : []

const isTag = ({ shape }: Constant) => shape.closed || shape.values.length === 1
const valuesOf = (all: ReadonlyArray<Constant>) => all.flatMap(({ shape }) => shape.values)
const hasRepeated = (values: ReadonlyArray<unknown>) => new Set(values).size < values.length

const none: Fields = new Map()

type Objects = ReadonlyArray<Extract<Shape, { readonly _tag: "Struct" | "Record" }>>

/** The fields of objects by name. */
const named = (objects: Objects): ReadonlyMap<string, ReadonlyArray<Field>> =>
  Map.groupBy(
    objects.flatMap((object) => (object._tag === "Struct" ? object.fields : [])),
    ({ name }) => name
  )

/** Whether fields of one name tell some of their objects apart. */
const areApart = (fields: ReadonlyArray<Field> = [], shapeOf: ShapeOf): boolean => {
  const known = fields.flatMap((field) => constantOf(field, shapeOf))
  const told = new Set(known.filter(isTag).map(({ shape }) => JSON.stringify(shape.values)))
  // one value, where other alternatives have any
  return told.size > 1 || (told.size === 1 && known.length < fields.length)
}

/** The fields of which lists that have a name have only values that tell other alternatives apart. */
const listed = (byName: ReadonlyMap<string, ReadonlyArray<Field>>, shapeOf: ShapeOf): Fields =>
  new Map(
    Array.from(byName, ([name, fields]) => {
      const told = new Set(valuesOf(fields.flatMap((field) => constantOf(field, shapeOf)).filter(isTag)))
      const lists = fields.flatMap((field) => constantOf(field, shapeOf, true)).filter((one) => !isTag(one))
      return [name, lists.length > 0 && valuesOf(lists).every((value) => told.has(value))]
    })
  )

/** Objects by the values of a field that all of them have; one kind, if two kinds share a value. */
const kindsOf = (objects: Objects, name: string, shapeOf: ShapeOf, told: Fields): ReadonlyArray<Objects> => {
  const valuesIn = (object: Objects[number]) =>
    valuesOf(constants(object, shapeOf, told).filter((constant) => constant.name === name))
  const kinds = [...Map.groupBy(objects, (object) => JSON.stringify(valuesIn(object))).values()]
  return hasRepeated(kinds.flatMap((kind) => kind.slice(0, 1).flatMap(valuesIn))) ? [objects] : kinds
}

/** The alternatives of a union that are objects, with those of unions in it. */
export const of = ({ discriminators = [], members }: Union, shapeOf: ShapeOf): Variants => {
  const names = new Set<string>()
  const objects: Array<Objects[number]> = []
  const pending = [...members]
  for (let member = pending.shift(); member !== undefined; member = pending.shift()) {
    if (member._tag === "Reference" && !names.has(member.name)) {
      names.add(member.name)
      pending.unshift(shapeOf(member.name))
    } else if (member._tag === "Union") pending.unshift(...member.members)
    else if (member._tag === "Struct" || member._tag === "Record") objects.push(member)
  }
  const byName = named(objects)
  const told = listed(byName, shapeOf)
  const known = objects.flatMap((object) => constants(object, shapeOf, told))
  const all = Array.from(
    Map.groupBy(known, ({ name }) => name),
    ([name, fields]) => {
      const isDiscriminator = discriminators.includes(name)
      const isRequired = fields.every(({ isRequired }) => isRequired)
      const isOfAll = fields.length === objects.length && (isRequired || isDiscriminator)
      const values = valuesOf(fields)
      const isComplete = isRequired && values.every((value) => typeof value === "boolean") && new Set(values).size === 2
      return {
        name,
        values,
        isComplete,
        isDiscriminator,
        isRequired,
        isOfAll,
        isApart: areApart(byName.get(name), shapeOf)
      }
    }
  ).toSorted(
    (one, other) =>
      // a boolean leaves no value for another alternative
      Number(other.isDiscriminator) - Number(one.isDiscriminator) || Number(one.isComplete) - Number(other.isComplete)
  )
  const apart = all.filter(({ isApart, isDiscriminator }) => isApart || isDiscriminator)
  const enough = apart.find(({ isOfAll, values }) => isOfAll && !hasRepeated(values))
  const first = apart.find(({ isOfAll }) => isOfAll)
  const kinds = first === undefined ? [byName] : kindsOf(objects, first.name, shapeOf, told).map(named)
  // a service adds values of what tells nothing more
  const isNeeded = (one: (typeof apart)[number]) =>
    one === first || one.isDiscriminator || kinds.some((kind) => areApart(kind.get(one.name), shapeOf))
  const chosen = enough === undefined ? apart.filter(isNeeded) : [enough]
  const ofAll = chosen.filter(({ isOfAll }) => isOfAll)
  return {
    fields: new Map(chosen.map(({ name }) => [name, told.get(name) === true])),
    tags: chosen.flatMap(({ isOfAll, isRequired, name, values }) =>
      isOfAll && new Set(values.map((value) => typeof value)).size === 1
        ? [[name, [...new Set(values)], isRequired] as const]
        : []
    ),
    canGrow:
      objects.length > (discriminators.length === 0 ? 1 : 0) &&
      !(ofAll.length > 0 && ofAll.every(({ isComplete }) => isComplete)) &&
      // one that takes every object
      !objects.some((object) => object._tag === "Record" && object.value._tag === "Json")
  }
}

/** An object, or each of several, with known values only in some fields. */
const withTags = (shape: Shape, tags: Fields, shapeOf: ShapeOf): Shape => {
  if (shape._tag === "Union") return { ...shape, members: shape.members.map((one) => withTags(one, tags, shapeOf)) }
  if (shape._tag !== "Struct" || tags.size === 0) return shape
  return {
    ...shape,
    fields: shape.fields.map((field) => {
      const [constant] = tags.has(field.name) ? constantOf(field, shapeOf, tags.get(field.name)) : []
      return constant === undefined ? field : { ...field, shape: { ...constant.shape, closed: true } }
    })
  }
}

/** The tags of an object that takes other values of them where they tell nothing. */
export const openTags = (shape: Shape, fields: Fields, shapeOf: ShapeOf): ReadonlyArray<Constant> =>
  constants(resolved(shape, shapeOf), shapeOf, fields).filter(({ name, shape }) => fields.has(name) && !shape.closed)

/** The fields that tell each name apart wherever it stands. */
const closing = (shapes: ReadonlyMap<string, Shape>, others: ReadonlyArray<Shape>, shapeOf: ShapeOf) => {
  /** Where each name stands: the fields of the union that it is in, and the name that it is an alternative of. */
  const places = new Map<string, Array<{ readonly fields: Fields; readonly owner: string | undefined }>>()
  const visit = (shape: Shape, fields = none, owner?: string): void => {
    if (shape._tag === "Reference") {
      const known = places.get(shape.name)
      if (known === undefined) places.set(shape.name, [{ fields, owner }])
      else known.push({ fields, owner })
    } else if (shape._tag === "Union") {
      const own = of(shape, shapeOf).fields
      for (const part of shape.members) visit(part, own, owner)
    } else for (const part of parts(shape)) visit(part)
  }
  for (const [name, shape] of shapes) visit(shape, none, name)
  for (const shape of others) visit(shape)
  const found = new Map<string, Fields>()
  const fieldsOf = (name: string): Fields => {
    const known = found.get(name)
    if (known !== undefined) return known
    found.set(name, none)
    const [first = none, ...rest] = (places.get(name) ?? []).map(
      ({ fields, owner }) => new Map([...(owner === undefined ? [] : fieldsOf(owner)), ...fields])
    )
    const common = new Map(
      Array.from(first).flatMap(([field, isListed]) =>
        rest.every((one) => one.has(field))
          ? [[field, isListed && rest.every((one) => one.get(field) === true)] as const]
          : []
      )
    )
    found.set(name, common)
    return common
  }
  return fieldsOf
}

/**
 * Shapes whose values that tell alternatives apart are closed, unless they tell nothing in another place: services add
 * values there. `others` contain shapes too.
 */
export const closed = (
  shapes: ReadonlyMap<string, Shape>,
  others: ReadonlyArray<Shape>,
  shapeOf: ShapeOf
): ReadonlyMap<string, Shape> => {
  const fieldsOf = closing(shapes, others, shapeOf)
  const close = (shape: Shape): Shape => {
    switch (shape._tag) {
      case "Array":
        return {
          ...shape,
          item: close(shape.item),
          ...(shape.tuple && {
            tuple: {
              ...shape.tuple,
              first: shape.tuple.first.map(close),
              rest: shape.tuple.rest && close(shape.tuple.rest)
            }
          })
        }
      case "Record":
        return { ...shape, value: close(shape.value) }
      case "Struct":
        return { ...shape, fields: shape.fields.map((field) => ({ ...field, shape: close(field.shape) })) }
      case "Union":
        return withTags({ ...shape, members: shape.members.map(close) }, of(shape, shapeOf).fields, shapeOf)
      default:
        return shape
    }
  }
  return new Map(Array.from(shapes, ([name, shape]) => [name, withTags(close(shape), fieldsOf(name), shapeOf)]))
}
