import { readFileSync } from 'node:fs'
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import { parseAddress } from '../domain/chain-families/chain-families.ts'
import { ENVIRONMENTS, type Environment, NETWORKS, type Network, TOKENS } from '../domain/networks.ts'
import { MAX_QUORUM, type NodeEntry } from '../domain/node-config.ts'
import { formatNode, type NodeEndpoint } from '../domain/node-endpoint.ts'

const AuthorizationDomain = strict({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  version: Type.String({ minLength: 1, maxLength: 16 }),
})

/** Overrides of the registry's facts about a token. */
const TokenOverride = strict({
  enabled: Type.Optional(Type.Boolean()),
  address: Type.Optional(Type.String({ format: 'address' })),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 18 })),
  /** `false` if the contract has no restriction query of its issuer, although the registry lists one. */
  restriction: Type.Optional(Type.Literal(false)),
  /** EIP-712 domain; `false` if the contract does not support EIP-3009, although the registry lists a domain. */
  authorization: Type.Optional(Type.Union([Type.Literal(false), AuthorizationDomain])),
})

/** Request headers that operators cannot set. */
const OWN_HEADERS =
  /^(host|connection|upgrade|te|trailer|expect|accept|cookie|content-.*|transfer-.*|proxy-.*|sec-.*)$/i

type NodeObject = Exclude<NodeEntry, string> & Partial<Pick<NodeEndpoint, 'headers'>>

/** A node: its URL, or an object. The URL must be `private-url` if there are headers, because they contain a key. */
const Node = Type.Unsafe<string | NodeObject>({
  type: ['string', 'object'],
  format: 'rpc-url',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: { type: 'string', format: 'rpc-url' },
    headers: {
      type: 'object',
      ...{ minProperties: 1, maxProperties: 8, propertyNames: { format: 'header-name' } },
      additionalProperties: { type: 'string', format: 'header-value' },
    },
    operator: { type: 'string', format: 'operator' },
    requestsPerSecond: { type: 'number', exclusiveMinimum: 0, maximum: 100_000 },
    requestsPerDay: { type: 'integer', minimum: 1, maximum: 10_000_000_000 },
  },
  dependencies: { headers: { properties: { url: { type: 'string', format: 'private-url' } } } },
})

/** Overrides of the registry's facts about a deployment. */
const DeploymentOverride = strict({
  chainId: Type.Optional(Type.Integer({ minimum: 1 })),
  confirmations: Type.Optional(Type.Integer({ minimum: 1 })),
  blockTimeMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000 })),
  pollingIntervalMs: Type.Optional(Type.Integer({ minimum: 10, maximum: 60_000 })),
  rpcUrls: Type.Optional(Type.Array(Node, { maxItems: 20 })),
  /** Number of operators whose nodes must agree before a row counts (decisions 9.1). */
  quorum: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_QUORUM })),
  startBlock: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Address of our factory, in a family without a fixed factory. */
  splitFactory: Type.Optional(Type.String({ format: 'address' })),
  minimumPayout: Type.Optional(Type.String({ format: 'dollars' })),
  minimumCharge: Type.Optional(Type.String({ format: 'dollars' })),
  /** Whether `minimumPayout` and `minimumCharge` may be below the cost of a payout. */
  acceptLossyPayouts: Type.Optional(Type.Boolean()),
  maxFeePerGasGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  maxTipPerGasGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
  maxDataFeeGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
  tokens: Type.Optional(mapOf(TOKENS, TokenOverride)),
})

const WrittenFile = mapOf(NETWORKS, mapOf(ENVIRONMENTS, DeploymentOverride))
type WrittenFile = Static<typeof WrittenFile>

/** The content of the file. `formatNode` has added a node's headers to its URL. */
export type NetworksFile = {
  readonly [network in Network]?: { readonly [environment in Environment]?: DeploymentOverride }
}
export type DeploymentOverride = Omit<Static<typeof DeploymentOverride>, 'rpcUrls'> & {
  readonly rpcUrls?: readonly NodeEntry[]
}
export type TokenOverride = Static<typeof TokenOverride>

/**
 * Reads the file that `NETWORKS_CONFIG` names: overrides of the registry, by network and environment.
 *
 * @returns the overrides (empty if there are problems), and one sentence per problem
 */
