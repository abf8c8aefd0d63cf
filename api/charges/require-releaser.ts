import { type AccountKind, readAccountKind } from '../../shared/chain/contracts/account-kind.ts'
import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { FindChain } from '../http/chain-clients.ts'
import { createFieldError } from '../http/field-error.ts'

type Deps = { readonly chainOf: FindChain; readonly deployments: readonly DeploymentConfig[] }

/**
 * The lowest ordinary address. Lower addresses (the zero address, the Safe's own sentinel 0x1, and precompiled
 * contracts) have no keys.
 */
const FIRST_ORDINARY_ADDRESS = 0x10000n

/**
 * Throws if the releaser is a reserved address, for which no one can sign on any chain.
 *
 * @throws {AppError} `validation_error`
 */
export function requireValidReleaser(releaser: Address): void {
  if (BigInt(releaser) >= FIRST_ORDINARY_ADDRESS) return
  throw createReleaserError(`${releaser} is reserved, and no one has its key`)
}

/**
 * Resolves if a quorum of each accepted network's nodes reports that the releaser is a plain account, because the
 * 1-of-1 Safe accepts only the releaser's own signature. An account that has delegated itself to a contract (EIP-7702)
 * is not plain: it might sign today, and the contract might control it later (decisions 4.3).
 *
 * @throws {AppError} `validation_error`; `rpc_unavailable` if no quorum of a network's nodes agrees
 */
export async function requireEoaReleaser(
  deps: Deps,
  escrow: {
    readonly releaser: Address
    readonly environment: Environment
    readonly networks: readonly Network[]
  },
): Promise<void> {
  const networks = [...new Set(escrow.networks)]
  const kinds = await Promise.all(networks.map((network) => readKind(deps, { ...escrow, network })))
  const at = kinds.findIndex((kind) => kind !== 'plain')
  if (at < 0) return
  const { releaser } = escrow
  throw createReleaserError(
    kinds[at] === 'delegated'
      ? `${releaser} has delegated itself to a contract on ${networks[at]} (EIP-7702)`
      : `${releaser} is a contract on ${networks[at]}; the releaser must be a plain account`,
  )
}

async function readKind(
  { chainOf, deployments }: Deps,
  { releaser, ...place }: { releaser: Address; environment: Environment; network: Network },
): Promise<AccountKind> {
  const deployment = deployments.find(
    ({ network, environment }) => network === place.network && environment === place.environment,
  )
  const chain = deployment && chainOf(deployment.chainId)
  const read = ({ client }: ChainNode) => readAccountKind(client, releaser)
  const verdict = chain && (await queryQuorum(chain, { read, toText: String }))
  if (verdict?.outcome === 'agreed') return verdict.agreed.value
  throw new AppError(
    'rpc_unavailable',
    `the releaser cannot be checked on ${place.network} at the moment; try again`,
  )
}

function createReleaserError(reason: string): AppError {
  return createFieldError('escrow.releaserAddress', reason)
}
