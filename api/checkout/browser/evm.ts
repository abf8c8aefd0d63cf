import { callWallet, send, switchChain } from './call-wallet.ts'
import type { WalletAdapter } from './wallet-adapter.ts'

/** Sends payments through EVM wallets (EIP-1193), using the call that the service prepared. */
export const EVM: WalletAdapter = {
  reach: switchChain,
  prepare: (provider, { from, payment }) => {
    const { transfer, network } = payment
    if (transfer === null) throw new Error(`the service returned no prepared call for ${network}`)
    return Promise.resolve(() => send(provider, { from, payment }, transfer))
  },
  hasReverted: async (provider, txHash) => {
    const receipt = await callWallet(provider, 'eth_getTransactionReceipt', [txHash]).catch(() => null)
    return typeof receipt === 'object' && receipt !== null && Reflect.get(receipt, 'status') === '0x0'
  },
}
