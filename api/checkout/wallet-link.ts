import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { WALLET_APPS, type WalletApp } from './wallet-apps-by-family.ts'

/** Returns the link that opens a page in the browser of a wallet app. */
export function walletLink({ link }: WalletApp, url: string, family: ChainFamilyName): string {
  const { origin } = new URL(url)
  return link({ url, encoded: encodeURIComponent(url), origin: encodeURIComponent(origin), family })
}

/** Lists the wallet apps that can pay on a network of a chain family. */
export function listWalletApps(
  family: ChainFamilyName,
  { network }: Pick<Pair, 'network'>,
): readonly WalletApp[] {
  return WALLET_APPS.filter(
    ({ families, networks }) =>
      families.includes(family) && (networks === null || networks.includes(network)),
  )
}
