import { pad, toHex } from 'viem'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { ARC_EMITTER, ARC_USDC, FEE } from './arc.ts'
import { Reverted, type Spoken, type State } from './state.ts'

type Sending = { readonly from: Address; readonly to: Address; readonly coins: bigint }

/**
 * Sends Arc's coin, directly or for a transfer of the token. Returns only the coin's log.
 *
 * @throws {Reverted} if the issuer has frozen an account, or if the sender's balance is too low
 */
export function sendCoins(state: State, { from, to, coins }: Sending): readonly Spoken[] {
  const isRestricted = [from, to].some((account) => state.frozen.has(`${ARC_USDC}/${account}`))
  const balance = coinsOf(state, from)
  if (isRestricted || balance < coins) throw new Reverted('0x')
  state.balances.set(keyOf(from), balance - coins)
  state.balances.set(keyOf(to), coinsOf(state, to) + coins)
  if (coins === 0n || from === to) return []
  const topics = [TRANSFER_TOPIC, topicOf(from), topicOf(to)]
  return [{ address: ARC_EMITTER, topics, data: toHex(coins, { size: 32 }) }]
}

/** Deducts the fee of a transaction on Arc, without a log. Does nothing on other chains. */
export function payFee(state: State, account: Address): void {
  if (state.balances.has(keyOf(account))) state.balances.set(keyOf(account), coinsOf(state, account) - FEE)
}

export function coinsOf(state: State, account: Address): bigint {
  return state.balances.get(keyOf(account)) ?? 0n
}

function keyOf(account: Address): string {
  return `${ARC_USDC}/${account}`
}

function topicOf(address: Address): Hex {
  return pad(address, { size: 32 })
}
