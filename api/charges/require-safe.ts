import { findMissingSafe } from '../../shared/chain/find-missing-safe.ts'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ChainOf } from '../chain-clients.ts'

type Deps = { readonly chainOf: ChainOf; readonly deployments: readonly DeploymentConfig[] }

/** Chains on which a quorum reported all of Safe to this process: code that is there stays there. */
const equipped = new WeakSet<ChainNodes>()

/**
 * Resolves if a quorum reports Safe's contracts on every network that an escrow charge accepts: without them its money could be
 * neither released nor refunded.
 *
 * @param escrow.networks - as accepted, in their order
 * @throws {AppError} `token_not_supported` for the first network without; else `rpc_unavailable` if one cannot be read
 */
export async function requireSafe(
  { chainOf, deployments }: Deps,
  escrow: { readonly environment: Environment; readonly networks: readonly Network[] },
): Promise<void> {
  const networks = [...new Set(escrow.networks)]
  const found = await Promise.all(
    networks.map((network) => {
      const isMeant = (one: DeploymentConfig) =>
        one.network === network && one.environment === escrow.environment
      const deployment = deployments.find(isMeant)
      return findSafe(deployment && chainOf(deployment.chainId))
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

async function findSafe(chain: ChainNodes | undefined): Promise<'there' | 'missing' | 'unread'> {
  if (chain === undefined) return 'unread'
  if (equipped.has(chain)) return 'there'
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => (await findMissingSafe(client)).length > 0,
    toText: String,
  })
  if (verdict.outcome !== 'agreed') return 'unread'
  if (verdict.agreed.value) return 'missing'
  equipped.add(chain)
  return 'there'
}
