import { getErrorCode, getErrorMessage, switchChain, toWalletError } from './call-wallet.ts'
import type { Provider, Transfer, WalletAdapter } from './wallet-adapter.ts'
import { WalletError } from './wallet-error.ts'

/** The part of tronweb that is used here. TRON wallets provide tronweb to the page. */
type TronWeb = {
  readonly defaultAddress: { readonly base58: string | false }
  readonly transactionBuilder: {
    readonly triggerSmartContract: (
      contract: string,
      method: string,
      // In the order of tronweb: the fee limit and call value, the arguments, and the sender.
      ...rest: readonly [object, readonly object[], string]
    ) => Promise<{ readonly transaction: object }>
  }
  readonly trx: {
    readonly sign: (transaction: object) => Promise<{ readonly txID: string }>
    readonly sendRawTransaction: (
      signed: object,
    ) => Promise<{ readonly result?: boolean; readonly code?: string }>
    readonly getTransactionInfo: (txId: string) => Promise<{ readonly result?: string }>
  }
}

/**
 * Maximum fee of a transfer in sun: 100 TRX, as wallets propose. A transfer costs 13 TRX if the address has never held
 * the token (September 2026), and more while energy for the token is expensive. The unused part is not charged.
 */
const FEE_LIMIT_SUN = 100_000_000

const HASH = /^[0-9a-f]{64}$/

/**
 * Sends payments through TRON wallets: the wallet's tronweb builds the transfer, requests the signature and sends the
 * transfer to its node (TIP-1193).
 *
 * The hash is available once the transfer is signed. A failure before that means that nothing was sent. If the node
 * does not respond afterwards, the transfer counts as sent, because a second payment must not be requested while the
 * first might be in flight.
 */
export const TRON: WalletAdapter = {
  // TRON wallets offer no method to add a chain.
  reach: (provider, payment, network) => switchChain(provider, { ...payment, chain: null }, network),
  prepare: async (provider, { from, to, payment }) => {
    const tronWeb = findTronWeb(provider)
    if (tronWeb?.defaultAddress.base58 !== from) throw new WalletError('script.changed')
    const signed = await sign(tronWeb, { from, to, payment })
    return () => broadcast(tronWeb, signed)
  },
  hasReverted: async (provider, txHash) => {
    // The node returns data only for solidified blocks, so this failure is final.
    const info = await findTronWeb(provider)
      ?.trx.getTransactionInfo(txHash)
      .catch(() => null)
    return info?.result === 'FAILED'
  },
}

async function sign(
  { transactionBuilder, trx }: TronWeb,
  { from, to, payment }: Transfer,
): Promise<{ readonly txID: string }> {
  const inputs = [
    { type: 'address', value: to },
    { type: 'uint256', value: payment.amountAtomic },
  ]
  const limits = { feeLimit: FEE_LIMIT_SUN, callValue: 0 }
  try {
    const { transaction } = await transactionBuilder.triggerSmartContract(
      ...([payment.tokenAddress, 'transfer(address,uint256)', limits, inputs, from] as const),
    )
    const signed = await trx.sign(transaction)
    if (HASH.test(signed.txID)) return signed
    throw new Error(`the signed transaction has an invalid hash: ${signed.txID}`)
  } catch (error) {
    // Wallets report a declined signature with differing texts and without a code.
    if (getErrorCode(error) !== undefined) throw toWalletError(error)
    throw new WalletError('script.unsigned', { message: getErrorMessage(error) })
  }
}

async function broadcast({ trx }: TronWeb, signed: { readonly txID: string }): Promise<string> {
  const { result, code = '' } = await trx.sendRawTransaction(signed).catch(() => ({ result: true, code: '' }))
  // The response of a node that already has the transaction.
  if (result === true || code === 'DUP_TRANSACTION_ERROR') return signed.txID
  throw new WalletError('script.error', { message: code })
}

/**
 * Returns the wallet's tronweb; `null` if the payer has not allowed access, because then the wallet provides `false`.
 */
function findTronWeb({ tronWeb }: Provider): TronWeb | null {
  return typeof tronWeb === 'object' && tronWeb !== null ? (tronWeb as TronWeb) : null
}
