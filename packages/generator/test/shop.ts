/** A document that has each kind of construct once, for `verify`. */
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object) => ({ "application/json": { schema } })
const text = { type: "string" }
const answers = (schema: object, more: object = {}) => ({
  "200": { description: "", content: json(schema) },
  "404": { description: "", content: json(ref("Problem")) },
  default: { description: "", content: json(ref("Failure")) },
  ...more
})
const shopId = { in: "path", name: "shop-id", required: true, schema: { type: "string", format: "uuid" } }

export const shop = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  security: [{ key: [] }],
  paths: {
    "/shops/{shop-id}/items": {
      parameters: [shopId],
      get: {
        operationId: "listItems",
        tags: ["Items"],
        parameters: [
          { in: "query", name: "cursor", schema: text },
          { in: "query", name: "ids", explode: false, schema: { type: "array", items: { type: "integer" } } },
          { in: "query", name: "tag", schema: { type: "array", items: text } },
          { in: "query", name: "filter", style: "deepObject", schema: { type: "object", properties: { size: text } } },
          { in: "query", name: "kind", required: true, schema: { enum: ["a", "b"], type: "string" } },
          { in: "header", name: "X-Trace", schema: text }
        ],
        responses: answers({
          type: "object",
          required: ["items"],
          properties: { items: { type: "array", items: ref("Item") }, next_cursor: { type: ["string", "null"] } }
        })
      },
      post: {
        operationId: "createItem",
        tags: ["Items"],
        security: [{ token: [] }],
        parameters: [{ in: "header", name: "X-Reason", required: true, schema: text }],
        requestBody: { required: true, content: json(ref("NewItem")) },
        responses: {
          "201": { description: "", content: json(ref("Item")) },
          "202": { description: "" },
          "409": { description: "", content: json(ref("Taken")) },
          "4XX": { description: "", content: json(ref("Failure")) }
        }
      }
    },
    "/shops/{shop-id}/items/{item}:label": {
      parameters: [shopId, { in: "path", name: "item", required: true, schema: text }],
      put: {
        operationId: "labelItem",
        tags: ["Items"],
        requestBody: { content: { "application/merge-patch+json": { schema: ref("Label") } } },
        responses: answers(ref("Shape"), { "200": { description: "", content: json(ref("Shape")) } })
      },
      delete: { operationId: "unlabelItem", tags: ["Items"], security: [], responses: { "204": { description: "" } } }
    },
    "/orders": {
      get: {
        operationId: "listOrders",
        tags: ["Orders"],
        parameters: [{ in: "query", name: "page", schema: { type: "integer" } }],
        responses: {
          "200": {
            description: "",
            headers: { Link: { schema: text } },
            content: json({
              type: "object",
              required: ["orders"],
              properties: { orders: { type: "array", items: ref("Label") } }
            })
          }
        }
      },
      patch: {
        operationId: "changeOrder",
        tags: ["Orders"],
        requestBody: { required: true, content: json(ref("Change")) },
        responses: { "204": { description: "" } }
      },
      post: {
        operationId: "order",
        tags: ["Orders"],
        requestBody: {
          required: true,
          content: {
            "application/x-www-form-urlencoded": {
              schema: {
                type: "object",
                required: ["item"],
                properties: {
                  item: text,
                  count: { type: "integer", minimum: 1 },
                  notes: { type: "array", items: text }
                }
              }
            }
          }
        },
        responses: { "200": { description: "", content: { "text/plain": { schema: text } } } }
      }
    },
    "/photos": {
      post: {
        operationId: "uploadPhoto",
        tags: ["Photos"],
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["photo"],
                properties: { photo: { type: "string", format: "binary" }, title: text, place: ref("Label") }
              }
            }
          }
        },
        responses: { "200": { description: "", content: { "image/png": {} } } }
      }
    },
    "/events": {
      get: {
        operationId: "events",
        tags: ["Events"],
        responses: { "200": { description: "", content: { "text/event-stream": { schema: ref("Item") } } } }
      }
    }
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      token: { type: "http", scheme: "bearer" }
    },
    schemas: {
      Item: {
        type: "object",
        required: ["id", "serial", "state"],
        properties: {
          id: text,
          serial: { type: "integer", format: "int64" },
          state: { type: "string", enum: ["new", "used"] },
          made: { type: "string", format: "date-time" },
          owner: ref("Owner")
        }
      },
      NewItem: {
        type: "object",
        required: ["name", "price"],
        properties: {
          name: text,
          price: { type: "number" },
          note: { type: ["string", "null"] },
          payment: { oneOf: [ref("Card"), ref("Cash")] }
        }
      },
      Card: { type: "object", required: ["number"], properties: { number: text } },
      Cash: { type: "object", required: ["coins"], properties: { coins: { type: "integer" }, large: text } },
      Change: {
        type: "object",
        properties: { count: { type: "integer" }, note: text },
        anyOf: [{ required: ["count"] }, { required: ["note"] }]
      },
      Owner: { type: "object", properties: { name: text, since: { type: "string", format: "date" } } },
      Label: { type: "object", properties: { text, color: { type: "string", enum: ["red", "blue"] } } },
      Shape: {
        oneOf: [ref("Circle"), ref("Square")],
        discriminator: {
          propertyName: "kind",
          mapping: { circle: "#/components/schemas/Circle", square: "#/components/schemas/Square" }
        }
      },
      Circle: { type: "object", required: ["kind", "radius"], properties: { kind: text, radius: { type: "number" } } },
      Square: { type: "object", required: ["kind", "side"], properties: { kind: text, side: { type: "number" } } },
      Taken: {
        type: "object",
        required: ["message"],
        properties: { message: text, by: { type: "integer", format: "int64" } }
      },
      Problem: { type: "object", required: ["message"], properties: { message: text, code: text } },
      Failure: {
        type: "object",
        required: ["error"],
        properties: { error: { type: "object", required: ["detail"], properties: { detail: text, hint: text } } }
      }
    }
  }
}
