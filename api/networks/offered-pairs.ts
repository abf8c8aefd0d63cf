import type { Db } from '../../shared/db/connect.ts'
import { listAcceptablePairs } from '../../shared/db/organizations/pairs-read.ts'
import { type Environment, type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'network' | 'environment' | 'tokens'>[]

/** The part of the configuration that determines the available pairs. */
export type PublishedPairsConfig = Pick<ApiConfig, 'deployments' | 'simulatedPairs'>

/** The pairs that a new charge is to accept, and the environment of its key. */
export type RequestedPairs = { readonly environment: Environment; readonly acceptedPayments: readonly Pair[] }

/**
 * Returns whether a new charge is simulated: it is a test charge, and no testnet that it accepts is configured.
 *
 * If a configured testnet is down, the charge is not simulated.
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
 * Finds the first pair that a new charge cannot accept because of the configuration, regardless of the daemon.
 *
 * @returns its index, or -1
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
 * Lists the pairs that a charge of this environment can currently accept, by network: the configured pairs that the
 * daemon watches and, for a test key, the simulated pairs.
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
 * Returns whether the configuration enables a pair.
 *
 * The rows of `pairs` are not enough. A deployment that was removed from the configuration has no feed that could
 * disable its pairs, and no process watches them.
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
