import type { Address, ChainFamilyName, Hex } from './address.ts'
import type { AuthorizationDomain } from './eip3009/authorization.ts'

/**
 * The supported networks, in the specification's order. Their chains and tokens are in `network-registry.ts`.
 * CONTRIBUTING.md ("Add a network") lists everything that a new network needs.
 */
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

/** The supported stablecoins. */
export const TOKENS = ['USDC', 'USDT'] as const

export type Token = (typeof TOKENS)[number]

/** The environments. Only the API key determines the environment of a request. */
export const ENVIRONMENTS = ['live', 'test'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

/** Tokens that a payer can swap into an accepted token. See the specification, "SwapAlternative". */
export const SWAP_TOKENS = ['ETH', 'BNB', 'POL', 'AVAX', 'BTC', 'LINK', 'ARB', 'OP', 'CBETH'] as const

export type SwapToken = (typeof SWAP_TOKENS)[number]

/** A token on a network. A charge accepts pairs, and each payment is on one pair. */
export type Pair = { readonly token: Token; readonly network: Network }

/** A token's contract on its chain. */
export type PairContract = {
  readonly chainId: number
  readonly tokenAddress: Address
  readonly decimals: number
}

/** A pair as text: `USDC/base`. */
export type PairKey = `${Token}/${Network}`

/** A view function of a token contract that returns whether its issuer restricts an address. */
export type RestrictionRead = {
  readonly function: string
  readonly selector: Hex
  /** Whether the token checks this restriction for the receiver, and whether for the sender. */
  readonly receive: boolean
  readonly send: boolean
}

/** Timeout of a query of a token's restriction (specification, "Limits"). */
export const ISSUER_TIMEOUT_MS = 1000

/** The facts of a token contract. */
export type TokenFacts = {
  readonly address: Address
  readonly decimals: number
  /** The issuer's restriction function; `null` if the contract has none. */
  readonly restriction: RestrictionRead | null
  /**
   * EIP-712 domain of `transferWithAuthorization` (EIP-3009); `null` if the contract has no such function. The daemon
   * compares the domain with the contract's `DOMAIN_SEPARATOR()` before any payer is asked to sign.
   */
  readonly authorization: AuthorizationDomain | null
  /** Whether the pair is available unless the configuration overrides it (decisions 2.2). */
  readonly enabledByDefault: boolean
  /** Set on bridged tokens, which are not issued by Circle or Tether. */
  readonly bridged?: true
  /** Set if a contract other than the token logs the transfers; the logged amounts have these `decimals`. */
  readonly transferEmitter?: { readonly address: Address; readonly decimals: number }
}

/** The facts of one chain. */
export type DeploymentFacts = {
  readonly chainId: number
  readonly blockTimeMs: number
  readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  /** Public nodes in order of preference. A production deployment configures its own nodes. */
  readonly rpcUrls: readonly string[]
  /** Operators by host, for nodes whose operator is not the URL's registrable domain. */
  readonly operators?: Readonly<Record<string, string>>
  readonly explorer: string
  readonly tokens: Partial<Record<Token, TokenFacts>>
}

/** An asset that swap-to-pay accepts as input. */
export type SwapTokenFacts = {
  /** Address of the asset's contract; for the native coin, the address that swap providers use for it. */
  readonly address: Address
  readonly decimals: number
  readonly isNative: boolean
}

/** Maximum price to offer for a unit of gas, in wei of the network's coin. */
export type GasBounds = {
  /** Base fee and tip together. */
  readonly maxFeePerGasWei: bigint
  /**
   * Maximum tip, which is paid in full regardless of the base fee. A replacement transaction must raise the tip, to at
   * most twice this maximum.
   */
  readonly maxTipPerGasWei: bigint
}

/**
 * How the chain charges for posting a transaction's bytes to its parent chain: not at all; in addition to the gas, at a
 * price set by a contract (OP stack); or as part of the gas (Arbitrum).
 */
export type DataFeeModel = 'none' | 'op-stack' | 'arbitrum'

/** The fee model for posting, and the maximum posting fee of one transaction, in wei of the network's coin. */
export type DataFeeTerms = { readonly model: DataFeeModel; readonly maxWei: bigint }

/** The facts of one network. */
export type NetworkFacts = {
  readonly family: ChainFamilyName
  /**
   * Number of blocks, including the transfer's own block, after which a transfer is credited (decisions 2.6).
   * `shared/db/chain-facts/daemon/at-depth.ts` applies it.
   */
  readonly confirmations: number
  /** Bounds on the gas price; `null` if the network has no such price. */
  readonly gas: GasBounds | null
  /** Maximum cost of a payout, in decimal dollars; `null` if it costs cents. */
  readonly payoutCost: string | null
  readonly dataFee: DataFeeTerms
  readonly live: DeploymentFacts
  /** The chain of the test environment; `null` if the network has none. */
  readonly test: DeploymentFacts | null
  readonly swapTokens: Partial<Record<SwapToken, SwapTokenFacts>>
}

/** Formats a pair as text, suitable as a map key. */
export function pairKey(pair: Pair): PairKey {
  return `${pair.token}/${pair.network}`
}

/** Parses the result of `pairKey`; returns `null` for any other text. */
export function parsePairKey(text: string): Pair | null {
  return ALL_PAIRS.find((pair) => pairKey(pair) === text) ?? null
}

/** Every token on every network, whether or not it exists. */
export const ALL_PAIRS: readonly Pair[] = NETWORKS.flatMap((network) =>
  TOKENS.map((token) => ({ token, network })),
)

/**
 * Returns the number of blocks after which Ponder considers a block final. Confirmation depths must stay below it.
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
