import type { Db } from '../../shared/db/connect.ts'
import { listAcceptablePairs } from '../../shared/db/organizations/pairs-read.ts'
import { type Environment, type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'network' | 'environment' | 'tokens'>[]

/** The configuration that determines which pairs are available. */
export type PublishedPairsConfig = Pick<ApiConfig, 'deployments' | 'simulatedPairs'>

/** The pairs requested for a new charge, and the environment of its key. */
export type RequestedPairs = { readonly environment: Environment; readonly acceptedPayments: readonly Pair[] }

/**
 * Returns whether a new charge is simulated: a test charge that accepts no configured testnet.
 *
 * A configured testnet counts even while it is down.
 */
export function isSimulated(
  { deployments }: Pick<PublishedPairsConfig, 'deployments'>,
  { environment, acceptedPayments }: RequestedPairs,
): boolean {
  const isOnChain = ({ network }: Pair) =>
    deployments.some((one) => one.environment === environment && one.network === network)
  return environment === 'test' && !acceptedPayments.some(isOnChain)
}

/**
 * Finds the first requested pair that the configuration does not allow, regardless of whether the daemon watches it.
 *
 * @returns the index of the pair, or -1
 */
export function findUnconfiguredPair(config: PublishedPairsConfig, requested: RequestedPairs): number {
  const { environment, acceptedPayments } = requested
  return isSimulated(config, requested)
    ? acceptedPayments.findIndex(
        (pair) => !config.simulatedPairs.some((one) => pairKey(one) === pairKey(pair)),
      )
    : acceptedPayments.findIndex((pair) => !isConfigured(config.deployments, { environment, ...pair }))
}

/**
 * Lists the pairs that a new charge can currently accept, sorted by network: the configured pairs that the daemon
 * watches and, in the test environment, the simulated pairs.
 */
export async function listPublishedPairs(
  { sql, deployments, simulatedPairs }: PublishedPairsConfig & { readonly sql: Db },
  environment: Environment,
): Promise<readonly Pair[]> {
  const watched = await listAcceptablePairs(sql, environment)
  const configured = watched.filter((pair) => isConfigured(deployments, { environment, ...pair }))
  if (environment !== 'test') return configured
  return [...configured, ...simulatedPairs].toSorted((left, right) =>
    left.network < right.network ? -1 : Number(left.network > right.network),
  )
}

/**
 * The table `pairs` is not enough: a deployment that was removed from the configuration has no feed that could disable
 * its pairs there.
 */
function isConfigured(
  deployments: Deployments,
  { environment, network, token }: Pair & { readonly environment: Environment },
): boolean {
  return deployments.some(
    (deployment) =>
      deployment.environment === environment &&
      deployment.network === network &&
      deployment.tokens.some((one) => one.token === token && one.enabled),
  )
}
