import type { PagePayment } from '../page-data.ts'
import { callWallet, getErrorCode, getErrorMessage, toWalletError } from './call-wallet.ts'
import type { Provider } from './wallet-adapter.ts'
import { WalletError } from './wallet-error.ts'

/**
 * Requests a signature of EIP-712 data by the given account. The wallet must already be on the given chain, because
 * some wallets sign only for their current chain.
 *
 * @throws {WalletError} `script.changed` if another account is selected in the wallet, `script.noNetwork` if the wallet
 * is on another chain, otherwise the reason why the wallet did not sign
 */
export async function signTypedData(
  provider: Provider,
  {
    from,
    on,
    typedData,
  }: {
    readonly from: string
    readonly on: Pick<PagePayment, 'chainId' | 'chain' | 'network'>
    readonly typedData: object
  },
): Promise<string> {
  const accounts = (await callWallet(provider, 'eth_accounts')) as readonly string[]
  if (accounts[0]?.toLowerCase() !== from.toLowerCase()) throw new WalletError('script.changed')
  if (Number(await callWallet(provider, 'eth_chainId')) !== on.chainId)
    throw new WalletError('script.noNetwork', { network: on.chain?.name ?? on.network })
  const params = [from, JSON.stringify(typedData)]
  try {
    return String(await provider.request({ method: 'eth_signTypedData_v4', params }))
  } catch (error) {
    const refusal = toWalletError(error)
    // The signature has not left the wallet, so nothing was sent.
    throw refusal.phrase === 'script.error' && getErrorCode(error) !== undefined
      ? new WalletError('script.unsigned', { message: getErrorMessage(error) })
      : refusal
  }
}
