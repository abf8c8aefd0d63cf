import type { Page } from 'playwright-core'
import { requestRpc } from './request-rpc.ts'

/** Sends a JSON-RPC request to a chain. Transactions can be from any account. */
export type AskChain = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Returns a function that sends requests to an anvil node, which impersonates the sender of each transaction. */
export function chainAt(url: string): AskChain {
  return async (method, params) => {
    const from = method === 'eth_sendTransaction' && Reflect.get(params[0] as object, 'from')
    if (from) await requestRpc(url, 'anvil_impersonateAccount', [from])
    return requestRpc(url, method, params)
  }
}

/** Behaviour of a wallet that a test installs in a browser. */
export type WalletWays = {
  readonly name?: string
  /** All chains that the wallet can use, by id. */
  readonly chains: Readonly<Record<number, AskChain>>
  /** Id of the initial chain. */
  readonly chainId: number
  readonly accounts: readonly string[]
  /** The wallet connects only after this promise resolves. */
  readonly connectsAfter?: Promise<void>
  /** Resolves when the payer has confirmed a transaction. By default the payer confirms immediately. */
  readonly confirms?: () => Promise<void>
  /** Whether the payer rejects every transaction. */
  readonly rejects?: boolean
  /** Whether the wallet reports success for a switch of chains but stays on its chain. */
  readonly staysPut?: boolean
  /** Chains to which the wallet cannot switch until the page adds them. */
  readonly lacks?: readonly number[]
  /** Delay before the wallet announces itself. If `null`, it is only available as `window.ethereum`. */
  readonly announcesAfterMs?: number | null
  /** Whether the wallet switches to its second account after the page has connected. */
  readonly changesAccount?: boolean
  /** Chain to which the wallet switches after the page has read the chain id. */
  readonly strays?: number
  /** Error returned for every transaction. The error must leave open whether the transaction was sent. */
  readonly fails?: { readonly code: number; readonly message: string }
}

/** Methods requested from the wallet, such as `eth_sendTransaction`. */
export type FakeWallet = { readonly asked: readonly string[] }

/** Installs a wallet that implements EIP-6963 in a page, before the page is opened. */
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
    ways.chains[chainId]?.(method, params) ?? fail(-32000, `unknown chain ${chainId}`)

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
      await ways.confirms?.()
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
  // The text includes a stub of `__name`, which tsx calls around every compiled function and which pages do not define.
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

/** Runs in the page, where only its argument and the page's globals exist. */
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
