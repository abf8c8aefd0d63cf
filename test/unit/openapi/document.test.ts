import type { TSchema } from '@sinclair/typebox'
import { expect } from 'chai'
import { listErrorCodes } from '../../../api/docs/openapi/error-codes.ts'
import type { Method, Response, SchemaJson } from '../../../api/docs/openapi/openapi-types.ts'
import { toPathTemplate } from '../../../api/docs/openapi/operations.ts'
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

  it('states the number of every additional limit of an endpoint', () => {
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

  it('states what a quote buys, and its limit', () => {
    const { description } = operationNamed('quoteCharge')
    expect(description).to.include('buys exactly what remains').and.to.include('10 quotes a minute')
  })

  it('states the maximum length of a timeline, and the order of each list', () => {
    expect(operationNamed('listTimeline').description).to.include('the oldest 10,000 entries')
    const orders = /newest first|oldest first|longest available first/i
    for (const { name, summary, description = '', operationId } of operations)
      if (/^list(?!Networks|enTo)/.test(operationId))
        expect(`${summary} ${description}`, name).to.match(orders)
  })

  it('lists no event types without deliveries', () => {
    const delivery = document.components.schemas['Delivery']
    const { event } = (delivery?.properties ?? {}) as { event: { enum: string[] } }
    expect(event.enum).to.have.members([...WEBHOOK_EVENT_TYPES, 'webhook.test'])
  })

  for (const route of routes) {
    describe(`${route.method} ${route.path}`, () => {
      it('has every possible error code at its status', () => {
        const documented = Object.entries(operationOf(route).responses).flatMap(([status, response]) =>
          Object.keys(examplesOf(response)).map((code) => `${status} ${code}`),
        )
        const answered = listErrorCodes(route).map((code) => `${HTTP_STATUS[code]} ${code}`)
        expect(documented).to.have.members(answered)
      })

      it('has every field of requests and responses, with its limits', () => {
        const { requestBody, parameters = [], responses } = operationOf(route)
        if (route.access === 'key') {
          expectSame(requestBody?.content['application/json']?.schema, route.body?.schema)
          for (const [name, schema] of Object.entries(route.query?.properties ?? {})) {
            expectSame(parameters.find((parameter) => parameter.name === name)?.schema, schema)
          }
        }
        const { success } = route
        if (typeof success.body === 'string' || success.body === null) return
        const answer = responses[success.status] as Response
        expectSame(answer.content?.['application/json']?.schema, success.body)
      })

      it('uses named components for bodies, so that generated code has names for them', () => {
        const bodies = [route.access === 'key' ? route.body?.schema : undefined, route.success.body]
        for (const body of bodies) {
          if (typeof body === 'object' && body !== null) expect(body.title).to.be.a('string')
        }
      })
    })
  }

  it('describes every event type of a stream by the schema of its data', () => {
    for (const route of routes) {
      if (route.success.body !== 'event-stream') continue
      const answer = operationOf(route).responses['200'] as Response
      const items = answer.content?.['text/event-stream']?.schema.items
      const kinds = items?.anyOf ?? [items]
      for (const [index, { data }] of route.success.events.entries()) {
        expectSame(kinds[index]?.properties?.['data']?.['contentSchema'] as SchemaJson, data)
      }
    }
  })

  it('has a webhook for every event that a receiver can get', () => {
    expect(Object.keys(document.webhooks)).to.deep.equal([...WEBHOOK_EVENT_TYPES, 'webhook.test'])
    for (const [type, item] of Object.entries(document.webhooks)) {
      const envelope = resolve(item.post?.requestBody?.content['application/json']?.schema)
      expect(envelope.properties?.['event']?.enum, type).to.include(type)
      expect(EVENT_TYPES).to.include(type)
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
  return operation
}

function examplesOf(response: object): object {
  const { content } = resolve(response) as Response
  return content?.['application/json']?.examples ?? {}
}

/** Compares a schema of the document, its references followed, with the one that validates. */
function expectSame(written: SchemaJson | undefined, validating: TSchema | undefined): void {
  if (validating === undefined) return void expect(written).to.be.undefined
  const source = JSON.parse(JSON.stringify(validating)) as object
  expect(spell(written, '')).to.deep.equal(spell(source, ''))
}

/** Follows every reference, and leaves out what only requests say. */
function spell(value: unknown, keyword: string): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, ''))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(keyword === 'properties' ? value : resolve(value))
  return Object.fromEntries(
    entries
      .filter(([name, held]) => !(name === 'additionalProperties' && held === false))
      .map(([name, held]) => [name, spell(held, name)]),
  )
}

function resolve(value: object | undefined): SchemaJson {
  if (value === undefined || !('$ref' in value)) return (value ?? {}) as SchemaJson
  const [, , kind = '', name = ''] = String(value.$ref).split('/')
  const found = document.components[kind as 'schemas'][name]
  if (found === undefined) throw new Error(`${String(value.$ref)} is not in the document`)
  return found
}

function operationNamed(operationId: string) {
  const operation = operations.find((one) => one.operationId === operationId)
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`)
  return operation
}
