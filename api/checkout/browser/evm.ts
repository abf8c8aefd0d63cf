import { ask, send, switchChain } from './ask-wallet.ts'
import type { Way } from './way.ts'

/** How wallets of EVM chains send: by a call that the service has prepared (EIP-1193). */
export const EVM: Way = {
  reach: switchChain,
  prepare: (provider, { from, payment }) => {
    const { transfer, network } = payment
    if (transfer === null) throw new Error(`the service has prepared no call for ${network}`)
    return Promise.resolve(() => send(provider, { from, payment }, transfer))
  },
  hasReverted: async (provider, txHash) => {
    const receipt = await ask(provider, 'eth_getTransactionReceipt', [txHash]).catch(() => null)
    return typeof receipt === 'object' && receipt !== null && Reflect.get(receipt, 'status') === '0x0'
  },
}
