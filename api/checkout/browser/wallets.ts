/** What a wallet lets a page ask (EIP-1193). */
export type Provider = {
  readonly request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>
}

/** A wallet in this browser. */
export type Wallet = {
  readonly id: string
  readonly name: string
  /** A `data:` picture; whatever else it announced is not shown. */
  readonly icon: string | null
  readonly provider: Provider
}

type Announcement = CustomEvent<{
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}>

/** Time for the first to announce themselves, before a wallet that does not know how to is looked for. */
const FALLBACK_AFTER_MS = 700

/**
 * Finds the wallets of this browser, for as long as the page lives: some announce themselves late.
 *
 * @param found - called with all that are known, whenever there is one more
 * @see https://eips.ethereum.org/EIPS/eip-6963
 */
export function findWallets(found: (wallets: readonly Wallet[]) => void): void {
  const wallets = new Map<string, Wallet>()
  addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = (event as Announcement).detail
    if (wallets.has(info.uuid)) return
    wallets.delete('injected')
    const icon = info.icon.startsWith('data:image/') ? info.icon : null
    wallets.set(info.uuid, { id: info.uuid, name: info.name.slice(0, 40), icon, provider })
    found([...wallets.values()])
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    const { ethereum } = window as { ethereum?: Provider }
    if (wallets.size > 0 || ethereum === undefined) return
    wallets.set('injected', { id: 'injected', name: 'Ethereum', icon: null, provider: ethereum })
    found([...wallets.values()])
  }, FALLBACK_AFTER_MS)
}
