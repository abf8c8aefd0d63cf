import type { Hex } from 'viem'

import {
  type MinedTransaction,
  type NodeBlock,
  type SignedTransaction,
  sealBlock,
  ZERO_HASH,
} from './block.ts'
import type { ChainRules } from './chain-rules.ts'
import { type ChainState, createChainState } from './chain-state.ts'
import { createPool, type Pool } from './pool.ts'
import { runTransaction } from './run-transaction.ts'

/** A chain in memory without reorganizations. */
export type Chain = {
  readonly family: ChainRules
  readonly chainId: number
  readonly state: ChainState
  readonly pool: Pool
  readonly blocks: readonly NodeBlock[]
  readonly head: () => NodeBlock
  readonly blockOf: (hash: Hex) => NodeBlock | undefined
  readonly find: (hash: Hex) => Found | undefined
  /** Adds a block with the pending transactions that can be mined now. Concurrent calls run one after another. */
  readonly mine: () => Promise<NodeBlock>
}

/** A mined transaction and its position. */
export type Found = {
  readonly block: NodeBlock
  readonly index: number
  readonly transaction: MinedTransaction
}

/** Starts a chain with its first block. */
export async function createChain(family: ChainRules): Promise<Chain> {
  const state = await createChainState(family)
  const chainId = Number(family.common.chainId())
  const blocks: NodeBlock[] = []
  const byHash = new Map<Hex, NodeBlock>()
  const found = new Map<Hex, Found>()
  const add = (block: NodeBlock) => {
    blocks.push(block)
    byHash.set(block.hash, block)
    block.transactions.forEach((transaction, index) =>
      found.set(transaction.hash, { block, index, transaction }),
    )
    return block
  }
  const head = () => {
    const block = blocks.at(-1)
    if (block === undefined) throw new Error('the chain has no first block')
    return block
  }
  add(await sealBlock({ ...next(family, null), stateRoot: await state.root(), transactions: [] }))
  const pool = createPool()
  const mine = inTurn(async () => add(await makeBlock({ family, state, pool }, head())))
  return {
    family,
    chainId,
    state,
    pool,
    blocks,
    head,
    blockOf: (hash) => byHash.get(hash),
    find: (hash) => found.get(hash),
    mine,
  }
}

/**
 * Returns the fields of the next block that do not depend on its transactions. Blocks that are created within the same
 * second have the same timestamp.
 */
function next(family: ChainRules, parent: NodeBlock | null) {
  const now = Math.floor(Date.now() / 1000)
  return {
    number: parent === null ? 0 : parent.number + 1,
    parentHash: parent?.hash ?? ZERO_HASH,
    timestamp: Math.max(parent?.timestamp ?? 0, now),
    baseFeeWei: family.baseFeeWei,
    gasLimit: family.blockGasLimit,
    extraData: family.extraData,
  }
}

async function makeBlock(
  { family, state, pool }: Pick<Chain, 'family' | 'state' | 'pool'>,
  parent: NodeBlock,
): Promise<NodeBlock> {
  const draft = next(family, parent)
  const transactions: MinedTransaction[] = []
  let gasLeft = draft.gasLimit
  let firstLogIndex = 0
  for (;;) {
    const transaction: SignedTransaction | null = await pool.takeNext({
      evm: state.evm,
      gasLeft,
      baseFeeWei: draft.baseFeeWei,
    })
    if (transaction === null) break
    const outcome = await runTransaction(state.evm, { transaction, block: draft })
    transactions.push({ ...transaction, ...outcome, firstLogIndex })
    firstLogIndex += outcome.logs.length
    gasLeft -= outcome.gasUsed
  }
  return sealBlock({ ...draft, stateRoot: await state.root(), transactions })
}

/** Makes each call wait for the call before it. */
function inTurn<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
