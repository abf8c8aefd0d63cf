import type { Address, AddressFamily } from '../domain/address.ts'
import type { AuthorizationDomain } from '../domain/authorization.ts'
import type { Environment, Network, Pair, Token, TokenFacts } from '../domain/networks.ts'
import type { NodeConfig } from '../domain/node-config.ts'

/** A token of a deployment; one that is not enabled is still watched, never offered. */
export type TokenConfig = Pick<TokenFacts, 'address' | 'decimals' | 'restriction' | 'transferEmitter'> & {
  readonly token: Token
  readonly enabled: boolean
  /** What its authorizations are signed with; `null` or left out where it knows none. */
  readonly authorization?: AuthorizationDomain | null
}

/** One chain as this process is to use it: the registry's facts with the operator's overrides. */
export type DeploymentConfig = {
  readonly network: Network
  readonly environment: Environment
  readonly family: AddressFamily
  readonly chainId: number
  readonly confirmations: number
  /** A test deployment's is its live one's, for a testnet is slow at times (decisions 2.4). */
  readonly blockTimeMs: number
  readonly pollingIntervalMs: number
  /** The URLs of `nodes`, in their order. Never empty; they may carry keys. */
  readonly rpcUrls: readonly string[]
  /** Never empty, the preferred node first. */
  readonly nodes: readonly NodeConfig[]
  /** Operators that must agree before a fact counts (decisions 9.1). */
  readonly quorum: number
  readonly tokens: readonly TokenConfig[]
  /** Makes the splits, in a family without a factory of its own; see `splitFactoryOf`. Without it no pair is enabled. */
  readonly splitFactory?: Address
  /** First block to watch; without it, the head at the time the deployment is first enabled. */
  readonly startBlock?: number
  /** Blocks after which Ponder takes a block for final: above `confirmations`. */
  readonly finalityBlocks: number
  /** Decimal dollars that a payout costs at most; absent where it costs cents, and on test deployments. */
  readonly payoutCost?: string
  /** Decimal dollars; overrides MINIMUM_PAYOUT and `payoutCost`. */
  readonly minimumPayout?: string
  /** Decimal dollars, of a live deployment; overrides MINIMUM_CHARGE and `payoutCost`. */
  readonly minimumCharge?: string
  /** Overrides MAX_FEE_PER_GAS_GWEI and the registry's. */
  readonly maxFeePerGasGwei?: number
  /** Overrides the registry's. */
  readonly maxTipPerGasGwei?: number
  /** The most that posting one transaction to L1 may cost; overrides the registry's. */
  readonly maxDataFeeGwei?: number
}

/** Whose splits charges have; `null` where no factory is configured, and so no charge can be made. */
export type SplitFactories = Readonly<Record<Environment, Readonly<Record<AddressFamily, Address | null>>>>

/** What configuration makes of the registry. */
export type MergedNetworks = {
  readonly deployments: readonly DeploymentConfig[]
  /** Of test charges of a family of which no testnet has one, they are the live ones: all of those are simulated. */
  readonly splitFactories: SplitFactories
  /** What a test charge can accept on no chain at all: the enabled pairs of testnets that are not run. */
  readonly simulatedPairs: readonly Pair[]
  /** A sentence for each thing that is wrong. */
  readonly problems: readonly string[]
}