export function readNetworksFile(path: string): { file: NetworksFile; problems: readonly string[] } {
  try {
    return checkNetworksFile(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    // The message can be shown: the error of a missing file contains no values, and the parser's only a few characters.
    const reason = error instanceof Error ? error.message : String(error)
    return { file: {}, problems: [`NETWORKS_CONFIG is ${JSON.stringify(path)}: cannot be read: ${reason}`] }
  }
}

/** Validates the content of the file after `JSON.parse`; see `readNetworksFile`. */
export function checkNetworksFile(value: unknown): { file: NetworksFile; problems: readonly string[] } {
  // Compiled here and cached by ajv, so that a command that does not read the file saves 0.3 s.
  const validate = ajv.compile<WrittenFile>(WrittenFile)
  if (validate(value))
    return { file: mapValues(value, (places) => mapValues(places, withNodes)), problems: [] }
  return { file: {}, problems: (validate.errors ?? []).filter(isCause).map(describe) }
}

function withNodes({ rpcUrls, ...rest }: Static<typeof DeploymentOverride>): DeploymentOverride {
  if (rpcUrls === undefined) return rest
  return { ...rest, rpcUrls: rpcUrls.map((node) => (typeof node === 'string' ? node : nodeEntry(node))) }
}

function nodeEntry({ url, headers = {}, ...facts }: NodeObject): NodeEntry {
  return { ...facts, url: formatNode({ url, headers }) }
}

function mapValues<Key extends string, From, To>(
  map: { readonly [key in Key]?: From },
  to: (from: From) => To,
) {
  const entries = Object.entries(map) as [Key, From][]
  return Object.fromEntries(entries.map(([key, value]) => [key, to(value)])) as { readonly [key in Key]?: To }
}

/** Returns whether no third party can read headers that are sent to a URL: https, or http on this machine. */
function isPrivate(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname } = new URL(text)
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|\[::1\]|127(\.\d+){3})$/.test(hostname))
  )
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  formats: {
    'private-url': { validate: isPrivate },
    'header-name': (name: string) =>
      /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(name) && !OWN_HEADERS.test(name),
    // Printable ASCII except double quotes and backslashes, which JSON would escape; no space at either end.
    'header-value': /^[!#-[\]-~](?:[ !#-[\]-~]{0,1022}[!#-[\]-~])?$/,
    // It appears in logs, metrics and rows, in lower case.
    operator: /^[A-Za-z0-9](?:[A-Za-z0-9 ._:-]{0,62}[A-Za-z0-9])?$/,
    address: { validate: (text: string) => parseAddress(text) !== null },
    'rpc-url': { validate: (text: string) => /^(https?|wss?):\/\/[^#]*$/.test(text) && URL.canParse(text) },
    dollars: /^\d{1,6}(\.\d{1,6})?$/,
  },
})

/** Returns whether an error must be reported. ajv reports an invalid property name twice. */
function isCause({ keyword }: ErrorObject): boolean {
  return keyword !== 'propertyNames'
}

function describe(error: ErrorObject): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const extra: string | undefined = error.params['additionalProperty']
  if (extra !== undefined) return `NETWORKS_CONFIG: ${path ? `${path}.${extra}` : extra} is unknown`
  const shown = mayHoldKey(path) ? '(not shown)' : JSON.stringify(error.data)
  const field = path.slice(path.lastIndexOf('.') + 1)
  const meaning = MEANINGS[String(error.params['format'])] ?? BOUNDS[field] ?? error.message
  return `NETWORKS_CONFIG: ${path || 'the file'} is ${shown}: ${meaning}`
}

/** Returns whether the value at a path might contain a key, such as an RPC URL, a header or a misplaced value. */
function mayHoldKey(path: string): boolean {
  return path.includes('rpcUrls') && !/\.(requestsPerSecond|requestsPerDay)$/.test(path)
}

const BOUNDS: Readonly<Record<string, string>> = {
  quorum: `must be an integer from 1 to ${MAX_QUORUM}`,
  requestsPerSecond: 'must be a number above 0, at most 100000',
  requestsPerDay: 'must be an integer from 1 to 10000000000',
}

const MEANINGS: Readonly<Record<string, string>> = {
  'rpc-url':
    'must be an http, https, ws or wss URL without a fragment, or { "url", "headers", "operator", "requestsPerSecond", "requestsPerDay" }',
  'private-url': 'must be https, or http on this machine, because its headers are secret; without a fragment',
  'header-name': 'must be a custom header such as TRON-PRO-API-KEY',
  'header-value':
    'must be 1 to 1,024 printable ASCII characters except double quotes and backslashes, with no space at either end',
  operator:
    'must be 1 to 64 letters, digits, spaces, ".", "_", ":" and "-", with a letter or digit at both ends, such as example.com',
}

function mapOf<Key extends string, Value extends TSchema>(keys: readonly Key[], value: Value) {
  const properties = Object.fromEntries(keys.map((key) => [key, Type.Optional(value)]))
  return Type.Unsafe<{ readonly [name in Key]?: Static<Value> }>(strict(properties))
}

function strict<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
