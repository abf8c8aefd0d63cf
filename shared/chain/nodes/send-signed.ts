import { keccak256, type LocalAccount } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import type { ChainClient } from './client.ts'

/** A call that transfers no coin, with all limits of its cost. */
export type BoundedCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  /** By default the next nonce that the node reports. */
  readonly nonce?: number
}

/**
 * Signs a call on the client's chain, and broadcasts it. Returns its hash.
 *
 * The only value that a node can choose is the default nonce. viem's `sendTransaction` also takes the chain id, the gas
 * and the fees of the node's `eth_fillTransaction` as soon as one of them is missing: the node could obtain a
 * transaction for another chain that spends all of the account's coins there on the tip.
 *
 * @throws {BaseError} viem's, if no node accepts the transaction
 */
export async function sendSigned(
  client: ChainClient,
  account: LocalAccount,
  { to, data, gas, fees, nonce }: BoundedCall,
): Promise<Hex> {
  const serializedTransaction = await account.signTransaction({
    ...({ type: 'eip1559', chainId: client.chain.id, to, data, gas, value: 0n } as const),
    ...{ maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas },
    nonce: nonce ?? (await client.getTransactionCount({ address: account.address, blockTag: 'pending' })),
  })
  await client.sendRawTransaction({ serializedTransaction })
  return keccak256(serializedTransaction)
}
