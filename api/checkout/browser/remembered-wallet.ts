import { withStorage } from './storage.ts'

const KEY = 'checkout wallet'

/** Returns the name or id of the wallet that the payer used last in this browser; `null` if none is known. */
export function findRememberedWallet(): string | null {
  return withStorage((storage) => storage.getItem(KEY))
}

/** Remembers the wallet that the payer uses. It is offered first on the next page. */
export function rememberWallet(name: string): void {
  withStorage((storage) => storage.setItem(KEY, name))
}
