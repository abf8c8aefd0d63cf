import { type AccountKind, readAccountKind } from '../../shared/chain/account-kind.ts'
import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import type { Address } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Environment, Network } from '../../shared/domain/networks.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import type { ChainOf } from '../chain-clients.ts'

type Deps = { readonly chainOf: ChainOf; readonly deployments: readonly DeploymentConfig[] }

/** Below it are the zero address, the Safe's own sentinel 0x1, and precompiled contracts: nobody has their keys. */
const FIRST_ORDINARY_ADDRESS = 0x10000n

/**
 * Refuses a releaser whom nobody could sign for, whatever the chains say.
 *
 * @throws {AppError} `validation_error`
 */
export function requirePossibleReleaser(releaser: Address): void {
  if (BigInt(releaser) >= FIRST_ORDINARY_ADDRESS) return
  throw refuse(`${releaser} is reserved: nobody holds its key`)
}

/**
 * Resolves if a quorum of each accepted network's nodes reports that the releaser is a plain account: the 1-of-1 Safe takes
 * its signature only.
 *
 * One that runs another's code (EIP-7702) may sign today and belong to a contract tomorrow (decisions 4.3).
 *
 * @throws {AppError} `validation_error`; `rpc_unavailable` if no quorum of a network's nodes reports the same
 */
export async function requirePlainReleaser(
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
  throw refuse(
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
  throw new AppError('rpc_unavailable', `the releaser cannot be checked on ${place.network} now; try again`)
}

function refuse(reason: string): AppError {
  return new AppError('validation_error', `escrow.releaserAddress ${reason}`, {
    param: 'escrow.releaserAddress',
  })
}
