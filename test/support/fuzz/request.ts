import type { TObject } from '@sinclair/typebox'
import type { KeyedRoute, Route } from '../../../api/http/route.ts'
import type { Random } from '../seeded-random.ts'
import { drawHostileText, drawValid, mutate, type Vocabulary, writeJson } from './json-text.ts'

export type FuzzRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

/** A sender's API keys, and the ids and other values for its requests. */
export type Sender = {
  readonly keys: readonly string[]
  readonly vocabulary: Vocabulary
  /** Vocabulary of DELETE requests, without the ids of rows that later requests need. */
  readonly deletable: Vocabulary
}

type Source = { readonly random: Random; readonly vocabulary: Vocabulary }

/**
 * Picks a route at random, and draws a request that follows its schemas. Half of the requests have no deliberate
 * faults. The others can have faults in the method, key, path, query, body or headers.
 */
export function drawRequest(random: Random, routes: readonly Route[], sender: Sender): FuzzRequest {
  const route = random.pick(routes)
  const keyed = route.access === 'key' ? route : null
  const wrong = random.fraction() < 0.5 ? 0 : 0.1 + random.fraction() * 0.3
  const isWrong = () => random.fraction() < wrong
  const method = isWrong() ? random.pick(METHODS) : route.method
  const source = { random, vocabulary: method === 'DELETE' ? sender.deletable : sender.vocabulary }
  const text = keyed?.body && bodyText(source, keyed.body.schema, isWrong)
  const body = isWrong() ? random.pick([null, ...BODIES]) : text === undefined ? null : Buffer.from(text)
  return {
    method,
    path: pathOf(source, route, isWrong) + queryOf(source, keyed, isWrong),
    headers: {
      ...(isWrong() ? random.pick(ODD_KEYS) : { authorization: `Bearer ${random.pick(sender.keys)}` }),
      ...(body === null ? {} : { 'content-type': isWrong() ? random.pick(TYPES) : 'application/json' }),
      ...(isWrong() ? random.pick(ODD_HEADERS) : {}),
    },
    body,
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'REPORT']

const TYPES = [
  'text/plain',
  'application/json; charset=latin1',
  'application/json;charset=utf-8',
  'multipart/form-data',
  '',
  'application/x-www-form-urlencoded',
  'application/problem+json',
  'APPLICATION/JSON',
  'json',
  'a'.repeat(3000),
]

const BODIES = [
  '',
  '{',
  '}',
  'null',
  '[]',
  '"x"',
  '1',
  '{}',
  '{}{}',
  '\ufeff{}',
  '{"a":1,}',
  "{'a':1}",
  '{"amount":1e}',
  ' ',
  '{"__proto__":{"isAdmin":true}}',
  `{"metadata":"${'x'.repeat(300 * 1024)}"}`,
  `{"a":${'['.repeat(100_000)}`,
]
  .map((text) => Buffer.from(text))
  .concat(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), Buffer.from('7b2261223a22c328227d', 'hex'))

const ODD_KEYS: readonly Readonly<Record<string, string>>[] = [
  {},
  ...[
    '',
    'Bearer',
    'Bearer  ',
    'Basic YTpi',
    'Bearer svc_live_',
    `Bearer svc_live_${'0'.repeat(49)}`,
    'bearer x y',
  ].map((authorization) => ({ authorization })),
  { authorization: `Bearer svc_test_${'z'.repeat(12_000)}` },
]

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'last-event-id': '999999999999999999999' },
  { 'last-event-id': '-1' },
  { 'last-event-id': '1; drop' },
  { 'x-forwarded-for': '1.2.3.4, ::1, x' },
  { 'content-encoding': 'gzip' },
  { accept: 'text/html' },
  { accept: 'application/json;q=0, */*' },
  { 'accept-encoding': 'br' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { 'x-giant': 'x'.repeat(10_000) },
  { 'x-giant': 'x'.repeat(20_000) },
  { cookie: 'a=b'.repeat(1000) },
  { origin: 'https://evil.example' },
]

function bodyText(source: Source, schema: TObject, isWrong: () => boolean): string {
  let value = drawValid(source, schema)
  while (isWrong()) value = mutate(source, value)
  const text = writeJson(value)
  if (!isWrong()) return text
  const at = source.random.integer(text.length + 1)
  return text.slice(0, at) + source.random.pick(['', ',', '"', '}', '\0', '\\u', '/**/']) + text.slice(at + 1)
}

/**
 * Returns the route's path with ids from the vocabulary, which include other senders' ids, or with malformed ids.
 * Sometimes also changes the rest of the path.
 */
function pathOf(source: Source, route: Route, isWrong: () => boolean): string {
  const { random, vocabulary } = source
  const path = route.path.replace(/\/([a-z]+)\/:(\w+)/g, (_, resource: string) => {
    const ids = vocabulary.byName[`/${resource}`] ?? vocabulary.anywhere
    return `/${resource}/${isWrong() ? oddSegment(source) : random.pick(ids)}`
  })
  if (!isWrong()) return path
  return random.pick([
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.replace('/v1/', '/v2/'),
    path.replace('/v1/', '/v1/../v1/'),
    path.replaceAll('/', '//'),
    `${path}/${oddSegment(source)}`,
    `${path};a=b`,
    '/',
    '/v1',
  ])
}

const ODD_SEGMENTS = [
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%ud800',
  ':id',
  '*',
  '',
  '%20',
]

function oddSegment(source: Source): string {
  const { random } = source
  if (random.fraction() < 0.5) return random.pick(ODD_SEGMENTS)
  return encode(drawHostileText(source)).slice(0, 3000)
}

function queryOf(source: Source, route: KeyedRoute | null, isWrong: () => boolean): string {
  const { random } = source
  const drawn = route?.query ? drawValid(source, route.query) : { fields: [] }
  const fields = typeof drawn === 'object' && drawn !== null && 'fields' in drawn ? drawn.fields : []
  const parts = fields.map(([name, value]) => {
    const text = typeof value === 'string' ? value : writeJson(value)
    return `${name}=${isWrong() ? oddSegment(source) : encode(text)}`
  })
  if (isWrong() && parts[0] !== undefined) parts.push(parts[0])
  if (isWrong())
    parts.push(
      random.pick(['=', '&', 'a', '__proto__=1', 'limit[]=1', 'limit=1', `cursor=${'a'.repeat(600)}`]),
    )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Encodes a text for a URL. Replaces lone surrogates, for which `encodeURIComponent` throws. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}
