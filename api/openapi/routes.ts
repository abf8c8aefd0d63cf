import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { PublicRoute, Route } from '../route.ts'
import { createDocument } from './document.ts'

/** It changes with a new release only, and an ETag saves the rest. */
const CACHE_CONTROL = 'public, max-age=300'

/** The endpoint of the API document of these routes and itself, which is written here, once. */
export function openapiRoutes(routes: readonly Route[], { version }: { version: string }): readonly Route[] {
  const route: PublicRoute = {
    method: 'GET',
    path: '/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'Read this document',
    access: 'public',
    success: { status: 200, body: OpenApi, headers: { ETag: 'Changes with the document.' } },
    errors: [],
    handle: async (ctx) => {
      ctx.set('Cache-Control', CACHE_CONTROL)
      ctx.etag = etag
      ctx.status = 200
      ctx.type = 'json'
      if (ctx.fresh) ctx.status = 304
      else ctx.body = json
    },
  }
  const json = JSON.stringify(createDocument([...routes, route], { version }))
  const etag = createHash('sha256').update(json).digest('base64url')
  return [route]
}

const OpenApi = Type.Object(
  { openapi: Type.String({ pattern: '^3\\.1\\.' }), info: Type.Object({}), paths: Type.Object({}) },
  { title: 'OpenApiDocument', description: 'OpenAPI 3.1.', additionalProperties: true },
)
