import type { Scope } from '../../../shared/domain/scope.ts'
import { ROUTE_LIMITS_PER_MINUTE } from '../../../shared/runtime/settings.ts'
import type { KeyedRoute, Route } from '../../http/route.ts'
import type { Components } from './components.ts'
import type { Operation, RequestBody } from './openapi-types.ts'
import { describeParameters } from './parameters.ts'
import { describeResponses } from './responses.ts'
import { getTag } from './tags.ts'

/** Name of the security scheme. */
export const API_KEY = 'apiKey'

/** Describes one route. */
export function describeOperation(route: Route, components: Components): Operation {
  const description = describeRoute(route)
  const parameters = describeParameters(route, components)
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description !== '' && { description }),
    tags: [getTag(route.path)],
    // OpenAPI 3.1 ("Security Requirement") allows required roles for any scheme: here the scopes of the key.
    security: route.access === 'public' ? [] : listScopes(route).map((scopes) => ({ [API_KEY]: scopes })),
    ...(parameters.length > 0 && { parameters }),
    ...(route.access === 'key' && route.body && { requestBody: describeBody(route.body, components) }),
    responses: describeResponses(route, components),
  }
}

/** Returns the alternative sets of required scopes, each of at most one scope. */
function listScopes({ scope }: KeyedRoute): readonly (readonly Scope[])[] {
  return scope === null ? [[]] : [scope].flat().map((one) => [one])
}

/** Converts a path such as `/v1/charges/:id` to `/v1/charges/{id}`. */
export function toPathTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function describeRoute(route: Route): string {
  const limit =
    route.extraLimit &&
    `The endpoint has an additional rate limit: ${ROUTE_LIMITS_PER_MINUTE[route.extraLimit]} requests per minute and organization${route.extraLimit === 'checks' ? ', separately for each environment' : ''}, unless the deployment is configured otherwise.`
  return [route.description, limit].filter((sentence) => sentence !== undefined).join(' ')
}

function describeBody(
  { schema, isOptional }: NonNullable<KeyedRoute['body']>,
  { schemas }: Components,
): RequestBody {
  return {
    required: isOptional !== true,
    content: { 'application/json': { schema: schemas.write(schema, 'request') } },
  }
}
