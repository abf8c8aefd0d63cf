import type { ChainNode } from '../../shared/chain/nodes/chain-nodes.ts'
import { findReceipt, type PositionedReceipt, requireAbsence } from '../../shared/chain/nodes/receipts.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type FoundLog, type LogScan, scanLogs } from '../chain-feed/scan-logs.ts'

/** A transaction, and the highest block in which the feed or a node has shown it. */
export type TransactionClaim = { readonly txHash: Hex; readonly blockNumber: number }

/** The last block that a node can serve. */
export type SourceEnd = { readonly number: number; readonly timestampMs: number }

/** A reader of a chain through one API of one node. */
export type ChainSource = {
  /**
   * Lists the logs of transfers and split events of the scan's charges.
   *
   * @throws {BaseError} from viem if the node does not respond
   */
  readonly findLogs: (scan: LogScan) => Promise<readonly FoundLog[]>
  /**
   * Reads the effects of a transaction; `null` if the transaction is in no block of the node's chain, or has failed.
   *
   * @throws {Error} if the node does not respond, has not reached the claimed block, lists the transaction in that
   * block without returning its receipt, or contradicts itself; such a node neither confirms nor denies the transaction
   */
  readonly readEffects: (claim: TransactionClaim) => Promise<PositionedReceipt | null>
  readonly readEnd: () => Promise<SourceEnd>
}

/** Creates a source that uses Ethereum's JSON-RPC. */
export function createLogSource({ client, name }: Pick<ChainNode, 'client' | 'name'>): ChainSource {
  return { findLogs: (scan) => scanLogs(client, scan), readEffects, readEnd }

  async function readEffects(claim: TransactionClaim): Promise<PositionedReceipt | null> {
    const receipt = await findReceipt(client, claim.txHash)
    if (receipt === null) {
      await requireAbsence(client, claim)
      return null
    }
    const block = await client.getBlock({ blockNumber: receipt.blockNumber })
    if (block.hash !== receipt.blockHash)
      throw unavailable(
        `${name} returns a receipt of block ${receipt.blockHash}, but has block ${block.hash} at that number`,
      )
    if (receipt.status !== 'success') return null
    return {
      // Lower case, because the same transaction in another case would count as a second payment.
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
