import { ADDRESS_FAMILIES, type Address, type AddressFamily } from '../domain/address.ts'
import type { AuthorizationDomain } from '../domain/authorization.ts'
import { paced } from '../domain/block-pace.ts'
import { FAMILIES, parseAddress, splitFactoryOf } from '../domain/families/families.ts'
import {
  type DeploymentFacts,
  ENVIRONMENTS,
  type Environment,
  finalityBlocks,
  NETWORKS,
  type Network,
  type NetworkFacts,
  type Pair,
  TOKENS,
  type Token,
  type TokenFacts,
} from '../domain/networks.ts'
import { canReachQuorum, configureNodes, DEFAULT_QUORUM, type NodeConfig } from '../domain/node-config.ts'
import type { DeploymentOverride, NetworksFile, TokenOverride } from './networks-file.ts'

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
  /** Decimal dollars; overrides MINIMUM_PAYOUT. */
  readonly minimumPayout?: string
  /** Decimal dollars, of a live deployment; overrides MINIMUM_CHARGE. */
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

/**
 * Twice per block finds a block soon. Ponder fetches each block besides: on arbitrum 13 requests a second at four polls, and
 * still 11 at two, which see a payment 0.1 s later (npm run bench -- networks, November 2026). Beyond three seconds payers
 * notice.
 */
const POLLING = { blocks: 0.5, leastMs: 250, mostMs: 3_000 }

type Place = { readonly network: Network; readonly environment: Environment }

/** A deployment before its checks: an unknown chain id is 0. */
type Draft = DeploymentConfig

/**
 * Merges the registry with the operator's overrides and selection into the deployments to run.
 *
 * Selected are those that `selection` names (`base:live,base:test`); without it, all with an enabled pair. Of testnets
 * that are not, a test key can still be shown what a charge on them would do: those are the simulated pairs.
 *
 * @returns the deployments, the simulated pairs, and a sentence for each thing that is wrong; use them only if there is
 * none
 */
export function mergeNetworks(input: {
  readonly registry: Readonly<Record<Network, NetworkFacts>>
  readonly file: NetworksFile
  readonly selection?: string | undefined
}): MergedNetworks {
  const places = NETWORKS.flatMap((network) => ENVIRONMENTS.map((environment) => ({ network, environment })))
  const drafts = places.flatMap(
    (place) =>
      mergeDeployment(place, {
        facts: input.registry[place.network],
        override: input.file[place.network]?.[place.environment],
      }) ?? [],
  )
  const named = input.selection?.split(',').map((name) => name.trim())
  const deployments = drafts
    .map(withoutUnmakeable)
    .filter((draft) =>
      named ? named.includes(deploymentName(draft)) : draft.tokens.some((token) => token.enabled),
    )
    .map(withoutUncountable)
  const splitFactories = splitFactoriesOf(drafts)
  const problems = [
    ...unknownNames(named ?? [], drafts),
    ...deployments.flatMap(deploymentProblems),
    ...drafts.flatMap((draft) => factoryProblems(draft, input.file[draft.network]?.[draft.environment])),
    ...differingFactories(drafts),
    ...duplicates(deployments.map(({ chainId }) => chainId).filter((chainId) => chainId > 0)).map(
      (chainId) => `NETWORKS_CONFIG: chain id ${chainId} is used by two deployments; each needs its own`,
    ),
  ]
  const run = deployments.map(deploymentName)
  const simulatedPairs = drafts
    .filter((draft) => !run.includes(deploymentName(draft)) && splitFactories.test[draft.family] !== null)
    .flatMap((draft) => simulatedPairsOf(draft, input.registry[draft.network]))
  return { deployments, splitFactories, simulatedPairs, problems }
}

/** No charge can be made where there is no factory: its tokens are watched at most. */
function withoutUnmakeable(draft: Draft): Draft {
  return splitFactoryOf(draft) === null ? withoutPairs(draft) : draft
}

