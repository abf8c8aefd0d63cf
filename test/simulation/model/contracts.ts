import { encodeErrorResult, pad, toHex } from 'viem'
import { paymentSplitAbi } from '../../../shared/chain/abi/payment-split.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import type { Split } from '../../../shared/domain/allocation.ts'
import { ANY_DISTRIBUTOR } from '../../../shared/domain/distribution-call.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { ARC_USDC, COINS_PER_UNIT } from './arc.ts'
import { sendCoins } from './coins.ts'
import { balanceIn, Reverted, type Spoken, type State } from './state.ts'

type Transfer = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/**
 * Transfers a token like its contract, which on Arc sends the coin. Reverts while the token is paused, for accounts
 * that its issuer has frozen, and if the sender's balance is too low.
 */
export function transfer(state: State, { token, from, to, amount }: Transfer): readonly Spoken[] {
  const isRestricted = [from, to].some((account) => state.frozen.has(`${token}/${account}`))
  const balance = balanceIn(state, token, from)
  if (state.paused.has(token) || isRestricted || balance < amount) throw new Reverted('0x')
  const log = { address: token, topics: [TRANSFER_TOPIC, topicOf(from), topicOf(to)], data: wordOf(amount) }
  if (token === ARC_USDC) return [...sendCoins(state, { from, to, coins: amount * COINS_PER_UNIT }), log]
  state.balances.set(`${token}/${from}`, balance - amount)
  state.balances.set(`${token}/${to}`, balanceIn(state, token, to) + amount)
  return [log]
}

export type Distribution = {
  readonly address: Address
  readonly split: Split
  readonly token: Address
  readonly distributor: Address
}

const [DISTRIBUTED, HELD, RELEASED] = SPLIT_TOPICS as [Hex, Hex, Hex]
const TOTAL = 1_000_000n

/** Distributes the split's balance without the held shares, like PaymentSplit.sol, but implemented independently. */
export function distribute(state: State, call: Distribution): readonly Spoken[] {
  const { address, split, token } = call
  const balance = balanceIn(state, token, address)
  const reserved = heldIn(state, address, token)
  if (balance <= reserved) throw new Reverted(errorOf('NothingToDistribute', [balance, reserved]))
  const amount = balance - reserved
  const distributor = call.distributor === address ? ANY_DISTRIBUTOR : call.distributor
  const spoken: Spoken[] = [say(address, DISTRIBUTED, { token, account: distributor, amount })]

  const { incentive, shares } = listShares(split, { amount, distributor })
  if (incentive > 0n) {
    const paid = tryTransfer(state, { token, from: address, to: distributor, amount: incentive })
    if (paid === null) throw new Reverted(errorOf('IncentiveTransferFailed'))
    spoken.push(...paid)
  }
  let isAnyonePaid = false
  for (const { to, share } of shares) {
    if (share === 0n) continue
    const paid = tryTransfer(state, { token, from: address, to, amount: share })
    if (paid !== null) isAnyonePaid = true
    else
      state.held.set(`${address}/${token}/${to}`, (state.held.get(`${address}/${token}/${to}`) ?? 0n) + share)
    spoken.push(...(paid ?? [say(address, HELD, { token, account: to, amount: share })]))
  }
  if (!isAnyonePaid) throw new Reverted(errorOf('AllPayoutsFailed'))
  return spoken
}

/** Returns the amounts that a distribution pays. The first recipient is paid last and gets the rounding remainder. */
export function listShares(
  { recipients, allocations, distributionIncentive }: Split,
  { amount, distributor }: { readonly amount: bigint; readonly distributor: Address },
): {
  readonly incentive: bigint
  readonly shares: readonly { readonly to: Address; readonly share: bigint }[]
} {
  const incentive = distributor === ANY_DISTRIBUTOR ? 0n : (amount * BigInt(distributionIncentive)) / TOTAL
  const pot = amount - incentive
  const others = recipients.slice(1).map((to, index) => ({
    ...{ to, share: (pot * BigInt(allocations[index + 1] ?? 0)) / TOTAL },
  }))
  const left = pot - others.reduce((sum, { share }) => sum + share, 0n)
  return { incentive, shares: [...others, ...recipients.slice(0, 1).map((to) => ({ to, share: left }))] }
}

/** Pays a recipient the share that a split holds for them. Reverts if it holds none, or if the transfer fails. */
export function release(
  state: State,
  {
    address,
    token,
    recipient,
  }: { readonly address: Address; readonly token: Address; readonly recipient: Address },
): readonly Spoken[] {
  const key = `${address}/${token}/${recipient}`
  const amount = state.held.get(key) ?? 0n
  if (amount === 0n) throw new Reverted(errorOf('NothingHeld'))
  const paid = tryTransfer(state, { token, from: address, to: recipient, amount })
  if (paid === null) throw new Reverted(errorOf('ReleaseFailed'))
  state.held.delete(key)
  return [say(address, RELEASED, { token, account: recipient, amount }), ...paid]
}

export function heldIn(state: State, address: Address, token: Address): bigint {
  return listHeldShares(state, address, token).reduce((sum, share) => sum + share, 0n)
}

/** Lists the shares of a token that a split holds, one per recipient. */
export function listHeldShares(state: State, address: Address, token: Address): readonly bigint[] {
  return [...state.held].flatMap(([key, amount]) => (key.startsWith(`${address}/${token}/`) ? amount : []))
}

function tryTransfer(state: State, move: Transfer): readonly Spoken[] | null {
  try {
    return transfer(state, move)
  } catch {
    return null
  }
}

type Said = { readonly token: Address; readonly account: Address; readonly amount: bigint }

function say(address: Address, topic: Hex, { token, account, amount }: Said): Spoken {
  return { address, topics: [topic, topicOf(token), topicOf(account)], data: wordOf(amount) }
}

function errorOf(errorName: string, args: readonly bigint[] = []): Hex {
  return encodeErrorResult({ abi: paymentSplitAbi, errorName, args } as never)
}

function topicOf(address: Address): Hex {
  return pad(address, { size: 32 })
}

function wordOf(amount: bigint): Hex {
  return toHex(amount, { size: 32 })
}
