import { hexToBigInt, slice } from 'viem'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../../indexer/transport/log-filter.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import { type Block, blockAt, commonAncestor } from './chain.ts'
import type { ModelNode } from './model-node.ts'
import { shownHead, shownLogs } from './shown.ts'

type Terms = {
  readonly sql: Sql
  readonly schema: string
  readonly chainId: number
  readonly nodes: readonly ModelNode[]
  /** After so many blocks it takes a block for final. */
  readonly finalityBlocks: number
}

export type ModelPonder = Awaited<ReturnType<typeof createPonder>>

const KINDS = ['distributed', 'held', 'released'] as const

/**
 * Makes what writes a chain into its feed's tables as Ponder 0.16 does, for Ponder itself runs in a process of its own:
 * block after block, each with its rows and the head in one transaction; what a reorganization takes back in one of its
 * own; and after a restart anew from the last final block, with the old head still standing.
 *
 * It believes one node: what that leaves out is lost to it for ever, and what that invents it keeps.
 */
export async function createPonder({ sql, schema, chainId, nodes, finalityBlocks }: Terms) {
  let node = nodes[0] as ModelNode
  let position = node.head
  let final = node.head
  let isReady = true
  await sql.unsafe(`
    insert into ${schema}._ponder_checkpoint values ('chain', ${chainId}, '${mark(position)}', '${mark(position)}', '${mark(position)}');
    update ${schema}._ponder_meta set value = '{"is_ready": 1, "is_locked": 1}' where key = 'app'`)

  return {
    step,
    restart,
    /** Restarts with another of its nodes. */
    follow: async (url: string) => {
      node = nodes.find((other) => other.url === url) ?? node
      await restart()
    },
    node: () => node,
    headNumber: () => position.number,
  }

  /** What it does after asking its node once; `true` if there is more to do at once. */
  async function step(): Promise<boolean> {
    if (!isReady) return rebuild()
    if (!['well', 'omitting', 'partial', 'gappy', 'stuck'].includes(node.mode)) return false
    // A head without the blocks below it leads nowhere.
    if (node.lie?.kinds.includes('claims height') === true) return false
    const head = shownHead(node)
    const ancestor = commonAncestor(head, position)
    if (ancestor.hash !== position.hash) {
      // A node that is behind on the same chain has nothing new; on another, what it does not have is taken back.
      if (ancestor.hash === head.hash) return false
      await rewind(ancestor)
      return true
    }
    const next = blockAt(head, position.number + 1)
    if (next === null) return false
    await append(next)
    return true
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

  /** Its process ends and starts: what is not final is gone at once, and the head not yet. */
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
    return `update ${schema}._ponder_checkpoint set latest_checkpoint = '${mark(position)}',
      safe_checkpoint = '${mark(position)}', finalized_checkpoint = '${mark(final)}';`
  }

  function deletesAbove(number: number): string {
    return ['transfer', 'split_event']
      .map((table) => `delete from ${schema}.${table} where block_number > ${number};`)
      .join(' ')
  }

  function insertsOf(block: Block): string {
    return block.receipts
      .flatMap((receipt) =>
        shownLogs(node, receipt).map((log) => insertOf({ ...log, hash: receipt.transaction.hash }, block)),
      )
      .join(' ')
  }

  function insertOf(log: Log, block: Block): string {
    const [topic, first, second] = log.topics
    const place = `'${log.hash}', ${log.logIndex}, ${block.number}, '${block.hash}', ${block.timestamp}`
    const amount = hexToBigInt(log.data)
    const [one, other] = [addressIn(first), addressIn(second)]
    if (topic === TRANSFER_TOPIC)
      return `insert into ${schema}.transfer values (${place}, '${log.address}', '${one}', '${other}', ${amount});`
    const kind = KINDS[SPLIT_TOPICS.indexOf(topic as Hex)]
    if (kind === undefined) return ''
    return `insert into ${schema}.split_event values (${place}, '${log.address}', '${kind}', '${one}', '${other}', ${amount});`
  }

  /** Seconds, chain, block, and three more numbers that nobody reads. */
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
