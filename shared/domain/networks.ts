import type { Address, AddressFamily, Hex } from './address.ts'
import type { AuthorizationDomain } from './authorization.ts'

/** The networks there are, in the specification's order. */
export const NETWORKS = [
  'base',
  'optimism',
  'polygon',
  'ethereum',
  'arbitrum',
  'avalanche',
  'bnb',
  'tron',
  'arc',
] as const

export type Network = (typeof NETWORKS)[number]

/** The stablecoins there are. */
export const TOKENS = ['USDC', 'USDT'] as const

export type Token = (typeof TOKENS)[number]

/** `live` or `test`, decided by the API key alone. */
export const ENVIRONMENTS = ['live', 'test'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

/** What a payer can swap into an accepted token. See the specification, "SwapAlternative". */
export const SWAP_TOKENS = ['ETH', 'BNB', 'POL', 'AVAX', 'BTC', 'LINK', 'ARB', 'OP', 'CBETH'] as const

export type SwapToken = (typeof SWAP_TOKENS)[number]

/** A token on a network; what a charge accepts and what it was paid with. */
export type Pair = { readonly token: Token; readonly network: Network }

/** Where a token of a network is. */
export type PairContract = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
}

/** A pair as text: `USDC/base`. */
export type PairKey = `${Token}/${Network}`

/** A view function of a token contract that tells whether its issuer restricts an address. */
export type RestrictionRead = {
  readonly function: string
  readonly selector: Hex
  /** Whether a restricted address can no longer receive, and no longer send. */
  readonly receive: boolean
  readonly send: boolean
}

/** Specification, "Limits": an issuer that takes longer has given no answer. */
export const ISSUER_TIMEOUT_MS = 1000

/** What we rely on about a token contract. */
export type TokenFacts = {
  readonly address: Address
  readonly decimals: number
  /** `null` if the contract has no such function. */
  readonly restriction: RestrictionRead | null
  /**
   * What `transferWithAuthorization` (EIP-3009) is signed with; `null` if the contract has no such function. The daemon
   * compares it with the contract's own separator before anybody is asked to sign.
   */
  readonly authorization: AuthorizationDomain | null
  /** Whether the pair is offered unless configuration says otherwise (decisions 2.2). */
  readonly enabledByDefault: boolean
  /** Set on tokens of a bridge, not issued by Circle or Tether. */
  readonly bridged?: true
  /** Set where transfers are logged by another contract than the token, with decimals of its own. */
  readonly transferEmitter?: { readonly address: Address; readonly decimals: number }
}

/** What we rely on about one chain. */
export type DeploymentFacts = {
  readonly chainId: number
  readonly blockTimeMs: number
  readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  /** Public endpoints, the first preferred; production configures its own. */
  readonly rpcUrls: readonly string[]
  /** Operators of nodes by host, where they are not the registrable domain of the URL. */
  readonly operators?: Readonly<Record<string, string>>
  readonly explorer: string
  readonly tokens: Partial<Record<Token, TokenFacts>>
}

/** An asset that swap-to-pay accepts as input. */
export type SwapTokenFacts = {
  /** The contract, or for the native coin the address that swap providers name it by. */
  readonly address: Address
  readonly decimals: number
  readonly isNative: boolean
}

/** The most that is offered for a unit of gas, in wei of the network's coin. */
export type GasBounds = {
  /** Base fee and tip together. */
  readonly maxFeePerGasWei: bigint
  /** What is paid whatever the base fee is; a replacement, which must raise it, may offer twice as much. */
  readonly maxTipPerGasWei: bigint
}

/**
 * How posting a transaction's bytes to the chain below is charged: not at all; beside the gas, by a contract's word
 * (OP stack); or within the gas (Arbitrum).
 */
export type DataFeeModel = 'none' | 'op-stack' | 'arbitrum'

/** What posting is charged by, and the most of it that one transaction may cost, in wei of the network's coin. */
export type DataFeeTerms = { readonly model: DataFeeModel; readonly maxWei: bigint }

/** What we rely on about one network. */
export type NetworkFacts = {
  readonly family: AddressFamily
  /** Blocks, its own included, after which a transfer is credited (decisions 2.6). */
  readonly confirmations: number
  /** `null` where gas has no price to offer. */
  readonly gas: GasBounds | null
  /** Decimal dollars that a payout costs at most; `null` where it costs cents. */
  readonly payoutCost: string | null
  readonly dataFee: DataFeeTerms
  readonly live: DeploymentFacts
  /** `null` if the network has no test environment. */
  readonly test: DeploymentFacts | null
  readonly swapTokens: Partial<Record<SwapToken, SwapTokenFacts>>
}

/** Writes a pair as text, fit for a map key. */
export function pairKey(pair: Pair): PairKey {
  return `${pair.token}/${pair.network}`
}

/** Reads what `pairKey` wrote, or answers `null`. */
export function parsePairKey(text: string): Pair | null {
  return ALL_PAIRS.find((pair) => pairKey(pair) === text) ?? null
}

/** Every token on every network, configured or not. */
export const ALL_PAIRS: readonly Pair[] = NETWORKS.flatMap((network) =>
  TOKENS.map((token) => ({ token, network })),
)

/**
 * Answers how many blocks Ponder waits before it takes a block for final; a confirmation depth stays below it.
 *
 * @see ponder 0.16.10, `src/utils/finality.ts`, `getFinalityBlockCount`
 */
export function finalityBlocks(chainId: number): number {
  return PONDER_FINALITY_BLOCKS.get(chainId) ?? 30
}

const PONDER_FINALITY_BLOCKS: ReadonlyMap<number, number> = new Map([
  [1, 65],
  [11155111, 65],
  [137, 200],
  [42161, 240],
])