/**
 * Disables every pair of a deployment whose nodes have fewer operators than its quorum: no payment would ever count.
 *
 * The deployment still runs, and stops no other (decisions 9.1). The API and the daemon both go by this.
 */
function withoutUncountable(draft: Draft): Draft {
  return canReachQuorum(draft) ? draft : withoutPairs(draft)
}

function withoutPairs(draft: Draft): Draft {
  return { ...draft, tokens: draft.tokens.map((token) => ({ ...token, enabled: false })) }
}

function splitFactoriesOf(drafts: readonly Draft[]): SplitFactories {
  const find = (environment: Environment, family: AddressFamily) => {
    const draft = drafts.find(
      (one) => one.environment === environment && one.family === family && splitFactoryOf(one) !== null,
    )
    return draft === undefined ? null : splitFactoryOf(draft)
  }
  const ofEach = (factoryOf: (family: AddressFamily) => Address | null) =>
    Object.fromEntries(ADDRESS_FAMILIES.map((family) => [family, factoryOf(family)])) as Record<
      AddressFamily,
      Address | null
    >
  const live = ofEach((family) => find('live', family))
  return { live, test: ofEach((family) => find('test', family) ?? live[family]) }
}

/** Of the registry's testnets alone; and not where no charge can be made yet. */
function simulatedPairsOf({ network, environment, tokens }: Draft, facts: NetworkFacts): readonly Pair[] {
  if (environment !== 'test' || !FAMILIES[facts.family].isPayable) return []
  return tokens
    .filter(({ token, enabled }) => enabled && facts.test?.tokens[token] !== undefined)
    .map(({ token }) => ({ token, network }))
}

/** Names a deployment the way `DEPLOYMENTS` does: `base:live`. */
function deploymentName(place: Place): string {
  return `${place.network}:${place.environment}`
}

function mergeDeployment(
  place: Place,
  known: { facts: NetworkFacts; override: DeploymentOverride | undefined },
): Draft | null {
  const facts: DeploymentFacts | null = known.facts[place.environment]
  if (facts === null && known.override === undefined) return null
  const override = known.override ?? {}
  const chainId = override.chainId ?? facts?.chainId ?? 0
  const blockTimeMs = override.blockTimeMs ?? known.facts.live.blockTimeMs
  const nodes = configureNodes(override.rpcUrls ?? facts?.rpcUrls ?? [])
  return {
    ...place,
    family: known.facts.family,
    chainId,
    confirmations: override.confirmations ?? known.facts.confirmations,
    blockTimeMs,
    pollingIntervalMs: override.pollingIntervalMs ?? paced(blockTimeMs, POLLING),
    rpcUrls: nodes.map(({ url }) => url),
    nodes,
    quorum: override.quorum ?? DEFAULT_QUORUM,
    tokens: TOKENS.flatMap(
      (token) => mergeToken(token, { facts: facts?.tokens[token], override: override.tokens?.[token] }) ?? [],
    ),
    finalityBlocks: finalityBlocks(chainId),
    ...splitFactory(known.facts.family, override.splitFactory),
    ...(override.startBlock !== undefined && { startBlock: override.startBlock }),
    ...(override.minimumPayout !== undefined && { minimumPayout: override.minimumPayout }),
    ...(override.minimumCharge !== undefined && { minimumCharge: override.minimumCharge }),
    ...(override.maxFeePerGasGwei !== undefined && { maxFeePerGasGwei: override.maxFeePerGasGwei }),
    ...(override.maxTipPerGasGwei !== undefined && { maxTipPerGasGwei: override.maxTipPerGasGwei }),
    ...(override.maxDataFeeGwei !== undefined && { maxDataFeeGwei: override.maxDataFeeGwei }),
  }
}

/** Of the form of its family only; `factoryProblems` tells of another. */
function splitFactory(family: AddressFamily, text: string | undefined): { splitFactory?: Address } {
  const address = text === undefined ? null : FAMILIES[family].parseAddress(text)
  return address === null ? {} : { splitFactory: address }
}

