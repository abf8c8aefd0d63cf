import type { Address, Hex } from '../../../shared/domain/address.ts'
import type { Random } from '../../support/seeded-random.ts'
import { hashBlock, hashGenesis } from './block-id.ts'
import { payFee } from './coins.ts'
import type { Signatures } from './safe.ts'
import { copyState, emptyState, Reverted, type Spoken, type State } from './state.ts'

/** A transaction, which can be included again after a reorganization. */
export type Transaction = {
  readonly hash: Hex
  readonly from: Address
  /** With `null`, the nonce does not matter, and the transaction is included in any order. */
  readonly nonce: number | null
  /**
   * When the transaction expires, in Unix milliseconds of chain time. It cannot be included after a block with this
   * timestamp or a later one. A transaction that expires is included at most once.
   */
  readonly expiresAtMs?: number
  /**
   * Changes the state in a block with this time, in Unix seconds, and returns the emitted logs.
   *
   * @throws {Reverted} if the transaction reverts
   */
  readonly run: (state: State, timestamp: number) => readonly Spoken[]
}

export type ModelLog = Spoken & { readonly logIndex: number }

export type Receipt = {
  readonly transaction: Transaction
  readonly isSuccess: boolean
  readonly logs: readonly ModelLog[]
}

export type Block = {
  readonly number: number
  readonly hash: Hex
  readonly parent: Block | null
  /** Unix seconds. */
  readonly timestamp: number
  readonly receipts: readonly Receipt[]
  readonly state: State
}

type Terms = {
  readonly chainId: number
  readonly confirmations: number
  readonly random: Random
  readonly startMs: number
  /** Time by which the chain's block timestamps are ahead of our clock; negative if they are behind. */
  readonly aheadMs: number
  /** Whether the chain is TRON, where a block's hash contains its height, and log indexes have no gaps. */
  readonly isTron?: boolean
}

export type ModelChain = ReturnType<typeof createChain>

/**
 * Creates a chain: blocks, a pool of pending transactions, and reorganizations. The service's data must agree with this
 * chain, although nodes show it late, in part, or not at all.
 */
export function createChain(terms: Terms) {
  const { chainId, confirmations, random, startMs, aheadMs, isTron = false } = terms
  let tip = genesis({ chainId, isTron, startMs: startMs + aheadMs })
  let made = 0
  let pool: readonly Transaction[] = []
  /** All transactions ever sent, including dropped ones. */
  const known = new Map<Hex, Transaction>()
  /** All blocks that were ever at confirmation depth, their receipts, and the highest such block. */
  const deepBlocks = new Set<Block>()
  const deep = new Map<Hex, readonly Receipt[]>()
  let deepest = tip
  let hasLostDepth = false
  const signatures: Signatures = new Map()

  return {
    ...{ chainId, isTron, confirmations },
    /** The signatures that the chain's contracts accept. */
    signatures,
    tip: () => tip,
    pool: () => pool,
    send,
    mine,
    reorganize,
    isKnown: (hash: Hex) => known.has(hash),
    isPending: (hash: Hex) => pool.some((other) => other.hash === hash),
    deepBlocks: (): readonly Block[] => [...deepBlocks],
    /** Whether a transaction was at confirmation depth at some time. */
    wasDeep: (hash: Hex) => deep.has(hash),
    /**
     * Returns the receipts of a transaction in all blocks that were at confirmation depth. After a deep reorganization
     * there can be several.
     */
    deepReceipts: (hash: Hex): readonly Receipt[] => deep.get(hash) ?? [],
    /** Whether a reorganization has ever removed a block that was at confirmation depth. */
    hasLostDepth: () => hasLostDepth,
  }

  /** Adds a transaction to the pool, in place of one with the same sender and nonce. */
  function send(transaction: Transaction): void {
    known.set(transaction.hash, transaction)
    const { from, nonce, expiresAtMs, hash } = transaction
    if (expiresAtMs !== undefined && pool.some((other) => other.hash === hash)) return
    pool = [
      ...pool.filter((other) => other.nonce === null || other.from !== from || other.nonce !== nonce),
      transaction,
    ]
  }

  /** Adds a block, which includes each executable transaction of the pool with probability `share`. */
  function mine(nowMs: number, share = 1): void {
    tip = build(tip, { timestamp: timeOf(tip, nowMs), share })
    noteDepth()
  }

  /**
   * Replaces the last `depth` blocks with `depth + 1` blocks. Each transaction of a replaced block is pending again,
   * unless `lost` drops it permanently.
   */
  function reorganize(
    nowMs: number,
    { depth, lost }: { readonly depth: number; readonly lost: () => boolean },
  ): void {
    const old: Block[] = []
    let ancestor = tip
    for (let left = Math.min(depth, tip.number); left > 0 && ancestor.parent !== null; left -= 1) {
      old.unshift(ancestor)
      ancestor = ancestor.parent
    }
    const orphans = old.flatMap(({ receipts }) => receipts.map(({ transaction }) => transaction))
    pool = [...orphans.filter(() => !lost()), ...pool]
    let next = ancestor
    for (const { timestamp } of old) next = build(next, { timestamp, share: random.pick([0, 0.5, 1]) })
    tip = build(next, { timestamp: timeOf(next, nowMs), share: 1 })
    if (ancestor.number < deepest.number) hasLostDepth = true
    noteDepth()
  }

  function timeOf(parent: Block, nowMs: number): number {
    const now = Math.floor((nowMs + aheadMs) / 1000)
    // Chains with short block times have several blocks in a second.
    return random.fraction() < 0.1 ? parent.timestamp : Math.max(parent.timestamp, now)
  }

  function build(
    parent: Block,
    { timestamp, share }: { readonly timestamp: number; readonly share: number },
  ): Block {
    made += 1
    const number = parent.number + 1
    const state = copyState(parent.state)
    const receipts: Receipt[] = []
    const left: Transaction[] = []
    let logIndex = isTron ? 0 : random.integer(3)
    const byNonce = (a: Transaction, b: Transaction) =>
      a.from === b.from ? (a.nonce ?? 0) - (b.nonce ?? 0) : 0
    for (const transaction of pool.toSorted(byNonce)) {
      if (mayNotFollow(parent, transaction)) continue
      const nonce = state.nonces.get(transaction.from) ?? 0
      if (transaction.nonce !== null && transaction.nonce < nonce) continue
      const isNext = transaction.nonce === null || transaction.nonce === nonce
      if (!isNext || random.fraction() >= share) {
        left.push(transaction)
        continue
      }
      if (transaction.nonce !== null) {
        state.nonces.set(transaction.from, nonce + 1)
        payFee(state, transaction.from)
      }
      const { isSuccess, spoken } = execute(transaction, state, timestamp)
      // Gaps between log indexes stand for other transactions' logs.
      receipts.push({ transaction, isSuccess, logs: spoken.map((log) => ({ ...log, logIndex: logIndex++ })) })
      if (!isTron) logIndex += random.integer(2)
    }
    pool = left
    const hash = hashBlock(`block ${chainId} ${number} ${made}`, { number, isTron })
    return { number, hash, parent, timestamp, receipts, state }
  }

  function noteDepth(): void {
    const lowest = blockAt(tip, tip.number - confirmations + 1)
    if (lowest === null) return
    for (let block: Block | null = lowest; block !== null && !deepBlocks.has(block); block = block.parent) {
      deepBlocks.add(block)
      for (const receipt of block.receipts) {
        const { hash } = receipt.transaction
        deep.set(hash, [...(deep.get(hash) ?? []), receipt])
      }
    }
    if (lowest.number > deepest.number) deepest = lowest
  }
}

