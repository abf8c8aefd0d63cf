import { type Address, CHAIN_FAMILY_NAMES, type ChainFamilyName } from '../domain/address.ts'
import { CHAIN_FAMILIES, getSplitFactory, parseAddress } from '../domain/chain-families/chain-families.ts'
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
import { canReachQuorum, configureNodes, DEFAULT_QUORUM, registeredNodes } from '../domain/node-config.ts'
import { getPollIntervalMs } from '../domain/poll-interval.ts'
import { deploymentName, findNetworkProblems } from './network-problems.ts'
import type { DeploymentConfig, MergedNetworks, SplitFactories, TokenConfig } from './networks-config.ts'
import type { DeploymentOverride, NetworksFile, TokenOverride } from './networks-file.ts'

/**
 * Interval between polls of the head: half a block time, from 250 ms to 3 s. Compared with a quarter of a block time, a
 * payment is detected 0.1 s later, and arbitrum needs 11 requests per second instead of 13, because Ponder also fetches
 * each block (npm run bench -- networks, November 2026). Payers notice only a delay of more than three seconds.
 */
const POLLING = { blocks: 0.5, leastMs: 250, mostMs: 3_000 }

type Place = { readonly network: Network; readonly environment: Environment }

/** A deployment before validation; an unknown chain id is 0. */
type Draft = DeploymentConfig

/**
 * Returns the deployments to run, from the registry and the operator's overrides and selection. Use the result only if
 * it contains no problems.
 *
 * `selection` names the deployments (`base:live,base:test`); without it, all deployments with an enabled pair are
 * selected. The pairs of testnets that are not selected are simulated, so that test charges can still accept them.
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
    .map(disableWithoutFactory)
    .filter((draft) =>
      named ? named.includes(deploymentName(draft)) : draft.tokens.some((token) => token.enabled),
    )
    .map(disableWithoutQuorum)
  const splitFactories = collectSplitFactories(drafts)
  const problems = findNetworkProblems({ named: named ?? [], drafts, deployments, file: input.file })
  const run = deployments.map(deploymentName)
  const simulatedPairs = drafts
    .filter((draft) => !run.includes(deploymentName(draft)) && splitFactories.test[draft.family] !== null)
    .flatMap((draft) => listSimulatedPairs(draft, input.registry[draft.network]))
  return { deployments, splitFactories, simulatedPairs, problems }
}

/** Disables the pairs of a deployment without a factory, because a charge there would have no address. */
function disableWithoutFactory(draft: Draft): Draft {
  return getSplitFactory(draft) === null ? withoutPairs(draft) : draft
}

/**
 * Disables every pair of a deployment whose nodes have fewer operators than its quorum, because no payment could be
 * credited. It is not a problem of the configuration, so that the other deployments still run (decisions 9.1).
 */
function disableWithoutQuorum(draft: Draft): Draft {
  return canReachQuorum(draft) ? draft : withoutPairs(draft)
}

function withoutPairs(draft: Draft): Draft {
  return { ...draft, tokens: draft.tokens.map((token) => ({ ...token, enabled: false })) }
}

function collectSplitFactories(drafts: readonly Draft[]): SplitFactories {
  const find = (environment: Environment, family: ChainFamilyName) => {
    const draft = drafts.find(
      (one) => one.environment === environment && one.family === family && getSplitFactory(one) !== null,
    )
    return draft === undefined ? null : getSplitFactory(draft)
  }
  const ofEach = (factoryOf: (family: ChainFamilyName) => Address | null) =>
    Object.fromEntries(CHAIN_FAMILY_NAMES.map((family) => [family, factoryOf(family)])) as Record<
      ChainFamilyName,
      Address | null
    >
  const live = ofEach((family) => find('live', family))
  return { live, test: ofEach((family) => find('test', family) ?? live[family]) }
}

/** Lists the enabled pairs of a testnet that the registry also contains, if charges can be paid in its family. */
function listSimulatedPairs({ network, environment, tokens }: Draft, facts: NetworkFacts): readonly Pair[] {
  if (environment !== 'test' || !CHAIN_FAMILIES[facts.family].isPayable) return []
  return tokens
    .filter(({ token, enabled }) => enabled && facts.test?.tokens[token] !== undefined)
    .map(({ token }) => ({ token, network }))
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
  const nodes = configureNodes(override.rpcUrls ?? (facts === null ? [] : registeredNodes(facts)))
  return {
    ...place,
    family: known.facts.family,
    chainId,
    confirmations: override.confirmations ?? known.facts.confirmations,
    blockTimeMs,
    pollingIntervalMs: override.pollingIntervalMs ?? getPollIntervalMs(blockTimeMs, POLLING),
    rpcUrls: nodes.map(({ url }) => url),
    nodes,
    quorum: override.quorum ?? DEFAULT_QUORUM,
    tokens: TOKENS.flatMap(
      (token) => mergeToken(token, { facts: facts?.tokens[token], override: override.tokens?.[token] }) ?? [],
    ),
    finalityBlocks: finalityBlocks(chainId),
    ...splitFactory(known.facts.family, override.splitFactory),
    ...(override.startBlock !== undefined && { startBlock: override.startBlock }),
    ...(place.environment === 'live' &&
      known.facts.payoutCost !== null && { payoutCost: known.facts.payoutCost }),
    ...(override.minimumPayout !== undefined && { minimumPayout: override.minimumPayout }),
    ...(override.minimumCharge !== undefined && { minimumCharge: override.minimumCharge }),
    ...(override.maxFeePerGasGwei !== undefined && { maxFeePerGasGwei: override.maxFeePerGasGwei }),
    ...(override.maxTipPerGasGwei !== undefined && { maxTipPerGasGwei: override.maxTipPerGasGwei }),
    ...(override.maxDataFeeGwei !== undefined && { maxDataFeeGwei: override.maxDataFeeGwei }),
  }
}

/** Ignores an address of another family, because `findNetworkProblems` reports it. */
function splitFactory(family: ChainFamilyName, text: string | undefined): { splitFactory?: Address } {
  const address = text === undefined ? null : CHAIN_FAMILIES[family].parseAddress(text)
  return address === null ? {} : { splitFactory: address }
}

/** Returns `null` for a token without an address. The decimals are -1 if they are unknown. */
function mergeToken(
  token: Token,
  known: { facts: TokenFacts | undefined; override: TokenOverride | undefined },
): TokenConfig | null {
  const { facts, override } = known
  const address = override?.address === undefined ? facts?.address : parseAddress(override.address)
  if (!address) return null
  // The registry's decimals, emitter and EIP-712 domain apply only to its own contract. The issuer's restriction query
  // is assumed to be the same for any contract.
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
