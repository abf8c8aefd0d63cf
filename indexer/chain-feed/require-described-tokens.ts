import type { Db } from '../../shared/db/connect.ts'
import { listWatchedTokens, type WatchedTokenRow } from '../../shared/db/pairs.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'chainId' | 'tokens'>[]

/**
 * Refuses a configuration that describes a token no longer, or by another contract, which was watched on a deployment
 * that it still names.
 *
 * Charges that accept the token were promised that contract. Undescribed it would not be read, and they would expire
 * though paid: switching a token off stops offering it, not watching it.
 *
 * @throws {ConfigError} with each such token, its contract, and what to write
 */
export async function requireDescribedTokens(db: Db, deployments: Deployments): Promise<void> {
  const watched = await listWatchedTokens(
    db,
    deployments.map(({ chainId }) => chainId),
  )
  const forgotten = watched.filter((row) => !isDescribed(deployments, row))
  if (forgotten.length > 0) throw new ConfigError(forgotten.map(describe))
}

function isDescribed(deployments: Deployments, row: WatchedTokenRow): boolean {
  return deployments.some(
    ({ chainId, tokens }) =>
      chainId === row.chainId &&
      tokens.some(({ token, address }) => token === row.token && address === row.tokenAddress),
  )
}

function describe({ network, environment, token, tokenAddress, decimals }: WatchedTokenRow): string {
  const entry = JSON.stringify({ [token]: { address: tokenAddress, decimals, enabled: false } })
  return (
    `NETWORKS_CONFIG: ${network}:${environment} does not describe ${token} at ${tokenAddress}, which charges may ` +
    `still be paid in: its tokens must have ${entry}, which is watched and not offered`
  )
}
