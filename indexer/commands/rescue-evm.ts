import { createWalletClient, custom, type PrivateKeyAccount } from 'viem'
import { erc20Abi } from '../../shared/chain/abi/erc20.ts'
import { createChainClient } from '../../shared/chain/client.ts'
import { deployFactory } from '../../shared/chain/deploy-factory.ts'
import { waitForReceipt } from '../../shared/chain/wait-for-receipt.ts'
import type { Address } from '../../shared/domain/address.ts'
import { NATIVE_COIN } from '../../shared/domain/distribution-call.ts'
import type { Rescuer } from './rescuer.ts'

/** Two blocks of the slowest network and room for a busy one. */
const RECEIPT_TIMEOUT_MS = 120_000

/** Of the native coin of every EVM network. */
const NATIVE_DECIMALS = 18

/** Makes what a rescue needs of an EVM chain; it makes no request yet. */
export function rescueEvm(
  place: { readonly chainId: number; readonly rpcUrls: readonly string[] },
  account: PrivateKeyAccount,
): Rescuer {
  const client = createChainClient(place)
  return {
    account: account.address.toLowerCase() as Address,
    balanceOf: ({ token, account: holder }) =>
      token === NATIVE_COIN
        ? client.getBalance({ address: holder })
        : client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [holder] }),
    decimalsOf: async (token) =>
      token === NATIVE_COIN
        ? NATIVE_DECIMALS
        : client.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' }),
    deployFactory: () => deployFactory(client, account),
    send: async ({ to, data }) => {
      const wallet = createWalletClient({ account, chain: client.chain, transport: custom(client) })
      // Estimating the gas simulates it: what would revert is not sent.
      const txHash = await wallet.sendTransaction({ to, data })
      const { status } = await waitForReceipt(client, txHash, { timeoutMs: RECEIPT_TIMEOUT_MS })
      return { txHash, isSuccess: status === 'success' }
    },
  }
}
