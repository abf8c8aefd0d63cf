import type { Page } from 'playwright-core'
import { requestRpc } from './request-rpc.ts'

/** Queries a chain; sends for any account. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<unknown>

/** A node of the devnet, which sends for an account without its key. */
export function chainAt(url: string): AskChain {
  return async (method, params) => {
    const from = method === 'eth_sendTransaction' && Reflect.get(params[0] as object, 'from')
    if (from) await requestRpc(url, 'anvil_impersonateAccount', [from])
    return requestRpc(url, method, params)
  }
}

/** How a wallet that a test puts into a browser behaves. */
export type WalletWays = {
  readonly name?: string
  /** URLs by chain id; the wallet knows only these chains. */
  readonly chains: Readonly<Record<number, AskChain>>
  /** Where it is at first. */
  readonly chainId: number
  readonly accounts: readonly string[]
  /** It names its account only after this. */
  readonly connectsAfter?: Promise<void>
  /** Declines every transaction. */
  readonly rejects?: boolean
  /** Reports a switch, but stays on its chain. */
  readonly staysPut?: boolean
  /** Chains that it does not know until they are added. */
  readonly lacks?: readonly number[]
  /** Announces itself this late, or never with `null`, and is available as `window.ethereum`. */
  readonly announcesAfterMs?: number | null
  /** Once connected, it goes to its next account by itself. */
  readonly changesAccount?: boolean
  /** Once it was found to be where it should, it goes to this chain by itself. */
  readonly strays?: number
  /** Reports this for every transaction; whether it was sent stays unknown. */
  readonly fails?: { readonly code: number; readonly message: string }
}

/** Requests that the wallet received, such as `eth_sendTransaction`. */
export type FakeWallet = { readonly asked: readonly string[] }

/**
 * Installs a wallet in a page before it is opened: EIP-6963 in front, and behind it the chains of the test.
 */
export async function injectWallet(page: Page, ways: WalletWays): Promise<FakeWallet> {
  const asked: string[] = []
  const known = new Set(
    Object.keys(ways.chains)
      .map(Number)
      .filter((id) => !ways.lacks?.includes(id)),
  )
  let chainId = ways.chainId
  let account = 0
  const askChain: AskChain = async (method, params) =>
    ways.chains[chainId]?.(method, params) ?? fail(-32000, `there is no chain ${chainId}`)

  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_requestAccounts: async () => {
      await ways.connectsAfter
      const answer = [ways.accounts[account]]
      if (ways.changesAccount) account = 1
      return answer
    },
    eth_accounts: () => [ways.accounts[account]],
    eth_chainId: () => {
      const answer = `0x${chainId.toString(16)}`
      chainId = ways.strays ?? chainId
      return answer
    },
    wallet_switchEthereumChain: ([wanted]) => {
      const id = Number(Reflect.get(wanted as object, 'chainId'))
      if (!known.has(id)) return fail(4902, 'Unrecognized chain ID')
      if (!ways.staysPut) chainId = id
      return null
    },
    wallet_addEthereumChain: ([wanted]) => {
      known.add(Number(Reflect.get(wanted as object, 'chainId')))
      return null
    },
    eth_sendTransaction: async ([transaction]) => {
      if (ways.rejects) return fail(4001, 'User rejected the request.')
      if (ways.fails) return fail(ways.fails.code, ways.fails.message)
      return askChain('eth_sendTransaction', [transaction])
    },
  }

  await page.exposeFunction('askFakeWallet', async (method: string, params: readonly unknown[]) => {
    asked.push(method)
    const answer = answers[method]
    try {
      return { result: await (answer ? answer(params) : askChain(method, params)) }
    } catch (error) {
      return { error: { code: Reflect.get(error as object, 'code') ?? -32000, message: String(error) } }
    }
  })
  const told = {
    name: ways.name ?? 'Test Wallet',
    afterMs: ways.announcesAfterMs === undefined ? 0 : ways.announcesAfterMs,
  }
  // As text, because the test runner wraps every function in a call of its own, which no page defines.
  const content = `(() => { const __name = (made) => made; (${INJECTED.toString()})(${JSON.stringify(told)}) })()`
  await page.addInitScript({ content })
  return { asked }
}

function fail(code: number, message: string): never {
  throw Object.assign(new Error(message), { code })
}

type Bound = {
  askFakeWallet: (method: string, params: readonly unknown[]) => Promise<Answer>
  ethereum?: unknown
}
type Answer = {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Runs in the page, by itself. */
const INJECTED = ({ name, afterMs }: { name: string; afterMs: number | null }): void => {
  const bound = globalThis as unknown as Bound & EventTarget
  const provider = {
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      const { result, error } = await bound.askFakeWallet(method, params)
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
  }
  if (afterMs === null) {
    bound.ethereum = provider
    return
  }
  const icon = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4='
  const info = { uuid: `uuid of ${name}`, name, icon, rdns: 'example.wallet' }
  const announce = () =>
    bound.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  setTimeout(() => {
    announce()
    bound.addEventListener('eip6963:requestProvider', announce)
  }, afterMs)
}
