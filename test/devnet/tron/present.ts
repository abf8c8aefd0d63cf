import { type Hex, numberToHex } from 'viem'

import { presentLogs } from '../evm-node/present.ts'
import { SUN_PER_ENERGY } from './run-tron.ts'
import type { FoundTron, TronBlock } from './tron-block.ts'
import type { TronChain } from './tron-chain.ts'

/** TRON's bloom filter, which is empty for every block. */
const NO_BLOOM: Hex = `0x${'00'.repeat(256)}`
const ZERO: Hex = `0x${'0'.repeat(64)}`

/** Returns a block in the format of `/jsonrpc`. Source: java-tron, BlockResult.java, November 2026. */
export function presentBlock(
  chain: TronChain,
  { block, isFull }: { block: TronBlock; isFull: boolean },
): object {
  const { transactions } = block
  return {
    ...{ number: numberToHex(block.number), hash: block.hash, parentHash: block.parentHash },
    ...{ timestamp: numberToHex(block.timestamp), logsBloom: NO_BLOOM, stateRoot: '0x' },
    ...{ transactionsRoot: ZERO, receiptsRoot: ZERO, sha3Uncles: ZERO, uncles: [], extraData: '0x' },
    ...{ miner: `0x${'a1'.repeat(20)}`, size: '0x0', difficulty: '0x0', totalDifficulty: '0x0' },
    ...{ gasLimit: '0x0', baseFeePerGas: '0x0', mixHash: ZERO },
    gasUsed: numberToHex(transactions.reduce((sum, { energyUsed }) => sum + energyUsed, 0n)),
    nonce: chain.habits.hasNullFields ? null : '0x0000000000000000',
    transactions: isFull
      ? transactions.map((transaction, index) => presentTransaction(chain, { block, index, transaction }))
      : transactions.map(({ hash }) => hash),
  }
}

/**
 * Returns a transaction in the format of `/jsonrpc`. TRON has no nonces, so the nonce is zero. Older versions return
 * null for the nonce, the signature and the value.
 */
export function presentTransaction({ habits }: TronChain, found: FoundTron): object {
  const { contract, hash, signature } = found.transaction
  const sent = contract.type === 'TransferContract' ? contract.amountSun : contract.callValueSun
  const nulls = { nonce: null, v: null, r: null, s: null, value: null }
  return {
    ...placeOf(found),
    ...{ hash, from: contract.owner, to: toOf(found), value: numberToHex(sent) },
    ...{ gas: numberToHex(found.transaction.energyUsed), gasPrice: numberToHex(SUN_PER_ENERGY), type: '0x0' },
    input: contract.type === 'TriggerSmartContract' ? contract.data : '0x',
    ...{ nonce: '0x0', v: `0x${signature.slice(130, 132)}` },
    ...{ r: signature.slice(0, 66), s: `0x${signature.slice(66, 130)}` },
    ...(habits.hasNullFields && nulls),
  }
}

/** Returns a receipt in the format of `/jsonrpc`. */
export function presentReceipt(found: FoundTron): object {
  const { block, index, transaction } = found
  const upToHere = block.transactions.slice(0, index + 1)
  return {
    ...placeOf(found),
    ...{ transactionHash: transaction.hash, from: transaction.contract.owner, to: toOf(found) },
    contractAddress: transaction.contractAddress,
    status: transaction.result === 'SUCCESS' ? '0x1' : '0x0',
    type: '0x0',
    gasUsed: numberToHex(transaction.energyUsed),
    cumulativeGasUsed: numberToHex(upToHere.reduce((sum, { energyUsed }) => sum + energyUsed, 0n)),
    effectiveGasPrice: numberToHex(SUN_PER_ENERGY),
    logsBloom: NO_BLOOM,
    logs: presentLogs(found),
  }
}

function toOf({ transaction: { contract } }: FoundTron): Hex | null {
  return contract.type === 'CreateSmartContract' ? null : contract.to
}

function placeOf({ block, index }: FoundTron) {
  return {
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    transactionIndex: numberToHex(index),
  }
}
