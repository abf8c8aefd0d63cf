import { numberToHex } from 'viem'
import type { Hex } from '../../../shared/domain/address.ts'
import type { Block, ModelLog, Receipt } from './chain.ts'

/** Formats a block with these transactions as a node returns it; `null` if there is no block. */
export function presentBlock(block: Block | null, transactions: readonly Hex[]): object | null {
  if (block === null) return null
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parent?.hash ?? `0x${'0'.repeat(64)}`,
    timestamp: numberToHex(block.timestamp),
    baseFeePerGas: '0x5f5e100',
    transactions,
  }
}

type Place = { readonly block: Block; readonly hash: Hex }

export function presentLog({ address, topics, data, logIndex }: ModelLog, { block, hash }: Place): object {
  return {
    ...{
      address,
      topics,
      data,
      logIndex: numberToHex(logIndex),
      transactionHash: hash,
      transactionIndex: '0x0',
    },
    ...{ blockNumber: numberToHex(block.number), blockHash: block.hash, removed: false },
  }
}

export function presentReceipt({ transaction, isSuccess, logs }: Receipt, block: Block): object {
  const { hash, from } = transaction
  return {
    ...{ transactionHash: hash, from, to: null, status: isSuccess ? '0x1' : '0x0', transactionIndex: '0x0' },
    ...{ blockNumber: numberToHex(block.number), blockHash: block.hash, type: '0x2' },
    ...{ gasUsed: '0x1', cumulativeGasUsed: '0x1', effectiveGasPrice: '0x1', contractAddress: null },
    logs: logs.map((log) => presentLog(log, { block, hash })),
  }
}

/** Formats a transaction as a node returns a pending one, even if a block contains it. */
export function presentTransaction(hash: Hex): object {
  return {
    hash,
    type: '0x2',
    nonce: '0x0',
    gas: '0x1',
    value: '0x0',
    blockNumber: null,
    blockHash: null,
    input: '0x',
  }
}
