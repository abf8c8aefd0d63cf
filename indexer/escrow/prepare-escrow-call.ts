import { BaseError } from 'viem'
import type { ChainClient } from '../../shared/chain/client.ts'
import {
  executionCalls,
  multiSendCall,
  releaseCall,
  type SignedEscrow,
} from '../../shared/chain/escrow-call.ts'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryFirst } from '../../shared/chain/nodes/query-nodes.ts'
import { type Call, estimateGas, revertOf } from '../../shared/chain/simulate.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { EvmRelayer } from '../relayer/evm-relayer.ts'
import { gasLimitOf } from '../relayer/quote-data-fee.ts'
import type { RelayerCall } from '../relayer/relayer-context.ts'

type Deps = {
  readonly chain: ChainNodes
  readonly relayer: Pick<EvmRelayer, 'address' | 'quote'>
  /** Above it, posting apart, nothing is relayed: a releaser may have taught the Safe to burn our gas. */
  readonly maxGas: bigint
}

/**
 * Answers the one transaction that does it all. A release pays the split's recipients in it; if they cannot be paid
 * now, the money goes into the split, and the payout worker sees to the rest.
 *
 * One node that would carry it out is enough, because gas is all that it can cost; that it reverts needs a quorum.
 *
 * @throws {AppError} `recipient_transfer_restricted` if it would revert, or burn more gas than we allow; `rpc_unavailable` if
 * no quorum reports whether it would
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
async function tryCall(deps: Deps, calls: Parameters<typeof multiSendCall>[0]): Promise<RelayerCall | null> {
  const call = multiSendCall(calls)
  const gas = await queryFirst(deps.chain, {
    subject: 'the simulation of an order',
    read: ({ client }) => findGas(deps, client, call),
    toText: (most) => (most === null ? 'not allowed' : 'allowed'),
    decides: (most) => most !== null,
  })
  return gas === null ? null : { ...call, gas, payoutId: null }
}

/** Returns the gas of a call by one node; `null` if it would revert or burn more than we allow. */
async function findGas(deps: Deps, client: ChainClient, call: Omit<Call, 'account'>): Promise<bigint | null> {
  try {
    const gas = await estimateGas(client, { ...call, account: deps.relayer.address })
    return (await isAllowed(deps, { ...call, gas })) ? gas : null
  } catch (error) {
    if (error instanceof BaseError && revertOf(error) !== null) return null
    throw error
  }
}

/** Posting to the chain below is paid in gas on some chains, and bounded by itself. */
async function isAllowed(
  { relayer, maxGas }: Deps,
  call: Parameters<EvmRelayer['quote']>[0],
): Promise<boolean> {
  return call.gas <= maxGas || call.gas <= gasLimitOf(maxGas, (await relayer.quote(call)).dataFee)
}
