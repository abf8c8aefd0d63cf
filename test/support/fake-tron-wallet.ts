import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import type { DevnetAccount } from '../devnet/accounts.ts'
import { toTronAddress } from '../devnet/tron/accounts.ts'
import { createStranger } from './tronweb-client.ts'

/** Public node of TRON's main network, which wallets query. Tests route its requests to a local node. */
const PUBLIC_NODE = 'https://api.trongrid.io'
const MAINNET = '0x2b6653dc'
export const NILE = '0xcd8690dc'

/** tronweb's bundle for browsers, which wallets load into a page. It is a classic script, not a module. */
const TRONWEB = join(dirname(createRequire(import.meta.url).resolve('tronweb')), '../../dist/TronWeb.js')

/** Behaviour of a TRON wallet that a test installs in a browser. */
export type TronWalletWays = {
  /** URL of the local TRON node, without `/wallet`. */
  readonly nodeUrl: string
  /** The account that signs, and the account to which the wallet switches if `changesAccount` is set. */
  readonly accounts: readonly [DevnetAccount, DevnetAccount]
  readonly chainId?: typeof MAINNET | typeof NILE
  /** Whether the wallet rejects every request to switch chains. */
  readonly stays?: boolean
  /** How the wallet declines to sign: with TIP-1193's error code, or like TronLink with only a text. */
  readonly rejects?: 'code' | 'text'
  /** Delay before the wallet announces itself. If `null`, it is only available as `window.tron`. */
  readonly announcesAfterMs?: number | null
  /** Whether the wallet switches to its second account when the page connects. */
  readonly changesAccount?: boolean
  /** Whether the page loses the node's response to a broadcast. */
  readonly losesAnswer?: boolean
}

/** Methods requested from the wallet, including `sign`, and each `broadcasttransaction` sent to the node. */
export type FakeTronWallet = { readonly asked: readonly string[] }

/**
 * Installs a wallet in a page before the page is opened. The wallet implements TIP-6963 and TIP-1193, and loads tronweb
 * into the page as TRON wallets do. The local node receives tronweb's requests to the public node.
 */
export async function injectTronWallet(page: Page, ways: TronWalletWays): Promise<FakeTronWallet> {
  const asked: string[] = []
  await page.exposeFunction('askTronWallet', async (method: string, transaction?: object) => {
    asked.push(method)
    if (method !== 'sign') return null
    const { privateKey } = ways.accounts[0]
    return createStranger({ httpUrl: ways.nodeUrl, privateKey }).tronWeb.trx.sign(transaction as never)
  })
  await page.route(`${PUBLIC_NODE}/**`, async (route, request) => {
    const { pathname } = new URL(request.url())
    const isSending = pathname.endsWith('/broadcasttransaction')
    if (request.method() === 'POST' && isSending) asked.push('broadcasttransaction')
    const response = await fetch(`${ways.nodeUrl}${pathname}`, {
      method: 'POST',
      body: request.postData() ?? '{}',
    })
    if (isSending && ways.losesAnswer) return route.abort('connectionreset')
    return route.fulfill({
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      contentType: 'application/json',
      body: await response.text(),
    })
  })
  const { nodeUrl: _, accounts, announcesAfterMs, ...rest } = ways
  const told: Told = {
    ...{ chainId: MAINNET, fullHost: PUBLIC_NODE, wanted: MAINNET, ...rest },
    addresses: accounts.map(toTronAddress),
    afterMs: announcesAfterMs === undefined ? 0 : announcesAfterMs,
  }
  const injected = `(() => { const __name = (made) => made; (${INJECTED.toString()})(${JSON.stringify(told)}) })()`
  // One script, because Playwright does not guarantee the order of several scripts.
  await page.addInitScript({ content: `${readFileSync(TRONWEB, 'utf8')}\n${injected}` })
  return { asked }
}

type Told = Pick<TronWalletWays, 'stays' | 'rejects' | 'changesAccount' | 'losesAnswer'> & {
  readonly chainId: string
  readonly wanted: string
  readonly fullHost: string
  readonly addresses: readonly string[]
  readonly afterMs: number | null
}

type InPage = {
  trx: { sign: (transaction: object) => Promise<unknown> }
  setAddress: (address: string) => void
}
type Bound = EventTarget & {
  askTronWallet: (method: string, transaction?: object) => Promise<unknown>
  TronWeb: { TronWeb: new (options: { fullHost: string }) => InPage }
  tron?: unknown
}

/** Runs in the page, where only its argument and the page's globals exist. */
const INJECTED = (told: Told): void => {
  const bound = globalThis as unknown as Bound
  const fail = (code: number, message: string): never => {
    throw Object.assign(new Error(message), { code })
  }
  let { chainId } = told
  const connect = () => {
    const tronWeb = new bound.TronWeb.TronWeb({ fullHost: told.fullHost })
    tronWeb.setAddress(told.addresses[told.changesAccount ? 1 : 0] ?? '')
    tronWeb.trx.sign = async (transaction) => {
      if (told.rejects === 'code') fail(4001, 'User rejected the request.')
      // oxlint-disable-next-line only-throw-error -- TronLink throws this text.
      if (told.rejects === 'text') throw 'Confirmation declined by user'
      return bound.askTronWallet('sign', transaction)
    }
    provider.tronWeb = tronWeb
    return [told.addresses[0]]
  }
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_requestAccounts: connect,
    eth_chainId: () => chainId,
    wallet_switchEthereumChain: () => {
      if (told.stays) fail(4902, 'Unrecognized chain ID')
      chainId = told.wanted
      return null
    },
  }
  const provider = {
    tronWeb: false as InPage | false,
    request: async ({ method }: { method: string }) => {
      await bound.askTronWallet(method)
      return (answers[method] ?? (() => fail(4200, 'Unsupported Method')))()
    },
  }
  if (told.afterMs === null) {
    bound.tron = provider
    return
  }
  const icon = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4='
  const info = { uuid: 'uuid of a TRON wallet', name: 'Tron Wallet', icon, rdns: 'example.tron' }
  const announce = () =>
    bound.dispatchEvent(new CustomEvent('TIP6963:announceProvider', { detail: { info, provider } }))
  setTimeout(() => {
    announce()
    bound.addEventListener('TIP6963:requestProvider', announce)
  }, told.afterMs)
}
