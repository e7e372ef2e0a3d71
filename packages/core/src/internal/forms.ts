import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as HttpBody from "effect/http/HttpBody"
import * as Content from "./content.ts"
import * as Fields from "./fields.ts"

/**
 * Names and values, encoded like an HTML form: `application/x-www-form-urlencoded` (URL standard, section 5).
 *
 * @category models
 * @since 0.1.0
 */
export interface Form<out S extends Schema.Codec<unknown, Fields.Fields>>
  extends Content.Body<"Form", S>, Content.Writable {
  readonly contentType: string
  readonly styles?: Fields.Styles
}

/**
 * A value of a part in a multipart body: text, bytes, or a file, which keeps its name and media type.
 *
 * @category models
 * @since 0.1.0
 */
export type Part = string | Uint8Array | Blob

/**
 * Names and values, some of them files: `multipart/form-data` (RFC 7578).
 *
 * @category models
 * @since 0.1.0
 */
export interface Multipart<
  out S extends Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>
>
  extends Content.Body<"Multipart", S>, Content.Writable {
  readonly contentType: string
}

/**
 * A form, in a request.
 *
 * **Details**
 *
 * The schema's encoded side is a record of strings, or of arrays of them. `styles` writes lists and objects otherwise
 * (see the module `Style`).
 *
 * @category constructors
 * @since 0.1.0
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
 *
 * @category schemas
 * @since 0.1.0
 */
export const File: Schema.Codec<Blob> = /* @__PURE__ */ Schema.declare(
  // no class, since every realm has its own
  (value): value is Blob => Predicate.hasProperty(value, "arrayBuffer") && Predicate.hasProperty(value, "size"),
  {
    expected: "a File or a Blob",
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
 * import * as Body from "@cloud-management/core/Body"
 * import * as Schema from "effect/Schema"
 *
 * const Avatar = Body.multipart(Schema.Struct({ name: Schema.String, image: Body.File }))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const multipart = <
  S extends Schema.Codec<unknown, { readonly [name: string]: Part | ReadonlyArray<Part> | undefined }>
>(
  schema: S
): Multipart<S> => ({
  _tag: "Multipart",
  schema,
  contentType: "multipart/form-data",
  write: Content.optionalWriter(schema, (fields) => {
    const form = new FormData()
    for (const [key, value] of Object.entries(fields)) {
      const name = Content.wellFormed(key, key)
      for (const part of isParts(value) ? value : value === undefined ? [] : [value]) {
        if (typeof part === "string") form.append(name, Content.wellFormed(name, part))
        // a copy, since a view can be of memory that is shared
        else
          form.append(
            name,
            part instanceof Uint8Array ? new Blob([new Uint8Array(part)], { type: "application/octet-stream" }) : part
          )
      }
    }
    return HttpBody.formData(form)
  })
})

/** `Array.isArray` does not narrow lists that are readonly. */
const isParts = (value: Part | ReadonlyArray<Part> | undefined): value is ReadonlyArray<Part> => Array.isArray(value)
