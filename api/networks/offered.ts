import type { Db } from '../../shared/db/connect.ts'
import { listAcceptablePairs } from '../../shared/db/organizations/pairs-read.ts'
import { type Environment, type Pair, pairKey } from '../../shared/domain/networks.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'network' | 'environment' | 'tokens'>[]

/** What our configuration says of pairs. */
export type OfferConfig = Pick<ApiConfig, 'deployments' | 'simulatedPairs'>

/** What a charge is to accept, in the environment of its key. */
type Wanted = { readonly environment: Environment; readonly acceptedPayments: readonly Pair[] }

/**
 * Tells whether a new charge will be on no chain: a test one, and none of the testnets it accepts is configured.
 *
 * A configured testnet that is merely down makes no charge simulated.
 */
export function isSimulated(
  { deployments }: Pick<OfferConfig, 'deployments'>,
  { environment, acceptedPayments }: Wanted,
): boolean {
  const isOnChain = ({ network }: Pair) =>
    deployments.some((one) => one.environment === environment && one.network === network)
  return environment === 'test' && !acceptedPayments.some(isOnChain)
}

/**
 * Finds the first pair that a new charge cannot accept by our configuration, whatever the daemon says.
 *
 * @returns its index, or -1
 */
export function findUnconfiguredPair(config: OfferConfig, wanted: Wanted): number {
  const { environment, acceptedPayments } = wanted
  return isSimulated(config, wanted)
    ? acceptedPayments.findIndex(
        (pair) => !config.simulatedPairs.some((one) => pairKey(one) === pairKey(pair)),
      )
    : acceptedPayments.findIndex((pair) => !isConfigured(config.deployments, { environment, ...pair }))
}

/**
 * Lists the pairs that a charge of this environment can accept now, by network: those of our configuration that the
 * daemon watches and, for a test key, those that are simulated.
 */
export async function listOfferedPairs(
  { sql, deployments, simulatedPairs }: OfferConfig & { readonly sql: Db },
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
 * Tells whether configuration enables a pair.
 *
 * The rows of `pairs` are not enough: a deployment that is no longer configured has no feed that could switch its
 * pairs off, and nobody watches them.
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
