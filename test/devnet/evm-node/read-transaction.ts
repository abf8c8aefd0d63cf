import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'

import type { SignedTransaction } from './block.ts'
import { RpcError } from './rpc-error.ts'

/**
 * Decodes a signed transaction and recovers its signer.
 *
 * @throws {RpcError} for another chain's transactions, and for transactions with blobs or EIP-7702 authorizations
 */
export async function readTransaction(raw: Hex, chainId: number): Promise<SignedTransaction> {
  const parsed = parseTransaction(raw)
  const { type } = parsed
  if (type !== 'legacy' && type !== 'eip2930' && type !== 'eip1559')
    throw new RpcError({ code: -32000, message: `transaction type not supported: ${type}` })
  if (parsed.chainId !== undefined && parsed.chainId !== chainId)
    throw new RpcError({ code: -32000, message: `invalid chain id: have ${parsed.chainId}, want ${chainId}` })
  const gasPriceWei = parsed.gasPrice ?? 0n
  return {
    hash: keccak256(raw),
    from: lower(await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })),
    to: typeof parsed.to === 'string' ? lower(parsed.to) : null,
    nonce: BigInt(parsed.nonce ?? 0),
    valueWei: parsed.value ?? 0n,
    data: parsed.data ?? '0x',
    gasLimit: parsed.gas ?? 0n,
    maxFeePerGasWei: parsed.maxFeePerGas ?? gasPriceWei,
    maxTipPerGasWei: type === 'eip1559' ? (parsed.maxPriorityFeePerGas ?? 0n) : gasPriceWei,
    accessList: parsed.accessList ?? [],
    type,
    signature: { r: parsed.r ?? '0x0', s: parsed.s ?? '0x0', yParity: parsed.yParity ?? 0 },
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
