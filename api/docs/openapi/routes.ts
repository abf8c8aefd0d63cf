import { Type } from '@sinclair/typebox'
import type { PublicRoute, Route } from '../../http/route.ts'
import { createSharedBody, sendShared } from '../../http/shared-body.ts'
import { createDocument } from './document.ts'

/** Cache control of the document, which changes only with a release. The ETag avoids further transfers. */
const CACHE_CONTROL = 'public, max-age=300'

/** A route table and its API document. */
export type DescribedRoutes = ReturnType<typeof describeRoutes>

/** Adds the endpoint of the API document to the routes, and creates the document. */
export function describeRoutes(routes: readonly Route[], { version }: { version: string }) {
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
      ctx.type = 'json'
      sendShared(ctx, body)
    },
  }
  const described = [...routes, route]
  const document = createDocument(described, { version })
  const body = createSharedBody(JSON.stringify(document))
  return { routes: described, document }
}

const OpenApi = Type.Object(
  { openapi: Type.String({ pattern: '^3\\.1\\.' }), info: Type.Object({}), paths: Type.Object({}) },
  { title: 'OpenApiDocument', description: 'OpenAPI 3.1.', additionalProperties: true },
)
