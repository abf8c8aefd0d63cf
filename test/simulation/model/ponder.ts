import { hexToBigInt, slice } from 'viem'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../../shared/domain/log-topics.ts'
import { createPonderTables } from '../engine/database.ts'
import type { FeedFault } from '../planned-repair.ts'
import { type Block, blockAt, blocksFrom, commonAncestor } from './chain.ts'
import type { Target } from './lie-kinds.ts'
import type { ModelNode, NodeMode } from './model-node.ts'
import { buildOtherBlock, buildOtherChain, replacePayments } from './other-chain.ts'
import { shownHead, shownLogs } from './shown.ts'

type Terms = {
  readonly sql: Sql
  /** Schema of the generation that Ponder writes first. */
  readonly schema: string
  readonly chainId: number
  readonly nodes: readonly ModelNode[]
  readonly finalityBlocks: number
}

/** The generation of the feed that Ponder writes: its schema, and the block from which it reads the chain. */
type Generation = { readonly ponderSchema: string; readonly startBlock: number }

/** Number of polls until a started process reads blocks. A real Ponder needs about three seconds. */
const STARTING_POLLS = 3
/** Number of blocks whose rows become wrong. */
export const WRONG_BLOCKS = 12

export type ModelPonder = Awaited<ReturnType<typeof createPonder>>

type Shower = Parameters<typeof shownLogs>[0]

/** Shows every log. */
const HONEST: Shower = { mode: 'well', url: '' }

const KINDS = ['distributed', 'held', 'released'] as const

/** Nodes whose responses Ponder can read, even if they are incomplete. */
const READABLE: readonly NodeMode[] = ['well', 'omitting', 'partial', 'gappy', 'stuck']

function isReadable({ mode }: ModelNode): boolean {
  return READABLE.includes(mode)
}

/**
 * Creates a model of Ponder 0.16. The model writes a chain into the feed's tables as Ponder does: each block's rows and
 * the head in one transaction, and the rewind after a reorganization in its own transaction. After a restart, the model
 * continues from the last final block, while the table still shows the old head. A new generation has its own tables,
 * is empty at first, and is ready once its final blocks were read.
 *
 * The model trusts one node. Data that this node omits or invents is corrected only if a rewind or a restart reads the
 * block again.
 *
 * Only a new generation ends the faults for which operators repair a feed (`fail`).
 */
