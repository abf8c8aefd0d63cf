import { type Address, createWalletClient, type Hex, http, publicActions } from 'viem'

import type { Eip1193Wallet } from '../../../api/client/pay-with-swap.ts'
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { type DevnetAccount, toSigner } from '../accounts.ts'

/** Creates a viem wallet for an account on a local chain. */
export function createWallet(
  { chainId, rpcUrl }: { readonly chainId: number; readonly rpcUrl: string },
  account: DevnetAccount,
) {
  const { chain } = createChainClient({ chainId, rpcUrls: [rpcUrl] })
  return createWalletClient({ account: toSigner(account), chain, transport: http(rpcUrl) }).extend(
    publicActions,
  )
}

/** Wraps a viem wallet, which signs with its own key, in the interface of a browser wallet. */
export function asEip1193(wallet: ReturnType<typeof createWallet>): Eip1193Wallet {
  return {
    request: async ({ method, params }) => {
      const [first, second] = (params ?? []) as [never, string]
      if (method === 'eth_signTypedData_v4') return wallet.signTypedData(JSON.parse(second))
      if (method !== 'eth_sendTransaction') return wallet.request({ method, params } as never)
      const { to, data, value = '0x0', gas } = first as { to: Address; data: Hex; value?: Hex; gas?: Hex }
      const limit = gas === undefined ? {} : { gas: BigInt(gas) }
      return wallet.sendTransaction({ to, data, value: BigInt(value), ...limit })
    },
  }
}
