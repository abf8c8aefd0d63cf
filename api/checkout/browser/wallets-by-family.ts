import type { Family } from '../page-data.ts'

type FamilyWallets = {
  /** Prefix of the events with which wallets announce themselves. */
  readonly events: string
  /** Property of `window` that holds a wallet that does not announce itself. */
  readonly injected: string
}

/**
 * How to find the wallets of each chain family.
 *
 * @see https://eips.ethereum.org/EIPS/eip-6963
 * @see https://github.com/tronprotocol/tips/issues/737 (TIP-6963), and tip-1193.md for `window.tron`
 */
export const WALLETS_BY_FAMILY: Readonly<Record<Family, FamilyWallets>> = {
  evm: { events: 'eip6963', injected: 'ethereum' },
  tron: { events: 'TIP6963', injected: 'tron' },
}