export async function createPonder({ sql, schema: first, chainId, nodes, finalityBlocks }: Terms) {
  let node = nodes[0] as ModelNode
  const emitters = node.tokens.map(({ emitter }) => emitter.address)
  let schema = first
  let position = node.head
  let final = node.head
  let isReady = true
  let isRunning = true
  let starting = 0
  /** The last final block of each earlier generation, from which a later run of the generation continues. */
  const finalOf = new Map<string, Block>()
  /** The generations that read no further block. */
  const stuck = new Set<string>()
  await sql.unsafe(`
    insert into ${schema}._ponder_checkpoint values ('chain', ${chainId}, '${mark(position)}', '${mark(position)}', '${mark(position)}');
    update ${schema}._ponder_meta set value = '{"is_ready": 1, "is_locked": 1}' where key = 'app'`)

  return {
    step,
    restart,
    run,
    fail,
    stop: () => {
      isRunning = false
    },
    /** Switches to the node at this URL, and restarts Ponder if it is running. */
    follow: async (url: string) => {
      node = nodes.find((other) => other.url === url) ?? node
      if (isRunning) await restart()
    },
    /** Switches from a node that is still unreadable to another, without a restart, as the feed's transport does. */
    passOver: (unreadable: ModelNode) => {
      if (node === unreadable && !isReadable(node)) node = nodes.find(isReadable) ?? node
    },
    node: () => node,
    headNumber: () => position.number,
  }

  /** Polls the node once and applies the result. Returns `true` if the next poll should follow immediately. */
  async function step(): Promise<boolean> {
    if (!isRunning) return false
    if (starting > 0) {
      starting -= 1
      return false
    }
    if (!isReady && !isBehind()) return rebuild()
    if (stuck.has(schema)) return false
    if (!isReadable(node)) return false
    // Ponder cannot fetch the blocks below a claimed head.
    if (node.lie?.kinds.includes('claims height') === true) return false
    const head = shownHead(node)
    const ancestor = commonAncestor(head, position)
    if (ancestor.hash !== position.hash) {
      // A node that lags on the same fork has nothing new. If the node is on another fork, the blocks above their
      // common ancestor are removed.
      if (ancestor.hash === head.hash) return false
      await rewind(ancestor)
      return true
    }
    const next = blockAt(head, position.number + 1)
    if (next === null) return false
    await append(next)
    return true
  }

  /** Starts the process for a generation, unless it already runs for it. A new generation begins at `startBlock`. */
  async function run({ ponderSchema, startBlock }: Generation): Promise<void> {
    if (isRunning && schema === ponderSchema) return
    finalOf.set(schema, final)
    if (await createPonderTables(sql, ponderSchema)) finalOf.delete(ponderSchema)
    schema = ponderSchema
    // A process that must begin far above its chain waits for blocks that the chain does not have.
    const isAbove = startBlock > node.head.number + finalityBlocks
    if (isAbove) stuck.add(schema)
    final =
      finalOf.get(schema) ??
      (isAbove ? buildOtherBlock(node.head, startBlock) : blockAt(node.head, Math.max(0, startBlock - 1))) ??
      node.head
    starting = STARTING_POLLS
    isRunning = true
    await restart()
  }

  /** Starts a fault, which only a new generation ends. A process that does not run cannot have one. */
  async function fail(fault: FeedFault, listTargets: () => readonly Target[]): Promise<void> {
    if (!isRunning) return
    const terms = { listTargets, tokens: node.tokens }
    if (fault === 'has wrong rows') {
      final = position
      const blocks = blocksFrom(position, Math.max(1, position.number - WRONG_BLOCKS))
      const inserts = blocks.map((block) => insertsOf(replacePayments(block, terms), HONEST)).join(' ')
      const deletes = deletesAbove((blocks[0]?.number ?? position.number + 1) - 1)
      await sql.unsafe(`begin; ${deletes} ${inserts} ${moveHead()} commit`)
      return
    }
    stuck.add(schema)
    if (fault === 'stops') return
    const blocks = buildOtherChain(position, terms)
    final = blocks[0] ?? final
    for (const block of blocks) {
      position = block
      await sql.unsafe(`begin; ${insertsOf(block, HONEST)} ${moveHead()} commit`)
    }
    await rebuild()
  }

  /** Whether final blocks are still unread. A started process is ready only after reading them. */
  function isBehind(): boolean {
    return position.number < shownHead(node).number - finalityBlocks
  }

  async function append(block: Block): Promise<void> {
    position = block
    const deep = blockAt(block, block.number - finalityBlocks)
    if (deep !== null && deep.number > final.number) final = deep
    await sql.unsafe(`begin; ${insertsOf(block)} ${moveHead()} commit`)
  }

  async function rewind(ancestor: Block): Promise<void> {
    position = ancestor
    await sql.unsafe(`begin; ${deletesAbove(ancestor.number)} ${moveHead()} commit`)
  }

  /** Restarts the process. Removes the rows of blocks that are not final, but leaves the head unchanged. */
  async function restart(): Promise<void> {
    isReady = false
    position = final
    await sql.unsafe(`begin;
      update ${schema}._ponder_meta set value = '{"is_ready": 0, "is_locked": 1}' where key = 'app';
      ${deletesAbove(final.number)} commit`)
  }

  async function rebuild(): Promise<boolean> {
    isReady = true
    await sql.unsafe(`begin; ${moveHead()}
      update ${schema}._ponder_meta set value = '{"is_ready": 1, "is_locked": 1}' where key = 'app'; commit`)
    return true
  }

  function moveHead(): string {
    return `insert into ${schema}._ponder_checkpoint
      values ('chain', ${chainId}, '${mark(position)}', '${mark(position)}', '${mark(final)}')
      on conflict (chain_name) do update set latest_checkpoint = excluded.latest_checkpoint,
        safe_checkpoint = excluded.safe_checkpoint, finalized_checkpoint = excluded.finalized_checkpoint;`
  }

  function deletesAbove(number: number): string {
    return ['transfer', 'split_event']
      .map((table) => `delete from ${schema}.${table} where block_number > ${number};`)
      .join(' ')
  }

  function insertsOf(block: Block, shower: Shower = node): string {
    return block.receipts
      .flatMap((receipt) =>
        shownLogs(shower, receipt).map((log) => insertOf({ ...log, hash: receipt.transaction.hash }, block)),
      )
      .join(' ')
  }

  function insertOf(log: Log, block: Block): string {
    const [topic, first, second] = log.topics
    const place = `'${log.hash}', ${log.logIndex}, ${block.number}, '${block.hash}', ${block.timestamp}`
    const amount = hexToBigInt(log.data)
    const [one, other] = [addressIn(first), addressIn(second)]
    if (topic === TRANSFER_TOPIC && !emitters.includes(log.address)) return ''
    if (topic === TRANSFER_TOPIC)
      return `insert into ${schema}.transfer values (${place}, '${log.address}', '${one}', '${other}', ${amount});`
    const kind = KINDS[SPLIT_TOPICS.indexOf(topic as Hex)]
    if (kind === undefined) return ''
    return `insert into ${schema}.split_event values (${place}, '${log.address}', '${kind}', '${one}', '${other}', ${amount});`
  }

  /** Formats a checkpoint: seconds, chain, block, and three further numbers that are not read. */
  function mark({ number, timestamp }: Block): string {
    const digits = (value: number, length: number) => String(value).padStart(length, '0')
    return `${digits(timestamp, 10)}${digits(chainId, 16)}${digits(number, 16)}${'9'.repeat(33)}`
  }
}

type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly logIndex: number
  readonly hash: Hex
}

function addressIn(topic: Hex | undefined): string {
  return topic === undefined ? '' : slice(topic, 12).toLowerCase()
}
