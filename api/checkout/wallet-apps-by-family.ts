import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { Network } from '../../shared/domain/networks.ts'

/** The page that a wallet opens, in the forms that links need. */
export type LinkedPage = {
  readonly url: string
  /** The URL, percent-encoded for a query or a path segment. */
  readonly encoded: string
  /** The URL's origin, percent-encoded. */
  readonly origin: string
  readonly family: ChainFamilyName
}

/** A wallet app that can open a page in its own browser through a link. */
export type WalletApp = {
  readonly id: string
  readonly name: string
  /** Initials, shown instead of the vendor's logo. */
  readonly letters: string
  readonly hue: number
  /** Chain families for which the app is offered. */
  readonly families: readonly ChainFamilyName[]
  /** Networks that the app supports; `null`: all networks of its families. */
  readonly networks: readonly Network[] | null
  readonly link: (page: LinkedPage) => string
}

/**
 * Wallet apps in the order in which they are offered.
 *
 * @see docs.metamask.io (deeplinks), developer.trustwallet.com (deep linking), web3.okx.com (App Universal Link),
 * docs.phantom.com (browse); the others as in the adapters of @reown/appkit-controllers 1.8.24 and tronwallet-adapter
 * (November 2026)
 */
export const WALLET_APPS: readonly WalletApp[] = [
  {
    ...{ id: 'tronlink', name: 'TronLink', letters: 'TL', hue: 215, families: ['tron'], networks: null },
    link: ({ url }) =>
      `tronlinkoutside://pull.activity?param=${toJson({
        ...{ url, action: 'open', protocol: 'TronLink', version: '1.0', chainId: '0x2b6653dc' },
        ...{ dappName: '', dappIcon: '', actionId: '1', callbackUrl: url },
      })}`,
  },
  {
    ...{ id: 'metamask', name: 'MetaMask', letters: 'M', hue: 24, families: ['evm'], networks: null },
    // Unlike in the other links, the URL must not be encoded, because MetaMask would open an empty tab.
    link: ({ url }) => `https://link.metamask.io/dapp/${url.replace(/^https?:\/\//, '')}`,
  },
  {
    ...{
      id: 'trust',
      name: 'Trust Wallet',
      letters: 'T',
      hue: 215,
      families: ['evm', 'tron'],
      networks: null,
    },
    link: ({ encoded, family }) =>
      `https://link.trustwallet.com/open_url?coin_id=${family === 'tron' ? 195 : 60}&url=${encoded}`,
  },
  {
    ...{ id: 'base', name: 'Base app', letters: 'B', hue: 230, families: ['evm'], networks: null },
    link: ({ encoded }) => `cbwallet://miniapp?url=${encoded}`,
  },
  {
    ...{ id: 'okx', name: 'OKX Wallet', letters: 'O', hue: 0, families: ['evm', 'tron'], networks: null },
    link: ({ encoded }) => `okx://wallet/dapp/url?dappUrl=${encoded}`,
  },
  {
    ...{
      id: 'bitget',
      name: 'Bitget Wallet',
      letters: 'Bg',
      hue: 190,
      families: ['evm', 'tron'],
      networks: null,
    },
    link: ({ encoded }) => `https://bkcode.vip?action=dapp&url=${encoded}`,
  },
  {
    ...{ id: 'phantom', name: 'Phantom', letters: 'P', hue: 265, families: ['evm'] },
    networks: ['ethereum', 'base', 'polygon'],
    link: ({ encoded, origin }) => `https://phantom.app/ul/browse/${encoded}?ref=${origin}`,
  },
  {
    ...{ id: 'imtoken', name: 'imToken', letters: 'im', hue: 200, families: ['tron'], networks: null },
    link: ({ encoded }) => `imtokenv2://navigate/DappView?url=${encoded}`,
  },
  {
    ...{
      id: 'tokenpocket',
      name: 'TokenPocket',
      letters: 'TP',
      hue: 240,
      families: ['tron'],
      networks: null,
    },
    link: ({ url }) =>
      `tpdapp://open?params=${toJson({ action: 'open', chain: 'Tron', url, protocol: 'TokenPocket', version: '1.0' })}`,
  },
]

function toJson(parameters: Readonly<Record<string, string>>): string {
  return encodeURIComponent(JSON.stringify(parameters))
}