/** Runs a transaction, which changes the state only if it succeeds. */
function execute(
  transaction: Transaction,
  state: State,
  timestamp: number,
): { readonly isSuccess: boolean; readonly spoken: readonly Spoken[] } {
  const before = copyState(state)
  try {
    return { isSuccess: true, spoken: transaction.run(state, timestamp) }
  } catch (error) {
    if (!(error instanceof Reverted)) throw error
    restore(state, before)
    return { isSuccess: false, spoken: [] }
  }
}

function restore(state: State, before: State): void {
  for (const map of ['balances', 'held', 'nonces', 'safes'] as const) {
    state[map].clear()
    for (const [key, value] of before[map]) (state[map] as Map<string, unknown>).set(key, value)
  }
  for (const set of ['frozen', 'paused', 'usedNonces'] as const) {
    state[set].clear()
    for (const key of before[set]) (state[set] as Set<string>).add(key)
  }
}

/** Whether a transaction with an expiry has expired or is already included, so that no later block can include it. */
function mayNotFollow(parent: Block, { hash, expiresAtMs }: Transaction): boolean {
  if (expiresAtMs === undefined) return false
  if (parent.timestamp * 1000 >= expiresAtMs) return true
  return blocksFrom(parent, 1).some(({ receipts }) =>
    receipts.some(({ transaction }) => transaction.hash === hash),
  )
}

type GenesisTerms = Pick<Terms, 'chainId' | 'startMs'> & { readonly isTron: boolean }

function genesis({ chainId, isTron, startMs }: GenesisTerms): Block {
  const hash = hashGenesis(chainId, isTron)
  const timestamp = Math.floor(startMs / 1000)
  return { number: 0, hash, parent: null, timestamp, receipts: [], state: emptyState() }
}

/** Returns the block with this number on the chain that ends in `tip`; `null` without one. */
export function blockAt(tip: Block, number: number): Block | null {
  if (number > tip.number) return null
  let block: Block | null = tip
  while (block !== null && block.number > number) block = block.parent
  return block
}

export function commonAncestor(one: Block, other: Block): Block {
  let [left, right] = [one, other]
  while (left.hash !== right.hash) {
    if (left.number >= right.number && left.parent !== null) left = left.parent
    else if (right.parent !== null) right = right.parent
    else break
  }
  return left
}

/** Lists the blocks of a chain from this number on, the oldest first. */
export function blocksFrom(tip: Block, number: number): readonly Block[] {
  const blocks: Block[] = []
  for (let block: Block | null = tip; block !== null && block.number >= number; block = block.parent)
    blocks.push(block)
  return blocks.toReversed()
}
