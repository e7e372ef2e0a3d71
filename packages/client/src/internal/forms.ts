import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as HttpBody from "effect/http/HttpBody"
import * as Content from "./content.ts"
import * as Fields from "./fields.ts"
import { multipartContent } from "./formContent.ts"

/**
 * Names and values, encoded like an HTML form: `application/x-www-form-urlencoded` (URL standard, section 5).
 */
export interface Form<out S extends Schema.Codec<unknown, Fields.Fields>>
  extends Content.Body<"Form", S>, Content.Writable {
  readonly contentType: string
  readonly styles?: Fields.Styles
}

/**
 * A value of a part in a multipart body: text, bytes, or a file, which keeps its name and media type.
 */
export type Part = string | Uint8Array | Blob

/**
 * Names and values, some of them files: `multipart/form-data` (RFC 7578).
 */
export interface Multipart<out S extends Schema.Codec<unknown, Parts>>
  extends Content.Body<"Multipart", S>, Content.Writable {
  readonly contentType: string
  readonly types?: PartTypes["types"]
}

type Parts = { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }

/**
 * The media types of parts that have none of their own, by name, and the code that writes them.
 */
type PartTypes<Name extends string = string> = {
  readonly types: { readonly [name in Name]: string }
  readonly write: (fields: Parts) => HttpBody.HttpBody
}

/**
 * A form, in a request.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, or of arrays of them. `styles` writes lists and objects otherwise
 * (see the module `Style`).
 */
export const form = <S extends Schema.Codec<unknown, Fields.Fields>>(schema: S, styles?: Fields.Styles): Form<S> => {
  const contentType = "application/x-www-form-urlencoded"
  return {
    _tag: "Form",
    schema,
    contentType,
    ...(styles && { styles }),
    write: Content.optionalWriter(schema, (fields) => HttpBody.text(Fields.urlEncoded(fields, styles), contentType))
  }
}

/**
 * A file or another `Blob`, in a multipart body: from an `<input>` of a page, or from `NodeFile.open` in Node.
 */
export const File: Schema.Codec<Blob> = /* @__PURE__ */ Schema.declare(
  // no class, since every realm has its own; but a form makes a text of what is none for it, such as another library's
  (value): value is Blob => {
    if (!Predicate.hasProperty(value, "arrayBuffer")) return false
    const form = new FormData()
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the form says whether it is one
    form.append("", value as Blob)
    return typeof form.get("") !== "string"
  },
  {
    expected: "a File or a Blob, of the same realm as FormData (jsdom has its own)",
    toCodecJson: () =>
      Schema.link<Blob>()(Schema.String.annotate({ format: "binary" }), {
        decode: SchemaGetter.forbidden(() => "a file is not sent as JSON"),
        encode: SchemaGetter.forbidden(() => "a file is not sent as JSON")
      })
  }
)

/**
 * A form with files, in a request: `multipart/form-data`.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, bytes and files ({@link File}), or of arrays of them. Files are sent
 * from where they are, and not loaded into memory.
 *
 * **Example** (Uploading a file)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Avatar = Body.multipart(Schema.Struct({ name: Schema.String, image: Body.File }))
 * ```
 *
 * @see {@link partTypes} for parts that are JSON
 */
export const multipart = <S extends Schema.Codec<unknown, Parts>, Name extends NameOf<S["Encoded"]> = never>(
  schema: S,
  types?: PartTypes<Name>
): Multipart<S> => ({
  _tag: "Multipart",
  schema,
  contentType: "multipart/form-data",
  ...(types && { types: types.types }),
  write: Content.optionalWriter(schema, types?.write ?? plain)
})

type NameOf<Fields> = Fields extends unknown ? Extract<keyof Fields, string> : never

const plain = (fields: Parts): HttpBody.HttpBody => {
  const form = new FormData()
  for (const [name, part] of partsOf(fields)) form.append(name, part)
  return HttpBody.formData(form)
}

const partsOf = (fields: Parts): ReadonlyArray<readonly [name: string, part: string | Blob]> =>
  Object.entries(fields).flatMap(([key, value]) => {
    const name = Content.wellFormed(key, key)
    return [value ?? []].flat().map((part) => {
      if (typeof part === "string") return [name, Content.wellFormed(name, part)] as const
      // a copy, since a view can be of memory that is shared
      const isBytes = ArrayBuffer.isView(part)
      return [name, isBytes ? new Blob([new Uint8Array(part)], { type: "application/octet-stream" }) : part] as const
    })
  })

/**
 * Gives parts that are texts a media type, such as JSON beside a file, and files that have none of their own.
 *
 * **Details**
 *
 * A `FormData` gives a part a media type only if it is a file, which many services keep apart from fields. So the body is
 * written here. Files are still sent from where they are.
 *
 * **Example** (Uploading a file with JSON beside it)
 *
 * ```ts
 * import * as Body from "@cloud-management/client/Body"
 * import * as Wire from "@cloud-management/client/Wire"
 * import * as Schema from "effect/Schema"
 *
 * const About = Wire.jsonText(Schema.Struct({ title: Schema.String }))
 * const Document = Body.multipart(
 *   Schema.Struct({ about: About, content: Body.File }),
 *   Body.partTypes({ about: "application/json" })
 * )
 * ```
 */
export const partTypes = <Name extends string>(types: PartTypes<Name>["types"]): PartTypes<Name> => ({
  types,
  write: (fields) => {
    const { contentType, parts } = multipartContent(partsOf(fields), types)
    return HttpBody.raw(new Blob([...parts], { type: contentType }), { contentType })
  }
})
