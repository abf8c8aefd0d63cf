import type { TSchema } from '@sinclair/typebox'
import { expect } from 'chai'
import { listErrorCodes } from '../../../api/docs/openapi/error-codes.ts'
import type {
  Method,
  OpenApiDocument,
  Operation,
  SchemaJson,
} from '../../../api/docs/openapi/openapi-types.ts'
import { toPathTemplate } from '../../../api/docs/openapi/operations.ts'
import { resolveOperation } from '../../../api/docs/resolve-operation.ts'
import type { Route } from '../../../api/http/route.ts'
import { ERROR_CODES, HTTP_STATUS } from '../../../shared/domain/errors.ts'
import { EVENT_TYPES, WEBHOOK_EVENT_TYPES } from '../../../shared/domain/event.ts'
import { ROUTE_LIMITS_PER_MINUTE } from '../../../shared/runtime/settings.ts'
import { readDocument, readRouteTable } from '../../support/route-table.ts'

const routes = readRouteTable()
const document = readDocument()
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ ...operation, name: `${method} ${path}` })),
)

describe('the API document', () => {
  it('describes exactly the mounted routes', () => {
    const mounted = routes.map(({ method, path }) => `${method.toLowerCase()} ${toPathTemplate(path)}`)
    expect(operations.map(({ name }) => name)).to.have.members(mounted)
  })

  it('has a unique name and a summary for every operation', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names)).to.have.property('size', names.length)
    for (const { summary, name } of operations) expect(summary, name).to.not.equal('')
  })

  it('states the requests per minute of each endpoint with its own rate limit', () => {
    const limited = routes.filter(({ extraLimit }) => extraLimit !== undefined)
    expect(limited.map(({ extraLimit }) => extraLimit)).to.include.members([
      'transferability',
      'metrics',
      'checks',
    ])
    for (const route of limited) {
      const { description, responses } = operationOf(route)
      const number = ROUTE_LIMITS_PER_MINUTE[route.extraLimit as keyof typeof ROUTE_LIMITS_PER_MINUTE]
      expect(description, route.path).to.include(`: ${number} requests per minute and organization`)
      expect(responses, route.path).to.have.property('429')
    }
  })

  it('states the amount that a quote buys, and the rate limit of quotes', () => {
    const { description } = operationNamed('quoteCharge')
    expect(description)
      .to.include('buys exactly the part of `amount` that was neither credited nor seen yet')
      .and.to.include('10 quotes a minute')
  })

  it('states the maximum length of a timeline, and the order of each list except the networks', () => {
    expect(operationNamed('listTimeline').description).to.include('the oldest 10,000 entries')
    const orders = /newest first|oldest first|longest available first/i
    for (const { name, summary, description = '', operationId } of operations)
      if (/^list(?!Networks|enTo)/.test(operationId))
        expect(`${summary} ${description}`, name).to.match(orders)
  })

  it('allows exactly the event types of webhooks in a delivery', () => {
    const { event } = document.components.schemas['Delivery']?.properties ?? {}
    expect(resolve(event).enum).to.have.members([...WEBHOOK_EVENT_TYPES, 'webhook.test'])
  })

  for (const route of routes) {
    describe(`${route.method} ${route.path}`, () => {
      it('has exactly the possible error codes, each at its status', () => {
        const documented = Object.entries(operationOf(route).responses).flatMap(([status, response]) =>
          Object.keys(response.content?.['application/json']?.examples ?? {}).map(
            (code) => `${status} ${code}`,
          ),
        )
        const answered = listErrorCodes(route).map((code) => `${HTTP_STATUS[code]} ${code}`)
        expect(documented).to.have.members(answered)
      })

      it('has every field of requests and responses, with its limits', () => {
        const { requestBody, parameters, responses } = operationOf(route)
        if (route.access === 'key') {
          expectSame(requestBody?.content['application/json']?.schema, route.body?.schema)
          for (const [name, schema] of Object.entries(route.query?.properties ?? {})) {
            expectSame(parameters.find((parameter) => parameter.name === name)?.schema, schema)
          }
        }
        const { success } = route
        if (typeof success.body === 'string' || success.body === null) return
        const answer = responses[success.status]
        expectSame(answer?.content?.['application/json']?.schema, success.body)
      })

      it('uses named components for bodies, for generated code', () => {
        const bodies = [route.access === 'key' ? route.body?.schema : undefined, route.success.body]
        for (const body of bodies) {
          if (typeof body === 'object' && body !== null) expect(body.title).to.be.a('string')
        }
      })
    })
  }

  it('describes each event type of a stream by its schema', () => {
    for (const route of routes) {
      if (route.success.body !== 'event-stream') continue
      const answer = operationOf(route).responses['200']
      const items = answer?.content?.['text/event-stream']?.schema.items
      const kinds = items?.anyOf ?? [items]
      for (const [index, { data }] of route.success.events.entries()) {
        expectSame(kinds[index]?.properties?.['data']?.['contentSchema'] as SchemaJson, data)
      }
    }
  })

  it('has a webhook for every event that can be delivered', () => {
    expect(Object.keys(document.webhooks)).to.deep.equal([...WEBHOOK_EVENT_TYPES, 'webhook.test'])
    for (const [type, item] of Object.entries(document.webhooks)) {
      const { requestBody } = resolveOperation(item.post as Operation, document)
      const envelope = merge(resolve(requestBody?.content['application/json']?.schema))
      expect(envelope.properties?.['event']?.enum, type).to.include(type)
      expect(EVENT_TYPES).to.include(type)
    }
  })

  it('describes no response, parameter or object twice', () => {
    const responses = 'a response needs a name in shared-responses.ts, a parameter in parameters.ts'
    expect(findRepeated(listParts(document)), responses).to.deep.equal([])
    const objects = 'an object needs a title, or `extendObject`'
    expect(findRepeated(listObjects(document.components.schemas)), objects).to.deep.equal([])
  })

  it('gives each component a different name, for generated code', () => {
    const names = Object.values(document.components).flatMap((parts) => Object.keys(parts))
    expect(findRepeated(names)).to.deep.equal([])
  })

  it('describes a checked charge as a charge with additional fields', () => {
    const { CheckedCharge } = document.components.schemas
    const [base, own] = CheckedCharge?.allOf ?? []
    expect(base).to.deep.equal({ $ref: '#/components/schemas/Charge' })
    expect(Object.keys(own?.properties ?? {})).to.deep.equal([
      'transactionSender',
      'tokenSenders',
      'userOperationSenders',
      'confirmationProgress',
    ])
  })

  it('keeps a field’s own description next to a schema reference', () => {
    const { ChargeAccounting, AtomicAmount, SignedAmount } = document.components.schemas
    expect(ChargeAccounting?.properties?.['feeExact']).to.deep.equal({
      description: 'Paid to the service.',
      $ref: '#/components/schemas/SignedAmount',
    })
    expect(AtomicAmount?.description).to.not.equal(SignedAmount?.description)
  })

  it('states when each event is sent, next to the event’s type', () => {
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const [, envelope] = Object.entries(document.components.schemas).find(([, { allOf }]) =>
        allOf?.[1]?.properties?.['event']?.enum?.includes(type),
      ) as [string, SchemaJson]
      const text = envelope.allOf?.[1]?.properties?.['event']?.description
      expect(text).to.include(`\`${type}\`: ${post?.summary}`)
    }
  })

  it('lists every error code', () => {
    expect(document.components.schemas['ErrorCode']?.enum).to.deep.equal(ERROR_CODES)
  })

  it('forbids unknown fields in requests, and allows new fields in responses', () => {
    const { CreateCharge, Charge } = document.components.schemas
    expect(CreateCharge).to.have.property('additionalProperties', false)
    expect(Charge).to.not.have.property('additionalProperties')
  })
})

