import { keccak256, type LocalAccount } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import type { ChainClient } from './client.ts'

/** A call that transfers no native coin, with all limits on its cost. */
export type BoundedCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  /** Nonce of the transaction; by default the next nonce that the node reports. */
  readonly nonce?: number
}

/**
 * Signs a call on the client's chain, and broadcasts it. Returns its hash.
 *
 * The only value that a node can choose is the default nonce. If one of chain id, gas and fees is missing, viem's
 * `sendTransaction` takes all of them from the node's `eth_fillTransaction`. In this way a node could obtain a
 * transaction for another chain that spends all of the account's coins there on the tip.
 *
 * @throws {BaseError} from viem if no node accepts the transaction
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
