import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { bytesToHex, concatHex, type Hex, hexToBytes, numberToHex, sha256, slice } from 'viem'

import type { GenesisAccount } from '../evm-node/chain-rules.ts'
import { type ChainState, createChainState } from '../evm-node/chain-state.ts'
import { type BroadcastCode, findProblem } from './find-problem.ts'
import { createNodeFaults, type NodeFaults } from './node-faults.ts'
import { countBytes, runTron } from './run-tron.ts'
import type { FoundTron, MinedTron, TronBlock, TronTransaction } from './tron-block.ts'
import { TronEvm } from './tron-evm.ts'

/**
 * Blocks after which a block is final: 19 of 27 producers must have approved it, by producing the block itself or one
 * of the 18 blocks after it.
 */
const BLOCKS_TO_SOLID = 18

const NO_BLOCK: Hex = `0x${'0'.repeat(64)}`

/** A chain in memory whose last blocks can be reorganized away. */
export type TronChain = {
  readonly chainId: number
  readonly state: ChainState<TronEvm>
  /** Faults and quirks of the node that serves the chain. */
  readonly habits: NodeFaults
  /** Returns the canonical blocks. The index of a block is its height. */
  readonly blocks: () => readonly TronBlock[]
  readonly head: () => TronBlock
  /** Returns the last solidified block. Solidified blocks are never reorganized away. */
  readonly solid: () => TronBlock
  /** Finds a transaction in the canonical blocks. */
  readonly find: (hash: Hex) => FoundTron | undefined
  readonly blockOf: (hash: Hex) => TronBlock | undefined
  /** Returns how many of its free bytes an account has used. */
  readonly usedBytesOf: (owner: Hex) => bigint
  /**
   * Adds a valid transaction to the pending transactions, and returns the node's response code. `SUCCESS` does not
   * guarantee that the transaction will ever be mined.
   */
  readonly broadcast: (transaction: TronTransaction) => Promise<BroadcastCode>
  /** Adds a block with the pending transactions that are still valid. Drops the other pending transactions. */
  readonly mine: () => Promise<TronBlock>
  /**
   * Replaces the last `depth` blocks with `depth + 1` blocks that contain the same transactions, except those that are
   * no longer valid.
   *
   * @param fork.depth - number of replaced blocks, all above the solidified block
   * @param fork.without - hashes of transactions to omit, which do not become pending again
   * @param fork.later - whether to put all transactions into the last new block
   */
  readonly fork: (fork: {
    readonly depth: number
    readonly without?: readonly Hex[]
    readonly later?: boolean
  }) => Promise<void>
}

/**
 * Creates a local TRON with its first block. `serveTron` serves the chain.
 *
 * It behaves like java-tron 4.8 (November 2026) in these respects: CREATE2 with the prefix 0x41, and contract
 * addresses derived from transaction ids; calls that may take all energy; energy and bytes paid in TRX up to
 * `fee_limit`; transactions that name a block, expire, and are identified by their id; solidified blocks 18 below the
 * head; forks; and the quirks in test/integration/tron/tron-node.test.ts.
 *
 * It lacks: producers and votes, staked energy, the dynamic penalty, the limit of 80 ms per call, the maximum call
 * depth of 64, TRON's own precompiles, permissions, TRC-10. Prices are similar to the real prices, but not equal.
 */
