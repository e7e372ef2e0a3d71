/** The part of npm's registry that the check uses, as a program of its users would declare it. */
import * as Body from "@cloud-management/core/Body"
import * as CloudError from "@cloud-management/core/CloudError"
import * as Operation from "@cloud-management/core/Operation"
import * as Refusal from "@cloud-management/core/Refusal"
import * as Wire from "@cloud-management/core/Wire"
import * as Schema from "effect/Schema"

const Problem = Refusal.body(Schema.Struct({ error: Schema.String }))

export class Unauthorized extends CloudError.refusal("Unauthorized", 401, Problem) {}
export class NotFound extends CloudError.refusal("NotFound", 404, Problem) {}
export class AlreadyPublished extends CloudError.refusal("AlreadyPublished", 409, Problem) {}
export class Rejected extends CloudError.refusal("Rejected", "4XX", Problem) {}

const shared = { group: "registry", errors: [Unauthorized, NotFound, AlreadyPublished, Rejected] } as const
const token = [["token"]] as const
const name = { name: Schema.String }

const Version = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  description: Schema.optionalKey(Schema.String),
  dist: Schema.Struct({ tarball: Schema.String, shasum: Schema.optionalKey(Schema.String) })
})
const Tags = Schema.Record(Schema.String, Schema.String)

const Manifest = Schema.Struct({
  _id: Schema.String,
  name: Schema.String,
  "dist-tags": Tags,
  versions: Schema.Record(Schema.String, Version)
})
const Upload = Schema.Struct({
  ...Manifest.fields,
  _attachments: Schema.Record(
    Schema.String,
    Schema.Struct({ content_type: Schema.String, data: Schema.Uint8ArrayFromBase64, length: Schema.Int })
  )
})

/** What the registry answers to a change. */
const done = Body.status(201, Body.json(Schema.Struct({ ok: Schema.Union([Schema.String, Schema.Boolean]) })))

export const operations = {
  registry: {
    logIn: Operation.make({
      ...shared,
      name: "logIn",
      method: "PUT",
      path: "/-/user/org.couchdb.user:::name",
      params: Schema.Struct(name),
      payload: Body.json(Schema.Struct({ name: Schema.String, password: Schema.String })),
      success: Body.oneOf(
        Body.status(200, Body.json(Schema.Struct({ token: Schema.String }))),
        Body.status(201, Body.json(Schema.Struct({ ok: Schema.String, token: Schema.String })))
      ),
      security: [],
      // a repeated one would log in
      repeat: "idempotent"
    }),
    whoAmI: Operation.make({
      ...shared,
      name: "whoAmI",
      method: "GET",
      path: "/-/whoami",
      success: Body.json(Schema.Struct({ username: Wire.nullishKey(Schema.String) })),
      security: token
    }),
    publish: Operation.make({
      ...shared,
      name: "publish",
      method: "PUT",
      path: "/:name",
      params: Schema.Struct(name),
      payload: Body.json(Upload),
      success: done,
      security: token,
      limits: Operation.limits({ deadline: { attempt: "30 seconds" } })
    }),
    read: Operation.make({
      ...shared,
      name: "read",
      method: "GET",
      path: "/:name",
      params: Schema.Struct(name),
      success: Body.json(Schema.Struct({ ...Manifest.fields, _rev: Schema.String }))
    }),
    download: Operation.make({
      ...shared,
      name: "download",
      method: "GET",
      path: "/:name/-/:file.tgz",
      params: Schema.Struct({ ...name, file: Schema.String }),
      success: Body.stream()
    }),
    search: Operation.make({
      ...shared,
      name: "search",
      method: "GET",
      path: "/-/v1/search",
      query: Operation.query(Schema.Struct({ text: Schema.String, size: Schema.optionalKey(Wire.NumberText) })),
      success: Body.json(
        Schema.Struct({
          objects: Schema.Array(Schema.Struct({ package: Schema.Struct(name) })),
          total: Schema.Finite
        })
      )
    }),
    tag: Operation.make({
      ...shared,
      name: "tag",
      method: "PUT",
      path: "/-/package/:name/dist-tags/:tag",
      params: Schema.Struct({ ...name, tag: Schema.String }),
      payload: Body.json(Schema.String),
      success: done,
      security: token
    }),
    tags: Operation.make({
      ...shared,
      name: "tags",
      method: "GET",
      path: "/-/package/:name/dist-tags",
      params: Schema.Struct(name),
      success: Body.json(Tags)
    }),
    unpublish: Operation.make({
      ...shared,
      name: "unpublish",
      method: "DELETE",
      path: "/:name/-rev/:revision",
      params: Schema.Struct({ ...name, revision: Schema.String }),
      success: done,
      security: token
    })
  }
}
