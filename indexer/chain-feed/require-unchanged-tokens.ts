import type { Db } from '../../shared/db/connect.ts'
import { listWatchedTokens, type WatchedTokenRow } from '../../shared/db/organizations/daemon/pairs.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import type { DeploymentConfig, TokenConfig } from '../../shared/runtime/networks-config.ts'

type Deployments = readonly Pick<DeploymentConfig, 'chainId' | 'tokens'>[]

/**
 * Rejects a configuration that omits a watched token of a configured deployment, or describes it with another contract
 * or other decimals.
 *
 * If a token that charges accept were not configured, its payments would not be read, and paid charges would expire.
 * With other decimals, credits would be wrong by powers of ten, while payouts use the original decimals. A disabled
 * token is still watched.
 *
 * @throws {ConfigError} with the required configuration of each such token
 */
export async function requireUnchangedTokens(db: Db, deployments: Deployments): Promise<void> {
  const watched = await listWatchedTokens(
    db,
    deployments.map(({ chainId }) => chainId),
  )
  const problems = watched.flatMap((row) => problemOf(row, findDescription(deployments, row)) ?? [])
  if (problems.length > 0) throw new ConfigError(problems)
}

function findDescription(deployments: Deployments, row: WatchedTokenRow): TokenConfig | undefined {
  return deployments
    .find(({ chainId }) => chainId === row.chainId)
    ?.tokens.find(({ token, address }) => token === row.token && address === row.tokenAddress)
}

function problemOf(row: WatchedTokenRow, described: TokenConfig | undefined): string | null {
  if (described === undefined) return tellForgotten(row)
  return described.decimals === row.decimals ? null : reportDecimalsMismatches(row, described)
}

function reportDecimalsMismatches(row: WatchedTokenRow, { decimals }: TokenConfig): string {
  return (
    `NETWORKS_CONFIG: ${row.network}:${row.environment} describes ${row.token} at ${row.tokenAddress} with decimals ` +
    `${decimals}, but its payments have been counted with ${row.decimals}: must be ${row.decimals}`
  )
}

function tellForgotten({ network, environment, token, tokenAddress, decimals }: WatchedTokenRow): string {
  const entry = JSON.stringify({ [token]: { address: tokenAddress, decimals, enabled: false } })
  return (
    `NETWORKS_CONFIG: ${network}:${environment} does not describe ${token} at ${tokenAddress}, which charges may ` +
    `still accept: its tokens must have ${entry}, which is watched but not available`
  )
}
