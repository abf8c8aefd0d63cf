import { hexToBigInt } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { SPLIT_TOPIC, TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { simulateEffect } from './calls.ts'
import type { Effect, ModelContext } from './safe.ts'
import { balanceIn, copyState, Reverted, type Spoken, type State } from './state.ts'
import { getNeededEnergy, getUsedEnergy, type Payouts, SUN_PER_ENERGY } from './tron.ts'

type Call = { readonly to: Address; readonly data: Hex }

/** Runs a call on a copy of the state, and returns its logs and energy. Throws if the call reverts. */
export function tryTronCall(
  state: State,
  call: Call,
  chain: ModelContext,
): { readonly spoken: readonly Spoken[]; readonly energy: bigint } {
  const spoken = simulateEffect(call, chain)(copyState(state), 0)
  return { spoken, energy: getUsedEnergy(countPayouts(state, spoken)) }
}

/**
 * Returns the effect of a transaction on TRON. If its fee limit does not pay for the required energy, the transaction
 * fails like a call that reverts.
 */
export function simulateTronEffect(
  call: Call & { readonly feeLimitSun: bigint },
  chain: ModelContext,
): Effect {
  const effect = simulateEffect(call, chain)
  return (state, timestamp) => {
    const before = copyState(state)
    const spoken = effect(state, timestamp)
    if (getNeededEnergy(countPayouts(before, spoken)) * SUN_PER_ENERGY > call.feeLimitSun)
      throw new Reverted('0x')
    return spoken
  }
}

function countPayouts(before: State, spoken: readonly Spoken[]): Payouts {
  const held = spoken.filter(({ topics }) => topics[0] === SPLIT_TOPIC.held).length
  const transfers = spoken.filter(({ topics }) => topics[0] === TRANSFER_TOPIC)
  const isFirst = ({ address, topics, data }: Spoken) =>
    hexToBigInt(data) > 0n && balanceIn(before, address, `0x${topics[2]?.slice(-40)}` as Address) === 0n
  const first = transfers.filter(isFirst).length
  return { usual: transfers.length - first, first, held }
}
