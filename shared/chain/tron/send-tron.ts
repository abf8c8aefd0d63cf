import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex } from '../../domain/address.ts'
import { parseEvmAddress } from '../../domain/address.ts'
import {
  encodeSignedTransaction,
  type TronHeader,
  toReferenceBlock,
  tronTransactionId,
} from '../../domain/chain-families/tron/raw-transaction.ts'
import { invariant } from '../../domain/errors.ts'
import { broadcastTron } from './broadcast-tron.ts'
import { queryAllTron, queryTron } from './query-tron.ts'
import { readNewestOutcome, readSolidifiedHead, readTronHead, type TronOutcome } from './read-tron.ts'
import { type TronNode, TronNodeError } from './tron-node.ts'

/** Implemented by viem's private key accounts. */
export type TronSigner = {
  readonly address: Hex
  /** Signs exactly these 32 bytes; returns r, s and v (27 or 28). */
  readonly sign: (of: { readonly hash: Hex }) => Promise<Hex>
}

/** A transaction to send. `encode` returns its bytes once the expiration is set. */
export type TronSendRequest = {
  readonly signer: TronSigner
  readonly feeLimitSun: bigint
  readonly encode: (frame: TronHeader) => Hex
  /** Called before the broadcast. Afterwards a block may contain the transaction, even if this process ends. */
  readonly onSigned?: ((signed: SignedTron) => void) | undefined
}

export type SignedTron = {
  readonly txHash: Hex
  readonly owner: Address
  /** Expiration by the chain's clock. No later block may contain the transaction. */
  readonly expiresAt: Date
}

/** A transaction that a block contains. A fork may still revert it. */
export type TronSendResult = TronOutcome & { readonly txHash: Hex; readonly owner: Address }

const LIFE_MS = 60_000
/** Maximum wait for a block, longer than the life of the transaction. */
const TIMEOUT_MS = 90_000
const POLL_INTERVAL_MS = 1_000

/**
 * Signs and broadcasts a transaction, and waits until a block contains it. For commands that a user may repeat.
 *
 * Stores no record of the transaction. Code that must not send twice must use the relayer.
 *
 * @throws {TronNodeError} if no node accepts the transaction, or no block contains it in time
 */
export async function sendTron(
  nodes: readonly TronNode[],
  { signer, feeLimitSun, encode, onSigned }: TronSendRequest,
): Promise<TronSendResult> {
  const owner = parseEvmAddress(signer.address.toLowerCase())
  invariant(owner !== null, `${signer.address} is not an address`)
  const [head, solid] = await queryTron(nodes, (node) =>
    Promise.all([readTronHead(node), readSolidifiedHead(node)]),
  )
  const expiresAt = new Date(head.timestampMs + LIFE_MS)
  const rawData = encode({
    ...{ owner, feeLimitSun, timestampMs: BigInt(head.timestampMs) },
    ...{ ...toReferenceBlock(solid), expirationMs: BigInt(expiresAt.getTime()) },
  })
  const txHash = tronTransactionId(rawData)
  const transaction = encodeSignedTransaction({ rawData, signature: await signer.sign({ hash: txHash }) })
  onSigned?.({ txHash, owner, expiresAt })
  const offers = await queryAllTron(nodes, (node) => broadcastTron(node, transaction))
  // A node that has seen the bytes before might have accepted them, so wait for a block.
  if (!offers.some(({ outcome }) => outcome === 'taken' || outcome === 'known')) {
    const codes = offers.map(({ code }) => code).join(', ') || 'no response'
    throw new TronNodeError(
      { name: `(all ${nodes.length})` },
      `did not accept the transaction ${txHash.slice(2)}: ${codes}`,
    )
  }
  return { ...(await waitForBlock(nodes, txHash)), txHash, owner }
}

/**
 * Waits until a block contains the transaction.
 *
 * @throws {TronNodeError} if no block contains the transaction in time
 */
export async function waitForBlock(nodes: readonly TronNode[], txHash: Hex): Promise<TronOutcome> {
  const untilMs = performance.now() + TIMEOUT_MS
  while (performance.now() < untilMs) {
    const outcomes = await queryAllTron(nodes, (node) => readNewestOutcome(node, txHash))
    const found = outcomes.find((outcome) => outcome !== null)
    if (found) return found
    await delay(POLL_INTERVAL_MS)
  }
  throw new TronNodeError(
    { name: `(all ${nodes.length})` },
    `has no block with ${txHash.slice(2)} after ${TIMEOUT_MS} ms`,
  )
}