/** Answers `null` for a token that nobody described; an override that leaves something out has decimals -1. */
function mergeToken(
  token: Token,
  known: { facts: TokenFacts | undefined; override: TokenOverride | undefined },
): TokenConfig | null {
  const { facts, override } = known
  const address = override?.address === undefined ? facts?.address : parseAddress(override.address)
  if (!address) return null
  // Decimals, emitter and what is signed with are facts of that one contract; the issuer's restriction read is meant to be alike.
  const same = facts?.address === address ? facts : undefined
  return {
    token,
    address,
    decimals: override?.decimals ?? same?.decimals ?? -1,
    enabled: override?.enabled ?? facts?.enabledByDefault ?? true,
    restriction: override?.restriction === false ? null : (facts?.restriction ?? null),
    ...(same?.transferEmitter && { transferEmitter: same.transferEmitter }),
    authorization: (override?.authorization ?? same?.authorization) || null,
  }
}

function unknownNames(named: readonly string[], drafts: readonly Draft[]): readonly string[] {
  const known = drafts.map(deploymentName)
  return named
    .filter((name) => !known.includes(name))
    .map((name) => `DEPLOYMENTS names ${JSON.stringify(name)}: must be of ${known.join(', ')}`)
}

function deploymentProblems(draft: Draft): readonly string[] {
  const name = deploymentName(draft)
  const emitters = draft.tokens.map((token) => token.transferEmitter?.address ?? token.address)
  return [
    draft.chainId === 0 && 'chainId is not set: the registry has no such deployment',
    draft.rpcUrls.length === 0 && 'rpcUrls is empty: must name at least one RPC',
    draft.minimumCharge !== undefined &&
      draft.environment === 'test' &&
      `minimumCharge is ${draft.minimumCharge}: must not be set, test charges have no minimum`,
    draft.confirmations >= draft.finalityBlocks &&
      `confirmations is ${draft.confirmations}: must be below ${draft.finalityBlocks}, after which Ponder takes blocks of chain ${draft.chainId} for final`,
    ...draft.tokens.map(
      ({ token, decimals }) =>
        decimals < 0 && `tokens.${token}.decimals is not set: the address is not the registry's`,
    ),
    ...duplicates(emitters).map((address) => `tokens: ${address} is given for two tokens`),
  ].flatMap((problem) => (problem === false ? [] : [`NETWORKS_CONFIG: ${name} ${problem}`]))
}

function factoryProblems(draft: Draft, override: DeploymentOverride = {}): readonly string[] {
  const { fixedFactory, parseAddress: parse, addressForm } = FAMILIES[draft.family]
  const text = override.splitFactory
  return [
    text !== undefined &&
      fixedFactory !== null &&
      `splitFactory must not be set: ours is at ${fixedFactory} on every network of its family`,
    text !== undefined && parse(text) === null && `splitFactory is ${text}: must be ${addressForm}`,
    ...Object.entries(override.tokens ?? {}).map(
      ([token, { enabled }]) =>
        enabled === true &&
        splitFactoryOf(draft) === null &&
        `splitFactory is not set: must be, because tokens.${token} is enabled (npm run contracts -- deploy)`,
    ),
  ].flatMap((problem) => (problem === false ? [] : [`NETWORKS_CONFIG: ${deploymentName(draft)} ${problem}`]))
}

/** A charge has one address on all networks that it accepts. */
function differingFactories(drafts: readonly Draft[]): readonly string[] {
  return drafts.flatMap((draft) => {
    const first = drafts.find(
      ({ family, environment, splitFactory: factory }) =>
        family === draft.family && environment === draft.environment && factory !== undefined,
    )
    if (draft.splitFactory === undefined || first?.splitFactory === draft.splitFactory) return []
    return [
      `NETWORKS_CONFIG: ${deploymentName(draft)} splitFactory is not ${deploymentName(first ?? draft)}'s: charges have one address on all networks of a family`,
    ]
  })
}

function duplicates<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}
