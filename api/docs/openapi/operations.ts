import type { TObject } from '@sinclair/typebox'
import { invariant } from '../../../shared/domain/errors.ts'
import type { Scope } from '../../../shared/domain/scope.ts'
import { ROUTE_LIMITS_PER_MINUTE } from '../../../shared/runtime/settings.ts'
import type { KeyedRoute, Route } from '../../http/route.ts'
import type { Operation, Parameter } from './openapi-types.ts'
import { describeResponses } from './responses.ts'
import type { Schemas } from './schemas.ts'
import { getTag } from './tags.ts'

/** Name of the security scheme. */
export const API_KEY = 'apiKey'

/** Describes one route. */
export function describeOperation(route: Route, schemas: Schemas): Operation {
  const description = describeRoute(route)
  const parameters = [
    ...describePath(route.path),
    ...describeHeaders(route),
    ...(route.access === 'key' ? describeQuery(route.query, schemas) : []),
  ]
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description !== '' && { description }),
    tags: [getTag(route.path)],
    // For a scheme that is not OAuth the list names the required scopes of the key (OpenAPI 3.1, "Security
    // Requirement").
    security: route.access === 'public' ? [] : listScopes(route).map((scopes) => ({ [API_KEY]: scopes })),
    ...(parameters.length > 0 && { parameters }),
    ...(route.access === 'key' && route.body && { requestBody: describeBody(route.body, schemas) }),
    responses: describeResponses(route, schemas),
  }
}

/** Returns the alternatives of scopes. A key must hold all scopes of one entry. */
function listScopes({ scope }: KeyedRoute): readonly (readonly Scope[])[] {
  return scope === null ? [[]] : [scope].flat().map((one) => [one])
}

/** Converts `/v1/charges/:id` to `/v1/charges/{id}`. */
export function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function describeRoute(route: Route): string {
  const limit =
    route.extraLimit &&
    `It has an additional rate limit: ${ROUTE_LIMITS_PER_MINUTE[route.extraLimit]} requests per minute and organization${route.extraLimit === 'checks' ? ', separately for each environment' : ''}, unless the deployment is configured otherwise.`
  return [route.description, limit].filter((sentence) => sentence !== undefined).join(' ')
}

/** Prefixes of ids by the path segment before them (decisions 3.1). */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  charges: 'ch_',
  recipients: 'rc_',
  webhooks: 'wh_',
  deliveries: 'dl_',
}

function describePath(path: string): readonly Parameter[] {
  return [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, owner = '', name = '']) => {
    const prefix = ID_PREFIXES[owner]
    invariant(prefix, `the ids of ${owner} in ${path} have no known prefix`)
    return {
      name,
      in: 'path',
      required: true,
      description: `\`${prefix}…\``,
      schema: { type: 'string', pattern: `^${prefix}[0-9a-z]+$` },
    }
  })
}

function describeHeaders(route: Route): readonly Parameter[] {
  const { success } = route
  const own = Object.entries((route.access === 'key' && route.headers) || {}).map(
    ([name, description]): Parameter => ({ name, in: 'header', description, schema: { type: 'string' } }),
  )
  if (success.body !== 'event-stream') return own
  const { isResumable } = success
  return [
    ...own,
    {
      name: 'Last-Event-ID',
      in: 'header',
      description: isResumable
        ? 'The `id` of the last event that the client received. The stream resumes after that event. An unknown id starts a new stream.'
        : 'The `id` of the last event that the client received.',
      schema: { type: 'string' },
    },
  ]
}

function describeQuery(query: TObject | undefined, schemas: Schemas): readonly Parameter[] {
  return Object.entries(query?.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    ...(query?.required?.includes(name) === true && { required: true }),
    ...(property.description !== undefined && { description: property.description }),
    schema: schemas.write(property, 'request'),
  }))
}

function describeBody({ schema, isOptional }: NonNullable<KeyedRoute['body']>, schemas: Schemas) {
  return {
    required: isOptional !== true,
    content: { 'application/json': { schema: schemas.write(schema, 'request') } },
  }
}
