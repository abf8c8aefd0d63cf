import { type ErrorCode, HTTP_STATUS } from '../../../shared/domain/errors.ts'
import type { Route } from '../../http/route.ts'
import { ErrorResponse } from '../../http/schema.ts'
import type { Components } from './components.ts'
import { listErrorCodes } from './error-codes.ts'
import { ERROR_MEANING } from './error-meanings.ts'
import { listHeaders } from './headers.ts'
import type { Example, MediaType, Operation, Reference, Response, SchemaJson } from './openapi-types.ts'
import type { Schemas } from './schemas.ts'
import { findSharedError, findSharedSuccess } from './shared-responses.ts'

type Success = Route['success']

/** Describes every response of an endpoint, by status. */
export function describeResponses(route: Route, components: Components): Operation['responses'] {
  return {
    [route.success.status]: describeSuccess(route, components),
    ...describeEnd(route),
    ...describeErrors(route, components),
    ...describeOwnFailures(route, components),
  }
}

function describeSuccess({ success }: Route, { schemas, responses }: Components): Response | Reference {
  const content = describeContent(success, schemas)
  const own = 'headers' in success ? success.headers : undefined
  const response: Response = {
    description: content === null ? 'Success, without a body.' : 'Success.',
    headers: { ...listHeaders(success.status), ...describeOwnHeaders(own ?? {}) },
    ...(content !== null && { content }),
  }
  const name = own === undefined ? findSharedSuccess(success.body) : undefined
  return name === undefined ? response : responses.share(name, response)
}

function describeOwnHeaders(own: Readonly<Record<string, string>>): NonNullable<Response['headers']> {
  return Object.fromEntries(
    Object.entries(own).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )
}

type Content = NonNullable<Response['content']>

function describeContent(success: Success, schemas: Schemas): Content | null {
  if (success.body === null) return null
  if (success.body === 'svg') return { 'image/svg+xml': { schema: { type: 'string' } } }
  if (success.body === 'text')
    return Object.fromEntries(success.contentTypes.map((type) => [type, { schema: { type: 'string' } }]))
  if (success.body === 'event-stream') return { 'text/event-stream': describeStream(success.events, schemas) }
  return { 'application/json': { schema: schemas.write(success.body, 'answer') } }
}

type Events = Extract<Success, { body: 'event-stream' }>['events']

/**
 * Describes a stream as the sequence of its events, whose `data` is JSON in a string.
 *
 * @see https://spec.openapis.org/oas/v3.2.0.html#server-sent-event-streams, which 3.1 does not define
 */
function describeStream(events: Events, schemas: Schemas): MediaType {
  return {
    schema: {
      type: 'array',
      items: oneOrAny(events.map((event) => describeStreamEvent(event, schemas))),
    },
  }
}

function oneOrAny(kinds: readonly SchemaJson[]): SchemaJson {
  const [only, ...others] = kinds
  return only !== undefined && others.length === 0 ? only : { anyOf: kinds }
}

function describeStreamEvent({ name, summary, data }: Events[number], schemas: Schemas) {
  return {
    type: 'object',
    description: summary,
    required: ['event', 'data'],
    properties: {
      // A name with a space describes the event names of a stream whose data determines them.
      event: name.includes(' ') ? { type: 'string', description: name } : { type: 'string', const: name },
      id: { type: 'string' },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: schemas.write(data, 'answer'),
      },
    },
  }
}

/** Describes the response to a client that already has the final frame of the stream. */
function describeEnd({ success }: Route): Readonly<Record<string, Response>> {
  if (success.body !== 'event-stream' || success.whenOver === undefined) return {}
  return { 204: { description: success.whenOver, headers: listHeaders(204) } }
}

function describeErrors(route: Route, components: Components): Operation['responses'] {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of listErrorCodes(route)) {
    const status = HTTP_STATUS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, describeError(codes, components)]),
  )
}

/** All codes must have the same status. */
function describeError(
  codes: readonly ErrorCode[],
  { schemas, responses }: Components,
): Response | Reference {
  const response: Response = {
    description: listMeanings(codes),
    headers: listHeaders(HTTP_STATUS[codes[0] ?? 'internal_error']),
    content: {
      'application/json': {
        schema: schemas.write(ErrorResponse, 'answer'),
        examples: Object.fromEntries(codes.map((code) => [code, createExample(code)])),
      },
    },
  }
  const name = findSharedError(codes)
  return name === undefined ? response : responses.share(name, response)
}

function listMeanings(codes: readonly ErrorCode[]): string {
  const [only, ...others] = codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`)
  return others.length === 0 ? `${only}` : [only, ...others].map((line) => `- ${line}`).join('\n')
}

function createExample(code: ErrorCode): Example {
  return { summary: ERROR_MEANING[code], value: { error: { code, message: ERROR_MEANING[code] } } }
}

function describeOwnFailures(route: Route, { schemas }: Components): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    Object.entries(route.ownFailures ?? {}).map(([status, body]) => [
      status,
      {
        description: 'The service does not work at the moment. The body has the same form as on success.',
        headers: listHeaders(Number(status)),
        content: { 'application/json': { schema: schemas.write(body, 'answer') } },
      },
    ]),
  )
}
