import type { Address, Hex } from '../../../shared/domain/address.ts'
import type { SwapAsk } from '../provider.ts'

/**
 * Settler's `execute((address recipient, address buyToken, uint256 minAmountOut), bytes[] actions, bytes32 zid)`.
 *
 * The first three words behind the selector are all that decides where the money goes: whatever the actions do, Settler
 * ends by sending `minAmountOut` of `buyToken` to `recipient`, or reverts.
 *
 * @see https://github.com/0xProject/0x-settler, `SettlerBase._checkSlippageAndTransfer`
 */
const EXECUTE_SELECTOR = '0x1fff991f'

/** The right settlers of a chain, by 0x's registry. */
export type Settlers = { readonly current: Address; readonly previous: Address | null }

/**
 * Tells why a transaction is no call of Settler that buys what was asked for the charge; `null` if it is one.
 *
 * Byte for byte: that an address occurs somewhere in the data would say nothing.
 */
export function findSettlerProblem(
  { to, data }: { readonly to: Address; readonly data: Hex },
  { ask, settlers }: { readonly ask: SwapAsk; readonly settlers: Settlers },
): string | null {
  if (to !== settlers.current && to !== settlers.previous) return `calls ${to}, which is no settler`
  if (data.slice(0, 10) !== EXECUTE_SELECTOR) return `calls ${data.slice(0, 10)}, not ${EXECUTE_SELECTOR}`
  if (wordOf(data, 0) !== wordOfAddress(ask.recipient)) return 'pays another recipient'
  if (wordOf(data, 1) !== wordOfAddress(ask.buyToken)) return 'pays another token'
  return wordOf(data, 2) === wordOfAmount(ask.buyAtomic) ? null : 'pays another amount'
}

function wordOf(data: Hex, index: number): string {
  const start = 10 + 64 * index
  return data.slice(start, start + 64)
}

function wordOfAddress(address: Address): string {
  return address.slice(2).padStart(64, '0')
}

function wordOfAmount(amount: bigint): string {
  return amount.toString(16).padStart(64, '0')
}
