import { setTimeout as delay } from 'node:timers/promises'
import type { Address, Hex } from '../../domain/address.ts'
import { parseEvmAddress } from '../../domain/address.ts'
import { invariant } from '../../domain/errors.ts'
import {
  encodeSignedTransaction,
  referTo,
  type TronFrame,
  tronTransactionId,
} from '../../domain/families/tron/raw-transaction.ts'
import { askAllTron, askTron } from './ask-tron.ts'
import { broadcastTron } from './broadcast-tron.ts'
import { readNewestOutcome, readSolidHead, readTronHead, type TronOutcome } from './read-tron.ts'
import { type TronNode, TronNodeError } from './tron-node.ts'

/** Who signs: viem's accounts of a private key do. */
export type TronSigner = {
  readonly address: Hex
  /** Signs 32 bytes as they are; answers r, s and 27 or 28. */
  readonly sign: (of: { readonly hash: Hex }) => Promise<Hex>
}

/** What is to be sent: the bytes, once it is known for how long they are good. */
export type Sending = {
  readonly signer: TronSigner
  readonly feeLimitSun: bigint
  readonly encode: (frame: TronFrame) => Hex
  /** Told before anybody is sent it: from then on it may be in a block, whatever becomes of this process. */
  readonly onSigned?: ((signed: SignedTron) => void) | undefined
}

/** A transaction that nobody has seen yet. */
export type SignedTron = {
  readonly txHash: Hex
  readonly owner: Address
  /** By the chain's clock: after it no block takes it. */
  readonly expiresAt: Date
}

/** A transaction that a block has; a fork may take it back. */
export type Sent = TronOutcome & { readonly txHash: Hex; readonly owner: Address }

/** So long a transaction may wait for a block, by the chain's clock. */
const LIFE_MS = 60_000
/** It is waited for somewhat longer. */
const PATIENCE_MS = 90_000
const LOOK_MS = 1_000

/**
 * Signs a transaction, sends it, and waits until a block has it; for who watches and may send again.
 *
 * Nothing is remembered: whoever must not send twice uses the relayer.
 *
 * @throws {TronNodeError} if no node takes it, or no block has it in time
 */
export async function sendTron(
  nodes: readonly TronNode[],
  { signer, feeLimitSun, encode, onSigned }: Sending,
): Promise<Sent> {
  const owner = parseEvmAddress(signer.address.toLowerCase())
  invariant(owner !== null, `${signer.address} is no address`)
  const [head, solid] = await askTron(nodes, (node) => Promise.all([readTronHead(node), readSolidHead(node)]))
  const expiresAt = new Date(head.timestampMs + LIFE_MS)
  const rawData = encode({
    ...{ owner, feeLimitSun, timestampMs: BigInt(head.timestampMs) },
    ...{ ...referTo(solid), expirationMs: BigInt(expiresAt.getTime()) },
  })
  const txHash = tronTransactionId(rawData)
  const transaction = encodeSignedTransaction({ rawData, signature: await signer.sign({ hash: txHash }) })
  onSigned?.({ txHash, owner, expiresAt })
  const offers = await askAllTron(nodes, (node) => broadcastTron(node, transaction))
  // A node that knows the bytes may have accepted them: the wait for a block decides.
  if (!offers.some(({ outcome }) => outcome === 'taken' || outcome === 'known')) {
    const said = offers.map(({ code }) => code).join(', ') || 'no answer'
    throw new TronNodeError(
      { name: '' },
      `of ${nodes.length} took the transaction ${txHash.slice(2)}: ${said}`,
    )
  }
  return { ...(await waitForBlock(nodes, txHash)), txHash, owner }
}

/**
 * Waits until a block has a transaction, of this process or of one before it.
 *
 * @throws {TronNodeError} if no block has it in time
 */
export async function waitForBlock(nodes: readonly TronNode[], txHash: Hex): Promise<TronOutcome> {
  const untilMs = performance.now() + PATIENCE_MS
  while (performance.now() < untilMs) {
    const outcomes = await askAllTron(nodes, (node) => readNewestOutcome(node, txHash))
    const found = outcomes.find((outcome) => outcome !== null)
    if (found) return found
    await delay(LOOK_MS)
  }
  throw new TronNodeError(
    { name: '' },
    `of ${nodes.length} has ${txHash.slice(2)} in a block after ${PATIENCE_MS} ms`,
  )
}
