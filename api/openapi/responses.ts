import { type ErrorCode, HTTP_STATUS } from '../../shared/domain/errors.ts'
import type { Route } from '../route.ts'
import { ErrorAnswer } from '../schema.ts'
import { errorCodesOf } from './error-codes.ts'
import { ERROR_MEANING } from './error-meanings.ts'
import { headersOf } from './headers.ts'
import type { Example, MediaType, Operation, Reference, Response, SchemaJson } from './openapi-types.ts'
import type { Schemas } from './schemas.ts'

/** Writes everything an endpoint can answer, by status. */
export function describeResponses(route: Route, schemas: Schemas): Operation['responses'] {
  const { success } = route
  const own = 'headers' in success ? success.headers : {}
  const content = describeSuccess(route, schemas)
  return {
    [success.status]: {
      description: content === null ? 'Done; there is no body.' : 'Done.',
      headers: {
        ...headersOf(success.status),
        ...Object.fromEntries(
          Object.entries(own ?? {}).map(([name, description]) => [
            name,
            { description, schema: { type: 'string' } },
          ]),
        ),
      },
      ...(content !== null && { content }),
    },
    ...describeEnd(route),
    ...describeErrors(route, schemas),
    ...describeOwnFailures(route, schemas),
  }
}

function describeSuccess({ success }: Route, schemas: Schemas): Readonly<Record<string, MediaType>> | null {
  if (success.body === null) return null
  if (success.body === 'svg') return { 'image/svg+xml': { schema: { type: 'string' } } }
  if (success.body === 'event-stream') return { 'text/event-stream': describeStream(success.events, schemas) }
  return { 'application/json': { schema: schemas.write(success.body, 'answer') } }
}

type Events = Extract<Route['success'], { body: 'event-stream' }>['events']

/**
 * Writes a stream as the sequence of its events, of which `data` is JSON in a string.
 *
 * @see https://spec.openapis.org/oas/v3.2.0.html#server-sent-event-streams, which 3.1 leaves open
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
      // A name with a space is a description: this event is named as its data says.
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

/** What a stream answers to who has its final frame already. */
function describeEnd({ success }: Route): Readonly<Record<string, Response>> {
  if (success.body !== 'event-stream' || success.whenOver === undefined) return {}
  return { 204: { description: success.whenOver, headers: headersOf(204) } }
}

/** Errors that many endpoints share, whole answers of one status; components of the document. */
const SHARED_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = {
  Unauthorized: ['missing_api_key', 'invalid_api_key', 'payout_address_revoked'],
  PayloadTooLarge: ['payload_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  RateLimited: ['rate_limited'],
  InternalError: ['internal_error'],
}

/** Writes the errors that operations refer to. */
export function describeSharedErrors(schemas: Schemas): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    Object.entries(SHARED_ERRORS).map(([name, codes]) => [name, describeError(codes, schemas)]),
  )
}

/** One answer for each status. */
function describeErrors(route: Route, schemas: Schemas): Readonly<Record<string, Response | Reference>> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorCodesOf(route)) {
    const status = HTTP_STATUS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, findShared(codes) ?? describeError(codes, schemas)]),
  )
}

function findShared(codes: readonly ErrorCode[]): Reference | null {
  const shared = Object.entries(SHARED_ERRORS).find(([, those]) => those.join() === codes.join())
  return shared === undefined ? null : { $ref: `#/components/responses/${shared[0]}` }
}

/** The examples of an answer are its codes, all of one status. */
function describeError(codes: readonly ErrorCode[], schemas: Schemas): Response {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n'),
    headers: headersOf(HTTP_STATUS[codes[0] ?? 'internal_error']),
    content: {
      'application/json': {
        schema: schemas.write(ErrorAnswer, 'answer'),
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code)])),
      },
    },
  }
}

function exampleOf(code: ErrorCode): Example {
  return { summary: ERROR_MEANING[code], value: { error: { code, message: ERROR_MEANING[code] } } }
}

function describeOwnFailures(route: Route, schemas: Schemas): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    Object.entries(route.ownFailures ?? {}).map(([status, body]) => [
      status,
      {
        description: 'It does not work now; the body says what it says when it does.',
        headers: headersOf(Number(status)),
        content: { 'application/json': { schema: schemas.write(body, 'answer') } },
      },
    ]),
  )
}
