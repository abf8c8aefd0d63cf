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
  /** A test deployment uses the live value by default, because testnets are slow at times (decisions 2.4). */
  readonly blockTimeMs: number
  readonly pollingIntervalMs: number
  /** The URLs of `nodes`, in the same order. They may contain keys. */
  readonly rpcUrls: readonly string[]
  /** The nodes, in order of preference. Never empty. */
  readonly nodes: readonly NodeConfig[]
  /** Number of operators whose nodes must agree before a row counts (decisions 9.1). */
  readonly quorum: number
  /** Fraction of each node's request limits that this process may use; 1 if missing. */
  readonly budgetShare?: number
  readonly tokens: readonly TokenConfig[]
  /** The factory of the splits in a family without a fixed factory; without it, no pair is enabled there. */
  readonly splitFactory?: Address
  /** First block to watch; by default the head when the deployment is first enabled. */
  readonly startBlock?: number
  /** Number of blocks after which Ponder considers a block final; above `confirmations`. */
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

/** Factory of the charges' splits; `null` if none is configured, in which case no charge can be created. */
export type SplitFactories = Readonly<Record<Environment, Readonly<Record<ChainFamilyName, Address | null>>>>

/** The registry merged with the configuration. */
export type MergedNetworks = {
  readonly deployments: readonly DeploymentConfig[]
  /** If no testnet of a family has a factory, its test charges are simulated and use the live factory. */
  readonly splitFactories: SplitFactories
  /** Pairs that a test charge can accept without a chain: enabled pairs of testnets that are not in `deployments`. */
  readonly simulatedPairs: readonly Pair[]
  readonly problems: readonly string[]
}