function operationOf({ method, path }: Route) {
  const operation = document.paths[toPathTemplate(path)]?.[method.toLowerCase() as Method]
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document`)
  return resolveOperation(operation, document)
}

/** Requires that a schema of the document equals the schema that validates the request or response. */
function expectSame(written: SchemaJson | undefined, validating: TSchema | undefined): void {
  if (validating === undefined) return void expect(written).to.be.undefined
  const source = JSON.parse(JSON.stringify(validating)) as object
  expect(spell(written, '')).to.deep.equal(spell(source, ''))
}

/**
 * Resolves every reference, merges extended schemas, and omits titles and `additionalProperties: false`, which the
 * document has only in requests.
 */
function spell(value: unknown, keyword: string): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, ''))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(keyword === 'properties' ? value : merge(resolve(value)))
  return Object.fromEntries(
    entries
      .filter(([name, held]) => name !== 'title' && !(name === 'additionalProperties' && held === false))
      .map(([name, held]) => [name, spell(held, name)]),
  )
}

function merge({ allOf, ...own }: SchemaJson): SchemaJson {
  if (allOf === undefined) return own
  const parts = allOf.map((part) => merge(resolve(part)))
  return {
    ...own,
    type: 'object',
    required: parts.flatMap(({ required = [] }) => required),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

function resolve(value: object | undefined): SchemaJson {
  if (value === undefined || !('$ref' in value)) return (value ?? {}) as SchemaJson
  const [, , kind = '', name = ''] = String(value.$ref).split('/')
  const found = document.components[kind as 'schemas'][name]
  if (found === undefined) throw new Error(`${String(value.$ref)} is not in the document`)
  const { $ref: _, ...own } = value as SchemaJson
  return { ...found, ...own }
}

/** Returns the JSON of every parameter and response that is not a reference. */
function listParts({ paths, webhooks, components }: OpenApiDocument): readonly string[] {
  const items = [...Object.values(paths), ...Object.values(webhooks)]
  const parts = items
    .flatMap((item) => Object.values(item))
    .flatMap(({ parameters = [], responses }) => [...parameters, ...Object.values(responses)])
  const shared = [...Object.values(components.parameters), ...Object.values(components.responses)]
  return [...parts, ...shared].filter((part) => !('$ref' in part)).map((part) => JSON.stringify(part))
}

/** Returns the JSON of every object schema with fields, at any depth. */
function listObjects(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const nested = Object.values(value).flatMap(listObjects)
  const { type, properties = {} } = value as SchemaJson
  const isObject = type === 'object' && Object.keys(properties).length > 0
  return isObject ? [JSON.stringify(value), ...nested] : nested
}

function findRepeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index)
}

function operationNamed(operationId: string) {
  const operation = operations.find((one) => one.operationId === operationId)
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`)
  return operation
}
