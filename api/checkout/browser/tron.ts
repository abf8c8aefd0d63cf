import { codeOf, messageOf, Refusal, refusalOf, switchChain } from './ask-wallet.ts'
import type { Provider, Transfer, Way } from './way.ts'

/** What of tronweb, which wallets of TRON bring with them, is used here. */
type TronWeb = {
  readonly defaultAddress: { readonly base58: string | false }
  readonly transactionBuilder: {
    readonly triggerSmartContract: (
      contract: string,
      method: string,
      // As tronweb has it: what is to be called, its limits, its arguments, and who calls.
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
 * The most that a transfer may burn, in sun: 100 TRX, which wallets propose too. It takes 13 where the address has never
 * held the token (September 2026), and more while a token's energy is dear; what is not needed is not taken.
 */
const FEE_LIMIT_SUN = 100_000_000

const HASH = /^[0-9a-f]{64}$/

/**
 * How wallets of TRON send: their tronweb makes the transfer, has it signed and gives it to their node (TIP-1193).
 *
 * What is signed has its hash before it is sent. So whatever fails until then has sent nothing, and what fails later may
 * have been sent: that counts as sent, for nobody is to pay twice.
 */
export const TRON: Way = {
  // There is no way to tell a wallet of a chain that it does not know.
  reach: (provider, payment, network) => switchChain(provider, { ...payment, chain: null }, network),
  prepare: async (provider, { from, to, payment }) => {
    const tronWeb = tronWebOf(provider)
    if (tronWeb?.defaultAddress.base58 !== from) throw new Refusal('script.changed')
    const signed = await sign(tronWeb, { from, to, payment })
    return () => give(tronWeb, signed)
  },
  hasReverted: async (provider, txHash) => {
    // Of blocks that are solid alone: what failed in another one may yet succeed.
    const info = await tronWebOf(provider)
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
    throw new Error(`a transaction without a hash: ${signed.txID}`)
  } catch (error) {
    // Wallets say that their user has declined in words of their own, and without a code.
    if (codeOf(error) !== undefined) throw refusalOf(error)
    throw new Refusal('script.unsigned', { message: messageOf(error) })
  }
}

async function give({ trx }: TronWeb, signed: { readonly txID: string }): Promise<string> {
  const { result, code = '' } = await trx.sendRawTransaction(signed).catch(() => ({ result: true, code: '' }))
  // A node that has it already says that with a code.
  if (result === true || code === 'DUP_TRANSACTION_ERROR') return signed.txID
  throw new Refusal('script.error', { message: code })
}

/** Wallets of which nothing was allowed yet have `false` in its place. */
function tronWebOf({ tronWeb }: Provider): TronWeb | null {
  return typeof tronWeb === 'object' && tronWeb !== null ? (tronWeb as TronWeb) : null
}
