import type { Address, Hex } from '../../../shared/domain/address.ts'
import type { SwapQuoteRequest } from '../provider.ts'

/**
 * Settler's `execute((address recipient, address buyToken, uint256 minAmountOut), bytes[] actions, bytes32 zid)`.
 *
 * The first three words after the selector decide where the funds go. Regardless of the actions, Settler finally sends
 * at least `minAmountOut` of `buyToken` to `recipient`, or reverts.
 *
 * @see https://github.com/0xProject/0x-settler, `SettlerBase._checkSlippageAndTransfer`
 */
const EXECUTE_SELECTOR = '0x1fff991f'

/** Addresses of a chain's valid Settler contracts, according to 0x's registry. */
export type Settlers = { readonly current: Address; readonly previous: Address | null }

/**
 * Returns why a transaction does not call Settler to buy the requested amount for the recipient; `null` if it does.
 *
 * Compares each word at its position, because an address elsewhere in the data would prove nothing.
 */
export function findSettlerProblem(
  { to, data }: { readonly to: Address; readonly data: Hex },
  { ask, settlers }: { readonly ask: SwapQuoteRequest; readonly settlers: Settlers },
): string | null {
  if (to !== settlers.current && to !== settlers.previous) return `calls ${to}, which is not a settler`
  if (data.slice(0, 10) !== EXECUTE_SELECTOR) return `calls ${data.slice(0, 10)}, not ${EXECUTE_SELECTOR}`
  if (getWord(data, 0) !== encodeAddress(ask.recipient)) return 'pays another recipient'
  if (getWord(data, 1) !== encodeAddress(ask.buyToken)) return 'pays another token'
  return getWord(data, 2) === encodeAmount(ask.buyAtomic) ? null : 'pays another amount'
}

function getWord(data: Hex, index: number): string {
  const start = 10 + 64 * index
  return data.slice(start, start + 64)
}

function encodeAddress(address: Address): string {
  return address.slice(2).padStart(64, '0')
}

function encodeAmount(amount: bigint): string {
  return amount.toString(16).padStart(64, '0')
}
