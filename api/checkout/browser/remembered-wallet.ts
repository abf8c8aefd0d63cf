import { withStorage } from './storage.ts'

const KEY = 'checkout wallet'

/** Returns the name or id of the wallet that the payer used last in this browser; `null` if none is stored. */
export function findRememberedWallet(): string | null {
  return withStorage((storage) => storage.getItem(KEY))
}

/** Stores the name or id of the wallet that the payer uses. The next page offers this wallet first. */
export function rememberWallet(name: string): void {
  withStorage((storage) => storage.setItem(KEY, name))
}
