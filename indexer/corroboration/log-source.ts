import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { findReceipt, type PlacedReceipt, requireAbsence } from '../../shared/chain/receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type FoundLog, type LogScan, scanLogs } from './scan-logs.ts'

/** A transaction, and the highest block in which anything has shown it. */
export type TransactionClaim = { readonly txHash: Hex; readonly blockNumber: number }

/** The last block up to which a node can be read. */
export type SourceEnd = { readonly number: number; readonly timestampMs: number }

/** What one node shows of a chain, by one of its APIs. */
export type ChainSource = {
  /**
   * Lists the logs by which money of these charges moved.
   *
   * @throws {BaseError} viem's, if the node does not respond
   */
  readonly findLogs: (scan: LogScan) => Promise<readonly FoundLog[]>
  /**
   * Reads what a transaction did; `null` if it is in no block of the node's chain, or has failed.
   *
   * @throws {Error} if the node does not respond, has not come as far as the claimed block, or lists the transaction
   *   there and does not show its receipt: none of these is an answer
   */
  readonly readEffects: (claim: TransactionClaim) => Promise<PlacedReceipt | null>
  /** Reads how far the node can be read. */
  readonly readEnd: () => Promise<SourceEnd>
}

/** Creates what reads a node by Ethereum's JSON-RPC. */
export function createLogSource({ client, name }: Pick<ChainNode, 'client' | 'name'>): ChainSource {
  return { findLogs: (scan) => scanLogs(client, scan), readEffects, readEnd }

  async function readEffects(claim: TransactionClaim): Promise<PlacedReceipt | null> {
    const receipt = await findReceipt(client, claim.txHash)
    if (receipt === null) {
      await requireAbsence(client, claim)
      return null
    }
    const block = await client.getBlock({ blockNumber: receipt.blockNumber })
    if (block.hash !== receipt.blockHash)
      throw unavailable(`${name} shows a receipt of block ${receipt.blockHash} and has ${block.hash} there`)
    if (receipt.status !== 'success') return null
    return {
      // In lower case alone: a transaction in another case would be a second payment.
      txHash: claim.txHash.toLowerCase() as Hex,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash.toLowerCase() as Hex,
      blockTimestamp: Number(block.timestamp),
      logs: receipt.logs,
    }
  }

  async function readEnd(): Promise<SourceEnd> {
    const { number, timestamp } = await client.getBlock()
    return { number: Number(number), timestampMs: Number(timestamp) * 1_000 }
  }
}

function unavailable(message: string): AppError {
  return new AppError('rpc_unavailable', message)
}
