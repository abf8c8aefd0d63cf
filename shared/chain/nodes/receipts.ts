import { BlockNotFoundError, type Log, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ChainClient } from './client.ts'

/** A successful transaction in the canonical chain. */
export type CanonicalReceipt = {
  readonly txHash: Hex
  /** The signer of the transaction, lowercase. */
  readonly from: Address
  readonly blockNumber: number
  readonly blockHash: Hex
  /** Block time in Unix seconds. */
  readonly blockTimestamp: number
  readonly logs: readonly PositionedLog[]
}

export type PositionedLog = Pick<Log, 'address' | 'topics' | 'data' | 'logIndex'>

export type PositionedReceipt = Omit<CanonicalReceipt, 'from'>

/**
 * Reads the receipt of a successful transaction, if the receipt's block is in the canonical chain.
 *
 * @returns `null` if there is no receipt, the transaction reverted, or the block at that height is missing or different
 * @throws {BaseError} from viem if no node responds
 */
export async function readCanonicalReceipt(client: ChainClient, hash: Hex): Promise<CanonicalReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash })
    const block = await client.getBlock({ blockNumber: receipt.blockNumber })
    if (receipt.status !== 'success' || block.hash !== receipt.blockHash) return null
    return {
      txHash: hash,
      from: receipt.from.toLowerCase() as Address,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      blockTimestamp: Number(block.timestamp),
      logs: receipt.logs,
    }
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError || error instanceof BlockNotFoundError) return null
    throw error
  }
}

/**
 * Returns a node's receipt of a transaction, or `null` if the node has none.
 *
 * @throws {BaseError} from viem if no node responds
 */
export async function findReceipt(client: ChainClient, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/**
 * Checks that a node has the block at a height, and that the block does not list a transaction. Without this check, a
 * missing receipt might only mean that the node lags or prunes receipts.
 *
 * @throws {AppError} `rpc_unavailable` if the block is not mined yet, or lists the transaction
 * @throws {BaseError} from viem if the node does not respond, or does not have the block
 */
export async function requireAbsence(
  client: ChainClient,
  { txHash, blockNumber }: { readonly txHash: Hex; readonly blockNumber: number },
): Promise<void> {
  const { hash, transactions } = await client.getBlock({ blockNumber: BigInt(blockNumber) })
  if (hash === null || transactions.some((listed) => listed.toLowerCase() === txHash.toLowerCase()))
    throw new AppError(
      'rpc_unavailable',
      `block ${blockNumber} is not mined yet, or lists ${txHash}, but the node has no receipt of the transaction`,
    )
}
