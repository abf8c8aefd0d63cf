import type { Family } from '../page-data.ts'
import { EVM } from './evm.ts'
import { TRON } from './tron.ts'
import type { Way } from './way.ts'

/** What differs between wallets of the families of chains. */
type OfFamily = {
  /** What stands before the names of the events by which they make themselves known. */
  readonly events: string
  /** Where one stands in the window that does not know these events. */
  readonly injected: string
  /** What such a one is called, which has not said its name. */
  readonly name: string
  readonly way: Way
}

/**
 * All families of chains, for whoever knows none by name.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 * @see https://github.com/tronprotocol/tips/issues/737 (TIP-6963), and tip-1193.md of `window.tron`
 */
export const FAMILIES: Readonly<Record<Family, OfFamily>> = {
  evm: { events: 'eip6963', injected: 'ethereum', name: 'Ethereum', way: EVM },
  tron: { events: 'TIP6963', injected: 'tron', name: 'TRON', way: TRON },
}
