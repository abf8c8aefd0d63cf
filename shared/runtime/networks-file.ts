import { readFileSync } from 'node:fs'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import { parseAddress } from '../domain/families/families.ts'
import { ENVIRONMENTS, NETWORKS, TOKENS } from '../domain/networks.ts'

/** What an operator can say about a token otherwise than the registry does. */
const TokenOverride = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    address: Type.Optional(Type.String({ format: 'address' })),
    decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 18 })),
    /** False: the contract has no restriction read, whatever the registry says. */
    restriction: Type.Optional(Type.Literal(false)),
  },
  { additionalProperties: false },
)

/** What an operator can say about a deployment otherwise than the registry does. */
const DeploymentOverride = Type.Object(
  {
    chainId: Type.Optional(Type.Integer({ minimum: 1 })),
    confirmations: Type.Optional(Type.Integer({ minimum: 1 })),
    blockTimeMs: Type.Optional(Type.Integer({ minimum: 1, maximum: 600_000 })),
    pollingIntervalMs: Type.Optional(Type.Integer({ minimum: 10, maximum: 60_000 })),
    rpcUrls: Type.Optional(Type.Array(Type.String({ format: 'rpc-url' }), { maxItems: 20 })),
    startBlock: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Where our factory was deployed, in a family where that is known of no other. */
    splitFactory: Type.Optional(Type.String({ format: 'address' })),
    minimumPayout: Type.Optional(Type.String({ format: 'dollars' })),
    maxFeePerGasGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
    maxTipPerGasGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
    maxDataFeeGwei: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000_000 })),
    tokens: Type.Optional(mapOf(TOKENS, TokenOverride)),
  },
  { additionalProperties: false },
)

const NetworksFile = mapOf(NETWORKS, mapOf(ENVIRONMENTS, DeploymentOverride))

export type NetworksFile = Static<typeof NetworksFile>
export type DeploymentOverride = Static<typeof DeploymentOverride>
export type TokenOverride = Static<typeof TokenOverride>

/**
 * Reads the file that `NETWORKS_CONFIG` names: by network and environment, what differs from the registry.
 *
 * @returns the overrides (none if something is wrong), and a sentence for each thing that is wrong
 */
export function readNetworksFile(path: string): { file: NetworksFile; problems: readonly string[] } {
  try {
    return checkNetworksFile(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    // Neither a missing file's message nor a parser's shows values of ours beyond a few characters of the text.
    const reason = error instanceof Error ? error.message : String(error)
    return { file: {}, problems: [`NETWORKS_CONFIG is ${JSON.stringify(path)}: cannot be read: ${reason}`] }
  }
}

/** Checks overrides that are already parsed; see `readNetworksFile`. */
export function checkNetworksFile(value: unknown): { file: NetworksFile; problems: readonly string[] } {
  if (validate(value)) return { file: value, problems: [] }
  return { file: {}, problems: (validate.errors ?? []).map(describe) }
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  formats: {
    address: { validate: (text: string) => parseAddress(text) !== null },
    'rpc-url': { validate: (text: string) => /^(https?|wss?):\/\//.test(text) && URL.canParse(text) },
    dollars: /^\d{1,6}(\.\d{1,6})?$/,
  },
})

const validate = ajv.compile<NetworksFile>(NetworksFile)

function describe(error: ErrorObject): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const extra: string | undefined = error.params['additionalProperty']
  if (extra !== undefined) return `NETWORKS_CONFIG: ${path ? `${path}.${extra}` : extra} is not known`
  // An RPC URL can carry a key.
  const shown = path.includes('rpcUrls') ? '(not shown)' : JSON.stringify(error.data)
  return `NETWORKS_CONFIG: ${path || 'the file'} is ${shown}: ${error.message}`
}

function mapOf<Key extends string, Value extends TSchema>(keys: readonly Key[], value: Value) {
  const properties = Object.fromEntries(keys.map((key) => [key, Type.Optional(value)]))
  return Type.Unsafe<{ readonly [name in Key]?: Static<Value> }>(
    Type.Object(properties, { additionalProperties: false }),
  )
}
