import { keccak256, type LocalAccount } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import type { ChainClient } from './client.ts'

/** A call that transfers no native coin, with its gas limit and maximum fees. */
export type BoundedCall = {
  readonly to: Address
  readonly data: Hex
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  /** Nonce of the transaction; by default the next nonce that the node reports. */
  readonly nonce?: number
  /**
   * Called with the hash before the transaction is broadcast. If the broadcast fails, the transaction might be mined
   * nevertheless, because a node's response can be lost.
   */
  readonly onSigned?: (txHash: Hex) => void
}

/**
 * Signs a call for the client's chain, broadcasts the transaction and returns its hash.
 *
 * The node determines nothing except the nonce, and that only if the caller gives none. viem's `sendTransaction` is not
 * safe: if the chain id, the gas or the fees are missing, it takes all of them from the node's `eth_fillTransaction`. A
 * malicious node could then make us sign a transaction for another chain that spends all of the account's coins on that
 * chain as the priority fee.
 *
 * @throws {BaseError} from viem if no node accepts the transaction
 */
export async function sendSigned(
  client: ChainClient,
  account: LocalAccount,
  { to, data, gas, fees, nonce, onSigned }: BoundedCall,
): Promise<Hex> {
  const serializedTransaction = await account.signTransaction({
    ...({ type: 'eip1559', chainId: client.chain.id, to, data, gas, value: 0n } as const),
    ...{ maxFeePerGas: fees.maxFeePerGas, maxPriorityFeePerGas: fees.maxPriorityFeePerGas },
    nonce: nonce ?? (await client.getTransactionCount({ address: account.address, blockTag: 'pending' })),
  })
  const txHash = keccak256(serializedTransaction)
  onSigned?.(txHash)
  await client.sendRawTransaction({ serializedTransaction })
  return txHash
}
