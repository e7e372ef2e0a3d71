import { STATUS_CODES } from "node:http"

/** Phrases of RFC 2616 that nginx and others keep. */
const older: Readonly<Record<number, string>> = {
  408: "Request Time-out",
  413: "Request Entity Too Large",
  414: "Request-URI Too Large",
  416: "Requested Range Not Satisfiable",
  504: "Gateway Time-out"
}

export const statuses: ReadonlyArray<number> = Object.keys(STATUS_CODES)
  .map(Number)
  .filter((status) => status >= 400)

/** Responses of gateways and frameworks in the place of a service (their defaults, 2026), by sender. */
export const foreign: Readonly<Record<string, (status: number) => string>> = {
  nginx: (status) => `<html>\r\n<head><title>${status}</title></head>\r\n<body><center>nginx</center></body></html>`,
  HAProxy: (status) => `<html><body><h1>${status} Service</h1>\nNo server is available.\n</body></html>`,
  Spring: (status) => `{"timestamp":"2026-01-01T00:00:00Z","status":${status},"error":"Not Found","path":"/v1"}`,
  "Spring, for a page": (status) =>
    `<html><body><h1>Whitelabel Error Page</h1><div>status=${status}</div></body></html>`,
  "Spring, as RFC 9457": (status) =>
    `{"type":"about:blank","title":"Not Found","status":${status},"detail":"No static resource v1.","instance":"/v1"}`,
  Rails: (status) => JSON.stringify({ status, error: STATUS_CODES[status] }),
  Fastify: (status) => `{"message":"Route GET:/v1 not found","error":"Not Found","statusCode":${status}}`,
  NestJS: (status) => `{"statusCode":${status},"message":"Cannot GET /v1","error":"Not Found"}`,
  "API Gateway": () => '{"message":"Missing Authentication Token"}',
  "API Gateway, of a stage": () => '{"message":null}',
  "Kong, for a page": (status) => `<!doctype html><html><body><h1>Kong Error</h1><p>${status}</p></body></html>`,
  Kong: () => '{"message":"no Route matched with those values","request_id":"1a"}',
  Traefik: () => "404 page not found\n",
  Envoy: () => "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
  "Envoy, without a host": () => "no healthy upstream",
  "Cloudflare, for a page": (status) => `<!DOCTYPE html><html><title>${status}: Bad gateway</title></html>`,
  Cloudflare: (status) => `error code: 1${status}`,
  "Cloudflare, in JSON": () => '{"success":false,"errors":[{"code":7003,"message":"No route"}]}',
  nothing: () => "",
  "an empty object": () => "{}",
  "an older phrase": (status) => JSON.stringify({ status, error: older[status] ?? STATUS_CODES[status] }),
  "a phrase without an ID": (status) => `{"status":${status},"error":"Service Unavailable."}`
}
