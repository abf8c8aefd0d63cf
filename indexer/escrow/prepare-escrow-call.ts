import { BaseError } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import {
  executionCalls,
  multiSendCall,
  releaseCall,
  type SignedEscrow,
} from '../../shared/chain/escrow-call.ts'
import { estimateGas, revertOf } from '../../shared/chain/simulate.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import { gasLimitOf } from '../relayer/quote-data-fee.ts'
import type { RelayerCall } from '../relayer/relayer-context.ts'

type Deps = {
  readonly client: ChainClient
  readonly relayer: Pick<EvmRelayer, 'address' | 'quote'>
  /** Above it, posting apart, nothing is relayed: a releaser may have taught the Safe to burn our gas. */
  readonly maxGas: bigint
}

/**
 * Answers the one transaction that does it all. A release pays the split's recipients in it; if they cannot be paid
 * now, the money goes into the split, and the payout worker sees to the rest.
 *
 * @throws {AppError} `recipient_transfer_restricted` if it would revert, or burn more gas than we allow
 * @throws {BaseError} viem's, if no node answers
 */
export async function prepareEscrowCall(deps: Deps, signed: SignedEscrow): Promise<RelayerCall> {
  const execution = executionCalls(signed)
  const isRelease = signed.transaction.destination === signed.escrow.splitAddress
  const call =
    (isRelease && (await tryCall(deps, [...execution, releaseCall(signed)]))) ||
    (await tryCall(deps, execution))
  if (call) return call
  const { tokenAddress, destination } = signed.transaction
  throw new AppError(
    'recipient_transfer_restricted',
    `${tokenAddress} does not let the escrow pay ${destination} now, or its Safe does not`,
  )
}

/** Answers the call with its gas, or `null` if it would revert or burn more than we allow. */
async function tryCall(
  { client, relayer, maxGas }: Deps,
  calls: Parameters<typeof multiSendCall>[0],
): Promise<RelayerCall | null> {
  const call = multiSendCall(calls)
  try {
    const gas = await estimateGas(client, { ...call, account: relayer.address })
    const isAllowed =
      gas <= maxGas || gas <= gasLimitOf(maxGas, (await relayer.quote({ ...call, gas })).dataFee)
    return isAllowed ? { ...call, gas, payoutId: null } : null
  } catch (error) {
    if (error instanceof BaseError && revertOf(error) !== null) return null
    throw error
  }
}
