import { CHAIN_FAMILIES, getSplitFactory } from '../domain/chain-families/chain-families.ts'
import type { DeploymentConfig } from './networks-config.ts'
import type { DeploymentOverride, NetworksFile } from './networks-file.ts'
import { parseDollars } from './parse-dollars.ts'

/** Returns one sentence per problem of the merged networks. */
export function findNetworkProblems({ named, drafts, deployments, file }: Merged): readonly string[] {
  const overrideOf = ({ network, environment }: DeploymentConfig) => file[network]?.[environment]
  return [
    ...unknownNames(named, drafts),
    ...deployments.flatMap(deploymentProblems),
    ...deployments.flatMap((draft) => lossProblems(draft, overrideOf(draft))),
    ...drafts.flatMap((draft) => factoryProblems(draft, overrideOf(draft))),
    ...differingFactories(drafts),
    ...duplicates(deployments.map(({ chainId }) => chainId).filter((chainId) => chainId > 0)).map(
      (chainId) => `NETWORKS_CONFIG: chain id ${chainId} is used by two deployments; each needs its own`,
    ),
  ]
}

type Merged = {
  /** The names in `DEPLOYMENTS`. */
  readonly named: readonly string[]
  /** Every configured deployment. An unknown chain id is 0. */
  readonly drafts: readonly DeploymentConfig[]
  /** The deployments that run. */
  readonly deployments: readonly DeploymentConfig[]
  readonly file: NetworksFile
}

/** Returns a deployment's name as used in `DEPLOYMENTS`: `base:live`. */
export function deploymentName(place: Pick<DeploymentConfig, 'network' | 'environment'>): string {
  return `${place.network}:${place.environment}`
}

function unknownNames(named: readonly string[], drafts: readonly DeploymentConfig[]): readonly string[] {
  const known = drafts.map(deploymentName)
  return named
    .filter((name) => !known.includes(name))
    .map((name) => `DEPLOYMENTS names ${JSON.stringify(name)}: must be one of ${known.join(', ')}`)
}

function deploymentProblems(draft: DeploymentConfig): readonly string[] {
  const name = deploymentName(draft)
  const emitters = draft.tokens.map((token) => token.transferEmitter?.address ?? token.address)
  return [
    draft.chainId === 0 && 'chainId is not set: the registry has no such deployment',
    draft.rpcUrls.length === 0 && 'rpcUrls is empty: must name at least one RPC',
    draft.minimumCharge !== undefined &&
      draft.environment === 'test' &&
      `minimumCharge is ${draft.minimumCharge}: must not be set, because test charges have no minimum`,
    draft.confirmations >= draft.finalityBlocks &&
      `confirmations is ${draft.confirmations}: must be below ${draft.finalityBlocks}, after which Ponder considers blocks of chain ${draft.chainId} final`,
    ...draft.tokens.map(
      ({ token, decimals }) =>
        decimals < 0 && `tokens.${token}.decimals is not set: the address is not the registry's`,
    ),
    ...duplicates(emitters).map((address) => `tokens: ${address} is used for two tokens`),
  ].flatMap((problem) => (problem === false ? [] : [`NETWORKS_CONFIG: ${name} ${problem}`]))
}

/**
 * Lists the minimums below the cost of a payout. The operator must allow them explicitly, because a confirmed charge is
 * always paid out, and the service pays the gas.
 */
function lossProblems(draft: DeploymentConfig, override: DeploymentOverride = {}): readonly string[] {
  const { payoutCost } = draft
  if (payoutCost === undefined || override.acceptLossyPayouts === true) return []
  return (['minimumPayout', 'minimumCharge'] as const).flatMap((name) => {
    const own = draft[name]
    if (own === undefined || parseDollars(own) >= parseDollars(payoutCost)) return []
    return [
      `NETWORKS_CONFIG: ${deploymentName(draft)} ${name} is ${own}: must be at least ${payoutCost}, the maximum cost of a payout in dollars, unless acceptLossyPayouts is true`,
    ]
  })
}

function factoryProblems(draft: DeploymentConfig, override: DeploymentOverride = {}): readonly string[] {
  const { fixedFactory, parseAddress: parse, addressForm } = CHAIN_FAMILIES[draft.family]
  const text = override.splitFactory
  return [
    text !== undefined &&
      fixedFactory !== null &&
      `splitFactory must not be set: our factory is at ${fixedFactory} on every network of its family`,
    text !== undefined && parse(text) === null && `splitFactory is ${text}: must be ${addressForm}`,
    ...Object.entries(override.tokens ?? {}).map(
      ([token, { enabled }]) =>
        enabled === true &&
        getSplitFactory(draft) === null &&
        `splitFactory is not set: it is required, because tokens.${token} is enabled (npm run contracts -- deploy)`,
    ),
  ].flatMap((problem) => (problem === false ? [] : [`NETWORKS_CONFIG: ${deploymentName(draft)} ${problem}`]))
}

/**
 * Lists the deployments whose factory differs from the first deployment's in the same family and environment. They must
 * have the same factory, because a charge has the same address on all networks of a family.
 */
function differingFactories(drafts: readonly DeploymentConfig[]): readonly string[] {
  return drafts.flatMap((draft) => {
    const first = drafts.find(
      ({ family, environment, splitFactory: factory }) =>
        family === draft.family && environment === draft.environment && factory !== undefined,
    )
    if (draft.splitFactory === undefined || first?.splitFactory === draft.splitFactory) return []
    return [
      `NETWORKS_CONFIG: ${deploymentName(draft)} splitFactory differs from ${deploymentName(first ?? draft)}'s: charges have one address on all networks of a family`,
    ]
  })
}

function duplicates<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))]
}
