import { numberToHex } from 'viem'

import { COINBASE, type MinedTransaction, NO_UNCLES, type NodeBlock, ZERO_HASH } from './block.ts'
import { buildBloom } from './bloom.ts'
import type { Found } from './chain.ts'

const TYPES = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2' } as const

/** Returns a block in the format of JSON-RPC, with its transactions or their hashes. */
export function presentBlock(block: NodeBlock, withTransactions: boolean): object {
  const { transactions, number, timestamp, gasLimit, gasUsed, baseFeeWei, ...hashes } = block
  return {
    ...hashes,
    number: numberToHex(number),
    timestamp: numberToHex(timestamp),
    gasLimit: numberToHex(gasLimit),
    gasUsed: numberToHex(gasUsed),
    baseFeePerGas: numberToHex(baseFeeWei),
    ...{ miner: COINBASE.toLowerCase(), difficulty: '0x0', totalDifficulty: '0x0', mixHash: ZERO_HASH },
    ...{ nonce: '0x0000000000000000', sha3Uncles: NO_UNCLES, uncles: [], size: '0x0' },
    transactions: withTransactions
      ? transactions.map((transaction, index) => presentTransaction({ block, index, transaction }))
      : transactions.map(({ hash }) => hash),
  }
}

/** Returns a mined transaction in the format of JSON-RPC. */
export function presentTransaction({ block, index, transaction }: Found, chainId?: number): object {
  const { type, signature } = transaction
  const price = numberToHex(transaction.gasPriceWei)
  return {
    ...placeOf({ block, index }),
    hash: transaction.hash,
    from: transaction.from.toLowerCase(),
    to: transaction.to?.toLowerCase() ?? null,
    nonce: numberToHex(transaction.nonce),
    value: numberToHex(transaction.valueWei),
    input: transaction.data,
    gas: numberToHex(transaction.gasLimit),
    gasPrice: price,
    type: TYPES[type],
    ...(chainId !== undefined && { chainId: numberToHex(chainId) }),
    ...(type !== 'legacy' && { accessList: transaction.accessList, yParity: numberToHex(signature.yParity) }),
    ...(type === 'eip1559' && {
      maxFeePerGas: numberToHex(transaction.maxFeePerGasWei),
      maxPriorityFeePerGas: numberToHex(transaction.maxTipPerGasWei),
    }),
    ...{ r: signature.r, s: signature.s, v: numberToHex(signature.yParity) },
  }
}

/** Returns a receipt in the format of JSON-RPC. */
export function presentReceipt({ block, index, transaction }: Found): object {
  const upToHere = block.transactions.slice(0, index + 1)
  return {
    ...placeOf({ block, index }),
    transactionHash: transaction.hash,
    from: transaction.from.toLowerCase(),
    to: transaction.to?.toLowerCase() ?? null,
    contractAddress: transaction.contractAddress?.toLowerCase() ?? null,
    status: transaction.isSuccess ? '0x1' : '0x0',
    type: TYPES[transaction.type],
    gasUsed: numberToHex(transaction.gasUsed),
    cumulativeGasUsed: numberToHex(upToHere.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)),
    effectiveGasPrice: numberToHex(transaction.gasPriceWei),
    logsBloom: buildBloom(transaction.logs),
    logs: presentLogs({ block, index, transaction }),
  }
}

/** Returns the logs of a transaction in the format of JSON-RPC. Log indexes count all logs of the block. */
export function presentLogs({ block, index, transaction }: LoggedTransaction): readonly PresentedLog[] {
  return transaction.logs.map((log, place) => ({
    ...log,
    ...placeOf({ block, index }),
    transactionHash: transaction.hash,
    logIndex: numberToHex(transaction.firstLogIndex + place),
    blockTimestamp: numberToHex(block.timestamp),
    removed: false,
  }))
}

export type PresentedLog = MinedTransaction['logs'][number] & Readonly<Record<string, unknown>>

/** The fields of a block that `presentLogs` needs. Blocks of all chain families have them. */
export type LoggedBlock = Pick<NodeBlock, 'number' | 'hash' | 'timestamp'> & {
  readonly transactions: readonly Pick<MinedTransaction, 'hash' | 'logs' | 'firstLogIndex'>[]
}

type LoggedTransaction = {
  readonly block: LoggedBlock
  readonly index: number
  readonly transaction: LoggedBlock['transactions'][number]
}

function placeOf({ block, index }: Pick<LoggedTransaction, 'block' | 'index'>) {
  return {
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    transactionIndex: numberToHex(index),
  }
}
