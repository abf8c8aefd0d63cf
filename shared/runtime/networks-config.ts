import type { Address, ChainFamilyName } from '../domain/address.ts'
import type { AuthorizationDomain } from '../domain/eip3009/authorization.ts'
import type { Environment, Network, Pair, Token, TokenFacts } from '../domain/networks.ts'
import type { NodeConfig } from '../domain/node-config.ts'

/** A token of a deployment. A disabled token is still watched, but no charge accepts it. */
export type TokenConfig = Pick<TokenFacts, 'address' | 'decimals' | 'restriction' | 'transferEmitter'> & {
  readonly token: Token
  readonly enabled: boolean
  /** EIP-712 domain of the token's authorizations; `null` or missing if the token does not support them. */
  readonly authorization?: AuthorizationDomain | null
}

/** One chain in this process: the registry's facts with the operator's overrides. */
export type DeploymentConfig = {
  readonly network: Network
  readonly environment: Environment
  readonly family: ChainFamilyName
  readonly chainId: number
  readonly confirmations: number
  /**
   * Block time in milliseconds. A test deployment uses the live value, because testnets are slow at times (decisions
   * 2.4).
   */
  readonly blockTimeMs: number
  readonly pollingIntervalMs: number
  /** The URLs of `nodes`, in the same order. Never empty; they may contain keys. */
  readonly rpcUrls: readonly string[]
  /** The nodes, in order of preference. Never empty. */
  readonly nodes: readonly NodeConfig[]
  /** Number of operators that must agree before a fact counts (decisions 9.1). */
  readonly quorum: number
  /** Part of each node's limits that this process may use, from 0 to 1; if missing, all. */
  readonly budgetShare?: number
  readonly tokens: readonly TokenConfig[]
  /**
   * The factory of the splits, in a family without a fixed factory; see `getSplitFactory`. Without it no pair is
   * enabled.
   */
  readonly splitFactory?: Address
  /** First block to watch; defaults to the head at the time the deployment is first enabled. */
  readonly startBlock?: number
  /** Number of blocks after which Ponder considers a block final. It is above `confirmations`. */
  readonly finalityBlocks: number
  /** Maximum cost of a payout, in decimal dollars; missing if it costs cents, and for test deployments. */
  readonly payoutCost?: string
  /** Minimum payout, in decimal dollars. Overrides MINIMUM_PAYOUT and `payoutCost`. */
  readonly minimumPayout?: string
  /** Minimum charge of a live deployment, in decimal dollars. Overrides MINIMUM_CHARGE and `payoutCost`. */
  readonly minimumCharge?: string
  /** Overrides MAX_FEE_PER_GAS_GWEI and the registry's value. */
  readonly maxFeePerGasGwei?: number
  /** Overrides the registry's value. */
  readonly maxTipPerGasGwei?: number
  /** Maximum cost of posting one transaction to L1; overrides the registry's value. */
  readonly maxDataFeeGwei?: number
}

/** Factories of the charges' splits; `null` if no factory is configured, because no charge can then be created. */
export type SplitFactories = Readonly<Record<Environment, Readonly<Record<ChainFamilyName, Address | null>>>>

/** The registry merged with the configuration. */
export type MergedNetworks = {
  readonly deployments: readonly DeploymentConfig[]
  /** If no testnet of a family has a factory, its test charges use the live factory; all of them are simulated. */
  readonly splitFactories: SplitFactories
  /**
   * Pairs that a test charge can accept without a chain: the enabled pairs of testnets that this process does not run.
   */
  readonly simulatedPairs: readonly Pair[]
  /** One sentence per problem. */
  readonly problems: readonly string[]
}
