import { BaseError } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import { findMissingSafe } from '../../shared/chain/find-missing-safe.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ClientOf } from '../chain-clients.ts'

type Deps = { readonly clientOf: ClientOf; readonly deployments: readonly DeploymentConfig[] }

/** Chains that had all of Safe when they were read by this process: code that is there stays there. */
const equipped = new WeakSet<ChainClient>()

/**
 * Resolves if Safe's contracts are on every network that an escrow charge accepts: without them its money could be
 * neither released nor refunded.
 *
 * @param escrow.networks - as accepted, in their order
 * @throws {AppError} `token_not_supported` for the first network without; else `rpc_unavailable` if one cannot be read
 */
export async function requireSafe(
  { clientOf, deployments }: Deps,
  escrow: { readonly environment: Environment; readonly networks: readonly Network[] },
): Promise<void> {
  const networks = [...new Set(escrow.networks)]
  const found = await Promise.all(
    networks.map((network) => {
      const isMeant = (one: DeploymentConfig) =>
        one.network === network && one.environment === escrow.environment
      const deployment = deployments.find(isMeant)
      return readSafe(deployment && clientOf(deployment.chainId))
    }),
  )
  const without = networks[found.indexOf('missing')]
  if (without !== undefined) {
    const param = `acceptedPayments[${escrow.networks.indexOf(without)}]`
    throw new AppError('token_not_supported', `${without} has no Safe contracts: no escrow there`, { param })
  }
  const unread = networks[found.indexOf('unread')]
  if (unread !== undefined)
    throw new AppError(
      'rpc_unavailable',
      `the contracts of escrows cannot be read on ${unread} now; try again`,
    )
}

async function readSafe(client: ChainClient | undefined): Promise<'there' | 'missing' | 'unread'> {
  if (client === undefined) return 'unread'
  if (equipped.has(client)) return 'there'
  try {
    if ((await findMissingSafe(client)).length > 0) return 'missing'
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    return 'unread'
  }
  equipped.add(client)
  return 'there'
}
