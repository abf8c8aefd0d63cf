import type { TObject } from '@sinclair/typebox'
import { invariant } from '../../shared/domain/errors.ts'
import type { Scope } from '../../shared/domain/scope.ts'
import { EXTRA_LIMITS_PER_MINUTE } from '../../shared/runtime/settings.ts'
import type { KeyedRoute, Route } from '../route.ts'
import type { Operation, Parameter } from './openapi-types.ts'
import { describeResponses } from './responses.ts'
import type { Schemas } from './schemas.ts'
import { tagOf } from './tags.ts'

/** The name of the security scheme. */
export const API_KEY = 'apiKey'

/** Writes one line of the route table. */
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
    tags: [tagOf(route.path)],
    // For a scheme that is not OAuth the list names what the key must hold (OpenAPI 3.1, "Security Requirement").
    security: route.access === 'public' ? [] : scopesOf(route).map((scopes) => ({ [API_KEY]: scopes })),
    ...(parameters.length > 0 && { parameters }),
    ...(route.access === 'key' && route.body && { requestBody: describeBody(route.body, schemas) }),
    responses: describeResponses(route, schemas),
  }
}

/** Answers what a key must hold: all of one entry. */
function scopesOf({ scope }: KeyedRoute): readonly (readonly Scope[])[] {
  return scope === null ? [[]] : [scope].flat().map((one) => [one])
}

/** Turns `/v1/charges/:id` into `/v1/charges/{id}`. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function describeRoute(route: Route): string {
  const limit =
    route.extraLimit &&
    `It has a rate limit of its own besides: ${EXTRA_LIMITS_PER_MINUTE[route.extraLimit]} a minute for each organization${route.extraLimit === 'checks' ? ' and environment' : ''}, unless the deployment is configured otherwise.`
  return [route.description, limit].filter((sentence) => sentence !== undefined).join(' ')
}

/** The prefix of the ids that follow each word of a path (decisions 3.1). */
const PREFIX_OF: Readonly<Record<string, string>> = {
  charges: 'ch_',
  recipients: 'rc_',
  webhooks: 'wh_',
  deliveries: 'dl_',
}

function describePath(path: string): readonly Parameter[] {
  return [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, owner = '', name = '']) => {
    const prefix = PREFIX_OF[owner]
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
        ? 'The `id` of the last event that was read: what came after it comes first. One that cannot be read starts anew.'
        : 'The `id` of the last event that was read.',
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
