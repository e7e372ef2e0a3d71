/** A document that has each kind of construct once, for `verify`. */
import {
  binary,
  body,
  boolean,
  by,
  cookie,
  dateTime,
  empty,
  form,
  having,
  header,
  int64,
  integer,
  known,
  list,
  make,
  number,
  object,
  ok,
  parts,
  path,
  query,
  ref,
  text,
  uuid
} from "./document.ts"

const shopId = path("shop-id", uuid)
const refusals = { "404": having(ref("Problem")), default: having(ref("Failure")) }

export const shop = make({
  security: [{ key: [] }],
  paths: {
    "/shops/{shop-id}/items": { parameters: [shopId] },
    "/shops/{shop-id}/items/{item}:label": { parameters: [shopId, path("item")] }
  },
  operations: {
    "GET /shops/{shop-id}/items": {
      operationId: "listItems",
      tags: ["Items"],
      parameters: [
        query("cursor", text),
        query("ids", list(integer), { explode: false }),
        query("tag", list(text)),
        query("filter", object({ size: text }), { style: "deepObject" }),
        query("kind", { enum: ["a", "b"], ...text }, { required: true }),
        header("X-Trace", text)
      ],
      responses: {
        ...ok(object({ items: list(ref("Item")), next_cursor: { type: ["string", "null"] } }, ["items"])),
        ...refusals
      }
    },
    "POST /shops/{shop-id}/items": {
      operationId: "createItem",
      tags: ["Items"],
      security: [{ token: [] }],
      parameters: [header("X-Reason", text, { required: true })],
      requestBody: body(ref("NewItem")),
      responses: {
        "201": having(ref("Item")),
        "202": empty,
        "409": having(ref("Taken")),
        "4XX": having(ref("Failure"))
      }
    },
    "PUT /shops/{shop-id}/items/{item}:label": {
      operationId: "labelItem",
      tags: ["Items"],
      requestBody: { ...body(ref("Label"), "application/merge-patch+json"), required: false },
      responses: { ...ok(ref("Shape")), ...refusals }
    },
    "DELETE /shops/{shop-id}/items/{item}:label": { operationId: "unlabelItem", tags: ["Items"], security: [] },
    "GET /orders": {
      operationId: "listOrders",
      tags: ["Orders"],
      parameters: [query("page", integer)],
      responses: {
        "200": { ...having(object({ orders: list(ref("Label")) }, ["orders"])), headers: { Link: { schema: text } } }
      }
    },
    "PATCH /orders": { operationId: "changeOrder", tags: ["Orders"], requestBody: body(ref("Change")) },
    "POST /orders": {
      operationId: "order",
      tags: ["Orders"],
      requestBody: form(object({ item: text, count: { ...integer, minimum: 1 }, notes: list(text) }, ["item"])),
      responses: ok(text, "text/plain")
    },
    "POST /photos": {
      operationId: "uploadPhoto",
      tags: ["Photos"],
      requestBody: parts(object({ photo: binary, title: text, place: ref("Label") }, ["photo"])),
      responses: { "200": { description: "", content: { "image/png": {} } } }
    },
    "GET /settings": {
      operationId: "settings",
      tags: ["Settings"],
      security: [{ session: [], csrf: [] }],
      parameters: [cookie("theme", text, { required: true }), cookie("page", integer)]
    },
    "POST /payments": {
      operationId: "pay",
      tags: ["Payments"],
      parameters: [header("Idempotency-Key", uuid, { required: true })],
      requestBody: body(ref("Payment")),
      responses: { ...ok(ref("Payment")), "402": having(ref("Payment")) }
    },
    "GET /reports": {
      operationId: "reports",
      tags: ["Reports"],
      responses: ok(
        object({ reports: list(ref("Label")), next: { ...text, format: "uri" } }, ["reports"]),
        "application/json;v=2"
      )
    },
    "PUT /reports/{id}": {
      operationId: "putReport",
      tags: ["Reports"],
      parameters: [path("id", text, { example: "2026/01" })],
      requestBody: {
        required: true,
        content: {
          "application/json;v=2": { schema: ref("Report"), example: { title: "A title of some length", at: "x" } },
          "application/json;v=1": { schema: ref("Label") }
        }
      },
      responses: { "200": { description: "", content: { "application/octet-stream": { schema: text } } } }
    },
    "GET /lines": {
      operationId: "lines",
      tags: ["Lines"],
      parameters: [query("cursor", text)],
      responses: ok(object({ lines: list(ref("Report")), next: text }, ["lines"]))
    },
    "GET /events": { operationId: "events", tags: ["Events"], responses: ok(ref("Item"), "text/event-stream") }
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      token: { type: "http", scheme: "bearer" },
      session: { type: "apiKey", in: "cookie", name: "session" },
      csrf: { type: "apiKey", in: "cookie", name: "csrf" }
    }
  },
  schemas: {
    Item: object({ id: text, serial: int64, state: known("new", "used"), made: dateTime, owner: ref("Owner") }, [
      "id",
      "serial",
      "state"
    ]),
    NewItem: object(
      {
        name: text,
        price: number,
        isNew: boolean,
        note: { type: ["string", "null"] },
        payment: { oneOf: [ref("Card"), ref("Cash")] }
      },
      ["name", "price"]
    ),
    Card: object({ number: text }, ["number"]),
    Cash: object({ coins: integer, large: text }, ["coins"]),
    Change: { ...object({ count: integer, note: text }), anyOf: [{ required: ["count"] }, { required: ["note"] }] },
    Owner: object({ name: text, since: { ...text, format: "date" } }),
    Label: object({ text, color: known("red", "blue") }),
    Shape: by(
      "kind",
      { oneOf: [ref("Circle"), ref("Square")] },
      { circle: ref("Circle").$ref, square: ref("Square").$ref }
    ),
    Circle: object({ kind: text, radius: number, isFull: boolean }, ["kind", "radius"]),
    Square: object({ kind: text, side: number }, ["kind", "side"]),
    Payment: {
      anyOf: [
        object({ kind: { const: "account" }, iban: text }, ["iban"]),
        object({ kind: { const: "account" }, bic: text, fee: integer }, ["bic"])
      ]
    },
    Report: object({
      title: { ...text, examples: ["The first of all reports"] },
      parts: list({
        oneOf: [
          object({ sort: { const: "text" }, text }, ["sort", "text"]),
          object({ sort: { const: "group" }, of: by("kind", { oneOf: [ref("Circle"), ref("Square")] }) }, ["sort"])
        ]
      })
    }),
    Taken: object({ message: text, by: int64 }, ["message"]),
    Problem: object({ message: text, code: text }, ["message"]),
    Failure: object({ error: object({ detail: text, hint: text }, ["detail"]) }, ["error"])
  }
})
