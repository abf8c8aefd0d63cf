import type { Db } from '../../shared/db/connect.ts'
import { listAcceptablePairs } from '../../shared/db/pairs-read.ts'
import type { Environment, Pair } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'network' | 'environment' | 'tokens'>[]

/**
 * Tells whether configuration enables a pair.
 *
 * The rows of `pairs` are not enough: a deployment that is no longer configured has no feed that could switch its
 * pairs off, and nobody watches them.
 */
export function isConfigured(
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

/** Lists the pairs that a charge of this environment can accept now, by our configuration and what the daemon watches. */
export async function listOfferedPairs(
  { sql, deployments }: { readonly sql: Db; readonly deployments: Deployments },
  environment: Environment,
): Promise<readonly Pair[]> {
  const pairs = await listAcceptablePairs(sql, environment)
  return pairs.filter((pair) => isConfigured(deployments, { environment, ...pair }))
}
