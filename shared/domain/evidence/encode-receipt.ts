import { concatHex, toRlp } from 'viem'
import type { Hex } from '../address.ts'

/** The fields of a receipt in a node's response to which the block's `receiptsRoot` commits. */
export type RpcReceipt = {
  readonly type?: Hex
  readonly status: Hex
  readonly cumulativeGasUsed: Hex
  readonly logsBloom: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
  /** Present only in deposits on the OP stack, as is `depositReceiptVersion`. */
  readonly depositNonce?: Hex | null
  readonly depositReceiptVersion?: Hex | null
}

/**
 * Type of a deposit on the OP stack.
 *
 * @see https://specs.optimism.io/protocol/deposits.html
 */
const DEPOSIT = 0x7e

/**
 * Encodes a receipt as its block's receipts trie contains it (EIP-658, EIP-2718).
 *
 * An unknown type is encoded like types 1, 2 and 4. If the chain encodes it differently, the root of the trie differs
 * from the header's `receiptsRoot`, and no proof is created.
 */
export function encodeReceipt(receipt: RpcReceipt): Hex {
  const { status, cumulativeGasUsed, logsBloom, logs } = receipt
  const type = Number(receipt.type ?? 0)
  const payload = toRlp([
    encodeNumber(status),
    encodeNumber(cumulativeGasUsed),
    logsBloom,
    logs.map(({ address, topics, data }) => [address, [...topics], data]),
    ...(type === DEPOSIT ? listDepositFields(receipt) : []),
  ])
  return type === 0 ? payload : concatHex([`0x${type.toString(16).padStart(2, '0')}`, payload])
}

/** Encodes a number for RLP: without leading zeros, and zero as no bytes. */
export function encodeNumber(value: Hex): Hex {
  const digits = BigInt(value).toString(16)
  return digits === '0' ? '0x' : `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

/**
 * Returns the additional fields of a deposit's receipt. Before the OP stack's upgrade Canyon, nodes stored a deposit's
 * nonce, but the receipts root did not commit to it.
 */
function listDepositFields({ depositNonce, depositReceiptVersion }: RpcReceipt): readonly Hex[] {
  if (!depositNonce || !depositReceiptVersion) return []
  return [encodeNumber(depositNonce), encodeNumber(depositReceiptVersion)]
}
