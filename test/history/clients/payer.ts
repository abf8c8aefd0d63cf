import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import type { Pair } from '../../../shared/domain/networks.ts'
import type { Devnet } from '../../devnet/devnet.ts'
import { findToken } from '../../devnet/send-tokens.ts'

export type Payment = { readonly to: Address; readonly pair: Pair; readonly amountMicro: bigint }

/** Sends a payment without waiting for its block, which a reorganization may remove. The node assigns the nonce. */
export async function pay({ description }: Devnet, { to, pair, amountMicro }: Payment): Promise<void> {
  const { client, token } = findToken(description, pair)
  const units = amountMicro * 10n ** BigInt(token.decimals - 6)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] })
  const transaction = { from: description.accounts.payer.address, to: token.address, data }
  await client.request({ method: 'eth_sendTransaction', params: [transaction] } as never)
}
