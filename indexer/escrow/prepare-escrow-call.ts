import { BaseError } from 'viem'
import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { querySimulation } from '../../shared/chain/nodes/query-simulation.ts'
import { estimateGas, findRevert } from '../../shared/chain/nodes/simulate.ts'
import {
  buildExecutionCalls,
  buildMultiSendCall,
  buildReleaseCall,
  type SignedEscrow,
} from '../../shared/chain/safe/escrow-call.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import { getGasLimit } from '../relayer/quote-data-fee.ts'
import type { RelayerCall } from '../relayer/relayer-context.ts'

type Deps = {
  readonly chain: ChainNodes
  readonly relayer: Pick<EvmRelayer, 'address' | 'quote'>
  /** Maximum gas of a relayed call (see `EscrowWorkerDeps`), without the gas for posting data to a parent chain. */
  readonly maxGas: bigint
}

type DoubtedEscrow = SignedEscrow & {
  /** Whether an earlier order of the charge was sent but not executed. A quorum must then estimate the gas. */
  readonly isDoubted: boolean
}

/**
 * Returns a single transaction for the whole order. A release also pays the split's recipients. If they cannot be paid
 * now, the transaction only moves the money into the split, and the payout worker distributes it later.
 *
 * One node that reports success is enough, because a wrong report costs only gas. A quorum must report a revert. An
 * order whose gas estimate is too low reverts, and after two reverted orders the service relays no further order for
 * the charge. After the first order that was not executed, a quorum must therefore estimate the gas, and its highest
 * estimate is used.
 *
 * @throws {AppError} `recipient_transfer_restricted` if the call would revert, or burn more gas than we allow
 * @throws {NoQuorumError} if no quorum reports whether the call would revert
 */
export async function prepareEscrowCall(
  deps: Deps,
  { isDoubted, ...signed }: DoubtedEscrow,
): Promise<RelayerCall> {
  const execution = buildExecutionCalls(signed)
  const isRelease = signed.transaction.destination === signed.escrow.splitAddress
  const call =
    (isRelease && (await tryCall(deps, { calls: [...execution, buildReleaseCall(signed)], isDoubted }))) ||
    (await tryCall(deps, { calls: execution, isDoubted }))
  if (call) return call
  const { tokenAddress, destination } = signed.transaction
  throw new AppError(
    'recipient_transfer_restricted',
    `the token ${tokenAddress}, or the Safe itself, does not allow the escrow to pay ${destination} now`,
  )
}

/** Returns the call with its gas, or `null` if it would revert or burn more gas than we allow. */
async function tryCall(deps: Deps, { calls, isDoubted }: DoubtedCalls): Promise<RelayerCall | null> {
  const { chain, relayer, maxGas } = deps
  const call = buildMultiSendCall(calls)
  const estimate = ({ client }: ChainNode) => estimateGas(client, { ...call, account: relayer.address })
  try {
    const { gas } = await querySimulation(chain, {
      ...{ maxGas, isDoubted },
      simulate: async (node) => ({ ...call, gas: await estimate(node) }),
    })
    return (await isAllowed(deps, { ...call, gas })) ? { ...call, gas, payoutId: null } : null
  } catch (error) {
    if (error instanceof BaseError && findRevert(error) !== null) return null
    throw error
  }
}

type DoubtedCalls = {
  readonly calls: Parameters<typeof buildMultiSendCall>[0]
  readonly isDoubted: boolean
}

/**
 * Returns whether the gas is within the limit. On some chains, gas also pays for posting data to the parent chain, and
 * that gas has its own limit.
 */
async function isAllowed(
  { relayer, maxGas }: Deps,
  call: Parameters<EvmRelayer['quote']>[0],
): Promise<boolean> {
  return call.gas <= maxGas || call.gas <= getGasLimit(maxGas, (await relayer.quote(call)).dataFee)
}