export async function createTronChain(options: {
  readonly chainId: number
  readonly genesis: readonly GenesisAccount[]
  /**
   * Minimum difference between the timestamps of consecutive blocks, rounded down to whole seconds. It is 3,000 ms on
   * the real chain. Below one second, some blocks have the same timestamp.
   */
  readonly blockMs: number
}): Promise<TronChain> {
  const { chainId, genesis, blockMs } = options
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Cancun })
  const state = await createChainState({
    ...{ common, genesis },
    createEvm: (manager) => new TronEvm(common, manager),
  })
  const habits = createNodeFaults()
  const blocks: TronBlock[] = []
  let waiting: TronTransaction[] = []
  const usedBytes = new Map<Hex, bigint>()
  let branch = 0

  const head = () => {
    const block = blocks.at(-1)
    if (block === undefined) throw new Error('the chain has no first block')
    return block
  }
  const blockOf = (hash: Hex) => blocks.find((block) => block.hash === hash)
  const find = (hash: Hex): FoundTron | undefined => {
    for (const block of blocks) {
      const index = block.transactions.findIndex((transaction) => transaction.hash === hash)
      const transaction = block.transactions[index]
      if (transaction !== undefined) return { block, index, transaction }
    }
    return undefined
  }
  const add = async (due: readonly TronTransaction[]): Promise<TronBlock> => {
    const parent = blocks.at(-1)
    const evm = await state.evmAt(parent?.stateRoot ?? (await state.root()))
    const number = parent === undefined ? 0 : parent.number + 1
    const earliest = (parent?.timestamp ?? 0) + Math.floor(blockMs / 1000)
    const timestamp = Math.max(earliest, Math.floor(Date.now() / 1000))
    const transactions: MinedTron[] = []
    let firstLogIndex = 0
    for (const transaction of due) {
      if (transaction.expirationMs <= BigInt(timestamp) * 1000n) continue
      if ((await findProblem(transaction, { evm, blocks: null, usedBytes })) !== null) continue
      const { owner } = transaction.contract
      const used = usedBytes.get(owner) ?? 0n
      const outcome = await runTron(evm, { transaction, block: { number, timestamp }, usedBytes: used })
      if (outcome.bandwidthFeeSun === 0n) usedBytes.set(owner, used + countBytes(transaction))
      transactions.push({ ...transaction, ...outcome, firstLogIndex })
      firstLogIndex += outcome.logs.length
    }
    const block = {
      ...{ number, timestamp, transactions, parentHash: parent?.hash ?? NO_BLOCK },
      stateRoot: bytesToHex(await evm.stateManager.getStateRoot()),
    }
    const hash = hashOf(block, branch)
    const sealed = { ...block, hash: number === 0 ? firstHash(hash, chainId) : hash }
    blocks.push(sealed)
    return sealed
  }
  const mineNow = async () => {
    const due = waiting
    waiting = []
    return add(due.filter(() => !habits.takesDrop()))
  }
  await add([])
  const inTurn = createTurns()

  return {
    ...{ chainId, state, habits, head, blockOf, find },
    blocks: () => blocks,
    usedBytesOf: (owner) => usedBytes.get(owner) ?? 0n,
    solid: () => blocks[Math.max(0, blocks.length - 1 - BLOCKS_TO_SOLID)] ?? head(),
    broadcast: (transaction) =>
      inTurn(async () => {
        const { hash } = transaction
        if (find(hash) !== undefined || waiting.some((one) => one.hash === hash))
          return 'DUP_TRANSACTION_ERROR'
        const evm = await state.evmAt(head().stateRoot)
        const problem = await findProblem(transaction, { evm, blocks, usedBytes })
        if (problem !== null) return problem
        waiting.push(transaction)
        return 'SUCCESS'
      }),
    mine: () => inTurn(mineNow),
    fork: ({ depth, without = [], later = false }) =>
      inTurn(async () => {
        if (depth > BLOCKS_TO_SOLID || depth >= blocks.length)
          throw new Error(`${depth} blocks reach below the solidified block`)
        branch += 1
        const orphaned = blocks.splice(-depth)
        for (const one of orphaned.flatMap(({ transactions }) => transactions))
          if (one.bandwidthFeeSun === 0n)
            usedBytes.set(one.contract.owner, (usedBytes.get(one.contract.owner) ?? 0n) - countBytes(one))
        const lots = orphaned.map(({ transactions }) =>
          transactions.filter(({ hash }) => !without.includes(hash)),
        )
        const all = lots.flat()
        for (const lot of lots) await add(later ? [] : lot)
        await add(later ? all : [])
      }),
  }
}

/**
 * Returns the id of a block. As on the real chain, the id starts with the height. The remaining bytes differ between
 * branches.
 */
function hashOf(block: Omit<TronBlock, 'hash'>, branch: number): Hex {
  const { number, parentHash, timestamp, stateRoot, transactions } = block
  const header = concatHex([
    parentHash,
    numberToHex(timestamp, { size: 8 }),
    numberToHex(branch, { size: 8 }),
    stateRoot,
    ...transactions.map(({ hash }) => hash),
  ])
  return concatHex([numberToHex(number, { size: 8 }), slice(sha256(hexToBytes(header), 'hex'), 8)])
}

/** Returns the first block's id. Clients of the HTTP API identify the chain by the chain id at its end. */
function firstHash(hash: Hex, chainId: number): Hex {
  return concatHex([slice(hash, 0, 28), numberToHex(chainId, { size: 4 })])
}

/** Returns a function that runs tasks one after another. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
