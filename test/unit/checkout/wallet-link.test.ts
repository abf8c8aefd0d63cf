import { expect } from 'chai'
import { WALLET_APPS } from '../../../api/checkout/wallet-apps-by-family.ts'
import { listWalletApps, walletLink } from '../../../api/checkout/wallet-link.ts'

const URL = 'https://pay.example/pay/ch_1?token=USDC&network=bnb'
const ENCODED = 'https%3A%2F%2Fpay.example%2Fpay%2Fch_1%3Ftoken%3DUSDC%26network%3Dbnb'

const LINKS: Readonly<Record<string, string>> = {
  metamask: 'https://link.metamask.io/dapp/pay.example/pay/ch_1?token=USDC&network=bnb',
  trust: `https://link.trustwallet.com/open_url?coin_id=60&url=${ENCODED}`,
  base: `cbwallet://miniapp?url=${ENCODED}`,
  okx: `okx://wallet/dapp/url?dappUrl=${ENCODED}`,
  bitget: `https://bkcode.vip?action=dapp&url=${ENCODED}`,
  phantom: `https://phantom.app/ul/browse/${ENCODED}?ref=https%3A%2F%2Fpay.example`,
  imtoken: `imtokenv2://navigate/DappView?url=${ENCODED}`,
}

/** Wallets whose links contain JSON. */
const JSON_LINKS: Readonly<Record<string, readonly [prefix: string, parameters: object]>> = {
  tronlink: [
    'tronlinkoutside://pull.activity?param=',
    { url: URL, action: 'open', protocol: 'TronLink', version: '1.0', chainId: '0x2b6653dc' },
  ],
  tokenpocket: [
    'tpdapp://open?params=',
    { url: URL, action: 'open', chain: 'Tron', protocol: 'TokenPocket', version: '1.0' },
  ],
}

const find = (id: string) => WALLET_APPS.find((app) => app.id === id) ?? expect.fail(id)

describe('the links to wallet apps', () => {
  for (const [id, link] of Object.entries(LINKS)) {
    it(`open the page in ${find(id).name}`, () => expect(walletLink(find(id), URL, 'evm')).to.equal(link))
  }

  for (const [id, [prefix, parameters]] of Object.entries(JSON_LINKS)) {
    it(`open the page in ${find(id).name}`, () => {
      const link = walletLink(find(id), URL, 'tron')
      expect(link.slice(0, prefix.length)).to.equal(prefix)
      expect(JSON.parse(decodeURIComponent(link.slice(prefix.length)))).to.include(parameters)
    })
  }

  it('are tested for every wallet', () => {
    const ids = WALLET_APPS.map(({ id }) => id)
    expect(ids).to.have.members([...Object.keys(LINKS), ...Object.keys(JSON_LINKS)])
  })

  it('pass TRON’s coin id to Trust Wallet for a TRON charge', () => {
    expect(walletLink(find('trust'), URL, 'tron')).to.contain('coin_id=195')
  })

  it('are offered only for wallets that can pay on the network', () => {
    const ids = (...on: Parameters<typeof listWalletApps>) => listWalletApps(...on).map(({ id }) => id)
    expect(ids('evm', { network: 'base' })).to.deep.equal([
      'metamask',
      'trust',
      'base',
      'okx',
      'bitget',
      'phantom',
    ])
    expect(ids('evm', { network: 'bnb' })).not.to.include('phantom')
    const onTron = ['tronlink', 'trust', 'okx', 'bitget', 'imtoken', 'tokenpocket']
    expect(ids('tron', { network: 'tron' })).to.deep.equal(onTron)
  })
})
