import type { Family } from '../page-data.ts'
import type { Provider } from './wallet-adapter.ts'
import { WALLETS_BY_FAMILY } from './wallets-by-family.ts'

export type Wallet = {
  readonly id: string
  /** The family of the wallet's chains. A wallet for both families announces itself once per family. */
  readonly family: Family
  /** `null` if the wallet does not announce itself. */
  readonly name: string | null
  /** A `data:` URL of an image; any other icon is ignored. */
  readonly icon: string | null
  readonly provider: Provider
}

type Announcement = CustomEvent<{
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}>

/** Time for wallets to announce themselves before the page looks for a wallet that does not. */
const FALLBACK_AFTER_MS = 700

/**
 * Finds the wallets of this browser. Keeps listening while the page is open, because some wallets announce themselves
 * late.
 *
 * @param found - called with all wallets found so far whenever one is added
 */
export function findWallets(found: (wallets: readonly Wallet[]) => void): void {
  const wallets = new Map<string, Wallet>()
  const add = (wallet: Wallet) => {
    wallets.set(wallet.id, wallet)
    found([...wallets.values()])
  }
  for (const [key, { events, injected }] of Object.entries(WALLETS_BY_FAMILY)) {
    const family = key as Family
    addEventListener(`${events}:announceProvider`, (event) => {
      const { info, provider } = (event as Announcement).detail
      // A wallet for both families may announce itself with the same uuid.
      const id = `${family} ${info.uuid}`
      if (wallets.has(id)) return
      wallets.delete(injected)
      const icon = info.icon.startsWith('data:image/') ? info.icon : null
      add({ id, family, name: info.name.slice(0, 40), icon, provider })
    })
    dispatchEvent(new Event(`${events}:requestProvider`))
    setTimeout(() => {
      const provider = (window as unknown as Record<string, Provider | undefined>)[injected]
      const isKnown = [...wallets.values()].some((wallet) => wallet.family === family)
      if (provider !== undefined && !isKnown) add({ id: injected, family, name: null, icon: null, provider })
    }, FALLBACK_AFTER_MS)
  }
}
