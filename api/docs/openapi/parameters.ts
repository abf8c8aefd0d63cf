import type { TObject, TSchema } from '@sinclair/typebox'
import { invariant } from '../../../shared/domain/errors.ts'
import type { Route } from '../../http/route.ts'
import { Paging, PairQuery } from '../../http/schema.ts'
import type { Components } from './components.ts'
import type { Parameter, Reference } from './openapi-types.ts'

/** Describes the path, header and query parameters of an endpoint. A parameter of several endpoints is a component. */
export function describeParameters(route: Route, components: Components): readonly (Parameter | Reference)[] {
  return [
    ...describePath(route.path, components),
    ...describeHeaders(route),
    ...describeLastEventId(route, components),
    ...(route.access === 'key' ? describeQuery(route.query, components) : []),
  ]
}

/** Component name and prefix of each kind of id, by the path segment before the id (decisions 3.1). */
const IDS: Readonly<Record<string, { readonly shared: string; readonly prefix: string }>> = {
  charges: { shared: 'ChargeId', prefix: 'ch_' },
  recipients: { shared: 'RecipientId', prefix: 'rc_' },
  webhooks: { shared: 'WebhookId', prefix: 'wh_' },
  refunds: { shared: 'RefundId', prefix: 'rf_' },
  deliveries: { shared: 'DeliveryId', prefix: 'dl_' },
}

function describePath(path: string, { parameters }: Components): readonly Reference[] {
  return [...path.matchAll(/(\w+)\/:(\w+)/g)].map(([, owner = '', name = '']) => {
    const id = IDS[owner]
    invariant(id, `the ids of ${owner} in ${path} have no known prefix`)
    return parameters.share(id.shared, {
      name,
      in: 'path',
      required: true,
      description: `\`${id.prefix}…\``,
      schema: { type: 'string', pattern: `^${id.prefix}[0-9a-z]+$` },
    })
  })
}

function describeHeaders(route: Route): readonly Parameter[] {
  return Object.entries((route.access === 'key' && route.headers) || {}).map(
    ([name, description]): Parameter => ({ name, in: 'header', description, schema: { type: 'string' } }),
  )
}

function describeLastEventId({ success }: Route, { parameters }: Components): readonly Reference[] {
  if (success.body !== 'event-stream') return []
  const { isResumable } = success
  const parameter: Parameter = {
    name: 'Last-Event-ID',
    in: 'header',
    description: isResumable
      ? 'The `id` of the last event that the client received. The stream resumes after that event. An unknown id starts a new stream.'
      : 'The `id` of the last event that the client received.',
    schema: { type: 'string' },
  }
  return [parameters.share(isResumable ? 'ResumeAfter' : 'LastEventId', parameter)]
}

/** Component names of shared query parameters. */
const SHARED_QUERY = new Map<TSchema, string>([
  [Paging.limit, 'Limit'],
  [Paging.cursor, 'Cursor'],
  [PairQuery.token, 'TokenName'],
  [PairQuery.network, 'NetworkName'],
])

function describeQuery(
  query: TObject | undefined,
  components: Components,
): readonly (Parameter | Reference)[] {
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const parameter: Parameter = {
      name,
      in: 'query',
      ...(query?.required?.includes(name) === true && { required: true }),
      ...(property.description !== undefined && { description: property.description }),
      schema: components.schemas.write(property, 'request'),
    }
    const shared = SHARED_QUERY.get(property)
    return shared === undefined ? parameter : components.parameters.share(shared, parameter)
  })
}
