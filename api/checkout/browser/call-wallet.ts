import type { PagePayment } from '../page-data.ts'
import type { Provider } from './wallet-adapter.ts'
import { WalletError } from './wallet-error.ts'

/** The account that sends a payment, and the payment's chain. */
export type Sender = {
  readonly from: string
  readonly payment: Pick<PagePayment, 'chainId' | 'chain' | 'network'>
}

/** The transaction that an EVM wallet sends. Amounts are hexadecimal quantities. */
export type Transaction = { readonly to: string; readonly data: string; readonly value?: string }

/** Returns the account that the payer shares with this page. */
export async function connect(provider: Provider): Promise<string> {
  const accounts = (await callWallet(provider, 'eth_requestAccounts')) as readonly string[]
  const [account] = accounts
  if (account === undefined) throw new WalletError('script.rejected')
  return account
}

/**
 * Switches the wallet to a chain. Adds the chain first if the wallet lacks it.
 *
 * @throws {WalletError} if the wallet is on another chain afterwards, regardless of the wallet's response, because
 * money sent on another chain would be lost
 */
export async function switchChain(
  provider: Provider,
  { chainId, chain }: Pick<PagePayment, 'chainId' | 'chain'>,
  network: string,
): Promise<void> {
  const chainIdHex = toQuantity(chainId)
  const isOnChain = async () => Number(await callWallet(provider, 'eth_chainId')) === chainId
  if (await isOnChain()) return
  const switchTo = () => callWallet(provider, 'wallet_switchEthereumChain', [{ chainId: chainIdHex }])
  try {
    await switchTo()
  } catch (error) {
    if (getErrorCode(error) !== UNKNOWN_CHAIN || chain === null) throw toWalletError(error, { network })
    const { name: chainName, rpcUrls, explorer, nativeCurrency } = chain
    const added = {
      ...{ chainId: chainIdHex, chainName, rpcUrls, blockExplorerUrls: [explorer] },
      nativeCurrency: { ...nativeCurrency, name: nativeCurrency.symbol },
    }
    await callWallet(provider, 'wallet_addEthereumChain', [added])
    if (!(await isOnChain())) await switchTo()
  }
  if (!(await isOnChain())) throw new WalletError('script.noNetwork', { network })
}

/**
 * Sends a transaction through an EVM wallet and returns the transaction's hash.
 *
 * @throws {WalletError} if the payer has changed the wallet's account or chain since the connection: money sent on
 * another chain would be lost
 */
export async function send(
  provider: Provider,
  { from, payment: { chainId, chain, network } }: Sender,
  transaction: Transaction,
): Promise<string> {
  const accounts = (await callWallet(provider, 'eth_accounts')) as readonly string[]
  if (accounts[0]?.toLowerCase() !== from.toLowerCase()) throw new WalletError('script.changed')
  if (Number(await callWallet(provider, 'eth_chainId')) !== chainId)
    throw new WalletError('script.noNetwork', { network: chain?.name ?? network })
  const params = [{ from, chainId: toQuantity(chainId), ...transaction }]
  try {
    return String(await provider.request({ method: 'eth_sendTransaction', params }))
  } catch (error) {
    const { phrase, values } = toWalletError(error)
    throw new WalletError(phrase, values, !NOTHING_SENT.has(getErrorCode(error)))
  }
}

function toQuantity(value: number): string {
  return `0x${value.toString(16)}`
}

/**
 * Sends a request to a wallet and converts an error into a `WalletError`, except the error of a wallet that cannot
 * switch to a chain.
 */
export async function callWallet(
  provider: Provider,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    if (method === 'wallet_switchEthereumChain' && isUnable(error)) throw error
    throw toWalletError(error)
  }
}

/**
 * Error code of `wallet_switchEthereumChain` for a chain that the wallet lacks. See
 * https://eips.ethereum.org/EIPS/eip-3326, MetaMask's documentation, and TIP-3326.
 */
const UNKNOWN_CHAIN = 4902
/** Error codes of any method (EIP-1193, TIP-1193). */
const UNSUPPORTED = 4200
const REJECTED = 4001
const PENDING = -32002
/**
 * Error codes after which a wallet has certainly sent nothing: the payer rejected the request or has not authorized it
 * (EIP-1193), or the wallet does not support the request or its parameters. After any other error, such as a lost
 * connection to the wallet, the outcome is unknown.
 */
const NOTHING_SENT: ReadonlySet<unknown> = new Set([REJECTED, 4100, UNSUPPORTED, -32601, -32602])

/** Returns whether the wallet lacks the chain, or cannot switch chains on request. */
function isUnable(error: unknown): boolean {
  const code = getErrorCode(error)
  return code === UNKNOWN_CHAIN || code === UNSUPPORTED
}

/**
 * Converts a wallet's error into the text shown to the payer.
 *
 * @param values.network - the network to which the wallet failed to switch
 */
export function toWalletError(error: unknown, values: { readonly network?: string } = {}): WalletError {
  if (error instanceof WalletError) return error
  const code = getErrorCode(error)
  if (code === REJECTED) return new WalletError('script.rejected')
  if (code === PENDING) return new WalletError('script.pending')
  if (isUnable(error) && values.network !== undefined)
    return new WalletError('script.noNetwork', { network: values.network })
  return new WalletError('script.error', { message: getErrorMessage(error) })
}

/** Returns the message of a wallet's error, truncated to fit the page. Some wallets throw a plain string. */
export function getErrorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(getMember(error, 'message') ?? error)
  return message.slice(0, 200)
}

/** Returns the code of a wallet's error, preferably of the original error, which some wallets wrap. */
export function getErrorCode(error: unknown): unknown {
  const inner = getMember(getMember(getMember(error, 'data'), 'originalError'), 'code')
  return inner ?? getMember(error, 'code')
}

function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
