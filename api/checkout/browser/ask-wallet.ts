import type { PagePayment, ScriptPhrase } from '../page-data.ts'
import type { Provider } from './way.ts'

/** Who sends, and on which chain. */
export type Sender = {
  readonly from: string
  readonly payment: Pick<PagePayment, 'chainId' | 'chain' | 'network'>
}

/** What a wallet of an EVM chain sends; amounts as hexadecimal quantities. */
export type Transaction = { readonly to: string; readonly data: string; readonly value?: string }

/** Something that did not go, in the payer's words. */
export class Refusal extends Error {
  readonly phrase: ScriptPhrase
  readonly values: Readonly<Record<string, string>>
  /** Whether the wallet may have sent it all the same: nobody is to be asked for it again then. */
  readonly mayBeSent: boolean

  constructor(phrase: ScriptPhrase, values: Readonly<Record<string, string>> = {}, mayBeSent = false) {
    super(phrase)
    this.phrase = phrase
    this.values = values
    this.mayBeSent = mayBeSent
  }
}

/** Answers the account that the payer lets this page know. */
export async function connect(provider: Provider): Promise<string> {
  const accounts = (await ask(provider, 'eth_requestAccounts')) as readonly string[]
  const [account] = accounts
  if (account === undefined) throw new Refusal('script.rejected')
  return account
}

/**
 * Has the wallet go to a chain, and know it first if it does not.
 *
 * @throws {Refusal} if it is elsewhere afterwards, whatever it answered: money sent there would be lost
 */
export async function switchChain(
  provider: Provider,
  { chainId, chain }: Pick<PagePayment, 'chainId' | 'chain'>,
  network: string,
): Promise<void> {
  const wanted = quantity(chainId)
  const isThere = async () => Number(await ask(provider, 'eth_chainId')) === chainId
  if (await isThere()) return
  const change = () => ask(provider, 'wallet_switchEthereumChain', [{ chainId: wanted }])
  try {
    await change()
  } catch (error) {
    if (codeOf(error) !== UNKNOWN_CHAIN || chain === null) throw refusalOf(error, { network })
    const { name: chainName, rpcUrls, explorer, nativeCurrency } = chain
    const added = {
      ...{ chainId: wanted, chainName, rpcUrls, blockExplorerUrls: [explorer] },
      nativeCurrency: { ...nativeCurrency, name: nativeCurrency.symbol },
    }
    await ask(provider, 'wallet_addEthereumChain', [added])
    if (!(await isThere())) await change()
  }
  if (!(await isThere())) throw new Refusal('script.noNetwork', { network })
}

/**
 * Has a wallet of an EVM chain send, and answers the hash; the account that was asked for is the one that sends, on the
 * chain that was asked for: since then the payer may have changed either, and money sent elsewhere would be lost.
 */
export async function send(
  provider: Provider,
  { from, payment: { chainId, chain, network } }: Sender,
  transaction: Transaction,
): Promise<string> {
  const accounts = (await ask(provider, 'eth_accounts')) as readonly string[]
  if (accounts[0]?.toLowerCase() !== from.toLowerCase()) throw new Refusal('script.changed')
  if (Number(await ask(provider, 'eth_chainId')) !== chainId)
    throw new Refusal('script.noNetwork', { network: chain?.name ?? network })
  const params = [{ from, chainId: quantity(chainId), ...transaction }]
  try {
    return String(await provider.request({ method: 'eth_sendTransaction', params }))
  } catch (error) {
    const { phrase, values } = refusalOf(error)
    throw new Refusal(phrase, values, !NOTHING_SENT.has(codeOf(error)))
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}

/** Asks a wallet; whatever it says no with becomes a `Refusal`, but that it cannot go to a chain. */
export async function ask(
  provider: Provider,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    if (method === 'wallet_switchEthereumChain' && isUnable(error)) throw error
    throw refusalOf(error)
  }
}

/** Of `wallet_switchEthereumChain`. See https://eips.ethereum.org/EIPS/eip-3326, MetaMask's documents, and TIP-3326. */
const UNKNOWN_CHAIN = 4902
/** Of any method (EIP-1193, TIP-1193). */
const UNSUPPORTED = 4200
const REJECTED = 4001
const PENDING = -32002
/**
 * After these a wallet has certainly sent nothing: its user declined or never allowed it (EIP-1193), or it does not take
 * what it was asked. Of any other word, such as that its own link broke, nobody knows.
 */
const NOTHING_SENT: ReadonlySet<unknown> = new Set([REJECTED, 4100, UNSUPPORTED, -32601, -32602])

/** It would stay where it is, and the payer can go there himself. */
function isUnable(error: unknown): boolean {
  const code = codeOf(error)
  return code === UNKNOWN_CHAIN || code === UNSUPPORTED
}

/** What a wallet said no with, in the payer's words; with a network: to going there. */
export function refusalOf(error: unknown, values: { readonly network?: string } = {}): Refusal {
  if (error instanceof Refusal) return error
  const code = codeOf(error)
  if (code === REJECTED) return new Refusal('script.rejected')
  if (code === PENDING) return new Refusal('script.pending')
  if (isUnable(error) && values.network !== undefined)
    return new Refusal('script.noNetwork', { network: values.network })
  return new Refusal('script.error', { message: messageOf(error) })
}

/** Answers what a wallet says of an error, as far as a page has room for it; some say a text and nothing else. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(memberOf(error, 'message') ?? error)
  return message.slice(0, 200)
}

/** Answers the code of an error; some wallets put what they mean within what they say. */
export function codeOf(error: unknown): unknown {
  const inner = memberOf(memberOf(memberOf(error, 'data'), 'originalError'), 'code')
  return inner ?? memberOf(error, 'code')
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
