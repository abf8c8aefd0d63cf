import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { findMissingSafeContracts } from '../../shared/chain/safe/find-missing-contracts.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { FindChain } from '../http/chain-clients.ts'

type Deps = { readonly chainOf: FindChain; readonly deployments: readonly DeploymentConfig[] }

/** Chains on which a quorum reported all Safe contracts. Cached, because deployed code does not change. */
const equipped = new WeakSet<ChainNodes>()

/**
 * Resolves if a quorum reports Safe's contracts on every accepted network of an escrow charge. Without them payments
 * could be neither released nor refunded.
 *
 * @param escrow.networks - in the order of `acceptedPayments`
 * @throws {AppError} `token_not_supported` for the first network without the contracts; otherwise `rpc_unavailable` if
 * a network cannot be read
 */
export async function requireSafe(
  { chainOf, deployments }: Deps,
  escrow: { readonly environment: Environment; readonly networks: readonly Network[] },
): Promise<void> {
  const networks = [...new Set(escrow.networks)]
  const found = await Promise.all(
    networks.map((network) => {
      const isRequested = (one: DeploymentConfig) =>
        one.network === network && one.environment === escrow.environment
      const deployment = deployments.find(isRequested)
      return findSafe(deployment && chainOf(deployment.chainId))
    }),
  )
  const without = networks[found.indexOf('missing')]
  if (without !== undefined) {
    const param = `acceptedPayments[${escrow.networks.indexOf(without)}]`
    const message = `${without} has no Safe contracts, so it does not support escrow`
    throw new AppError('token_not_supported', message, { param })
  }
  const unread = networks[found.indexOf('unread')]
  if (unread !== undefined)
    throw new AppError(
      'rpc_unavailable',
      `the escrow contracts cannot be read on ${unread} at the moment; try again`,
    )
}

async function findSafe(chain: ChainNodes | undefined): Promise<'there' | 'missing' | 'unread'> {
  if (chain === undefined) return 'unread'
  if (equipped.has(chain)) return 'there'
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => (await findMissingSafeContracts(client)).length > 0,
    toText: String,
  })
  if (verdict.outcome !== 'agreed') return 'unread'
  if (verdict.agreed.value) return 'missing'
  equipped.add(chain)
  return 'there'
}
