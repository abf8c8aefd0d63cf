import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { listErrorCodes, NOT_FOUND_ERROR_CODES } from '../../api/docs/openapi/error-codes.ts'
import type { Route } from '../../api/http/route.ts'
import { ErrorResponse } from '../../api/http/schema.ts'
import type { ErrorCode } from '../../shared/domain/errors.ts'
import type { TestApi } from './api.ts'

/** A response whose JSON body has been checked against the API's schema. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  // `any`, because each test reads different fields, and the body has already been checked against the schema.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly text: string
}

type Call = {
  readonly key?: string
  readonly body?: unknown
  /** The body as text, for tests whose JSON must be sent byte for byte. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Calls the API over HTTP and checks the response against the schema of its route or of errors.
 *
 * @param request - for example `POST /v1/charges`
 */
export async function call(
  api: Pick<TestApi, 'baseUrl' | 'routes'>,
  request: string,
  options: Call = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = request.split(' ')
  const text = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = await fetch(api.baseUrl + path, {
    method,
    headers: {
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const answer = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const body = isJson ? JSON.parse(answer) : null
  expectContract(findRoute(api.routes, { method, path }), { status: response.status, body })
  expect(response.headers.get('request-id'), 'Request-Id').to.match(/^[0-9a-f-]{36}$/)
  return { status: response.status, headers: response.headers, body, text: answer }
}

/**
 * Fails unless the response is the given error, with the given `param`, or without a `param` if it is omitted.
 *
 * @param error - status and code: `404 charge_not_found`
 */
export function expectError(answer: Answer, error: string, param?: string): void {
  expect(`${answer.status} ${answer.body?.error?.code}`, answer.text).to.equal(error)
  expect(answer.body.error.param, answer.text).to.equal(param)
}

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true })
const compiled = new Map<object, ValidateFunction>()

/** Fails unless the response has the shape of its route's success, or is a documented error of the route. */
export function expectContract(route: Route | undefined, answer: { status: number; body: unknown }): void {
  const body = route?.success.status === answer.status ? route.success.body : undefined
  if (typeof body === 'string' || body === null) return
  const schema = body ?? route?.ownFailures?.[answer.status] ?? ErrorResponse
  if (schema === ErrorResponse) expectDocumented(route, answer.body as { error?: { code?: ErrorCode } })
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(answer.body)) return
  expect.fail(
    `${route?.method} ${route?.path} returned ${JSON.stringify(answer.body)}: ${ajv.errorsText(validate.errors)}`,
  )
}

function expectDocumented(route: Route | undefined, body: { error?: { code?: ErrorCode } }): void {
  const codes = route === undefined ? NOT_FOUND_ERROR_CODES : listErrorCodes(route)
  const where = route === undefined ? 'an unknown path or method' : `${route.method} ${route.path}`
  expect(codes, `codes of ${where}`).to.include(body.error?.code)
}

/** Finds the route of a path. Like the router, ignores case and a trailing slash. */
export function findRoute(
  routes: readonly Route[],
  { method, path }: { method: string; path: string },
): Route | undefined {
  const plain = path.split('?')[0] ?? ''
  return routes.find(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}/?$`, 'i').test(plain),
  )
}
