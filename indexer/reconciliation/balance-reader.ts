import { isForeign } from '../../shared/chain/node-errors.ts'
import type { BlockMark } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { type BalanceOf, balancesOf, type FoundBalance } from './compare-balances.ts'
import { BALANCES } from './families.ts'
import type { ReadNodeBalances } from './node-balances.ts'

type Deps = {
  readonly deployment: WatchedDeployment
  readonly nodes: readonly ChainNode[]
  readonly now: Clock
  readonly log: Logger
}

/** What the nodes of a chain say that charges hold. */
export type BalanceReading = {
  /** Where they were read: the block that was asked for, or the one at which the nodes could answer. */
  readonly block: BlockMark
  /** Of several nodes the highest: one that has a payment is enough to hold a charge open. */
  readonly found: readonly FoundBalance[]
  /** Charges of which not enough nodes have answered every balance; an excess counts all the same. */
  readonly unread: ReadonlySet<string>
  /** What nodes said at other blocks, or while theirs moved on: nothing is proven by it, but an excess in it counts. */
  readonly besides: readonly BalancesAt[]
}

/** Balances at a block, by one node. */
export type BalancesAt = { readonly block: BlockMark; readonly found: readonly FoundBalance[] }

/** Where balances are to be read. */
export type ReadingPlace = {
  readonly block: BlockMark
  /** Our feed's last one: of what is above it our rows say nothing. */
  readonly head: BlockMark
  /** Whether the chain stands still at the block, which is its last one. */
  readonly isStanding: boolean
}

/** One of two nodes is not the one that the feed reads, whichever that is. */
const ANSWERS = 2
/** A second node is waited for so long; it is asked again at every turn. Then one's word is taken, with an alert. */
const PATIENCE_MS = 30_000
/** So long charges wait for balances that cannot be read, before somebody is told. */
const UNREAD_ALERT_MS = 300_000

/**
 * Makes what reads charges' balances at a block of our feed, from every node that serves the chain and has that very
 * block; where nodes have no past state, at the block that most of them have solid. It takes the word of one alone only if there is no other, or none that has answered for half a minute.
 */
export function createBalanceReader(deps: Deps) {
  /** Since when fewer nodes have answered than were wanted. */
  let shortSinceMs: number | null = null
  /** Since when each reading has left something unread, and whether that was told. */
  let unread: { readonly sinceMs: number; readonly isTold: boolean } | null = null

  const createReading = BALANCES[REGISTRY[deps.deployment.network].family]
  const readers = deps.nodes.map((node) => ({ node, readBalances: createReading(node) }))

  return { read }

  async function read(charges: readonly ReconciledCharge[], place: ReadingPlace): Promise<BalanceReading> {
    const balances = balancesOf(charges, deps.deployment)
    const answers = await Promise.all(readers.map((reader) => readNode(reader, { balances, place })))
    const all = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer]))
    const comparable = all.filter((reading) => isComparable(reading.block, place))
    const block = mostFrequent(comparable.map((reading) => reading.block)) ?? place.block
    const compared = comparable.filter((reading) => isSameBlock(reading.block, block))
    const readings = compared.map(({ found }) => new Map(found.map((balance) => [keyOf(balance), balance])))
    const usable = answers.filter((answer) => answer !== 'foreign').length
    const wanted = wantedOf({ readings: readings.length, usable })
    const missing = balances.filter(
      (balance) => readings.filter((one) => one.has(keyOf(balance))).length < wanted,
    )
    noteUnread(missing.length)
    return {
      block,
      found: balances.flatMap((balance) => highestOf(balance, readings)),
      unread: new Set(missing.map(({ charge }) => charge.id)),
      besides: [
        ...all.filter((reading) => !compared.includes(reading)),
        ...all.flatMap(({ moved }) => moved),
      ],
    }
  }

  /** How many must have answered a balance; never none. */
  function wantedOf({ readings, usable }: { readonly readings: number; readonly usable: number }): number {
    const nowMs = deps.now().getTime()
    const best = Math.max(1, Math.min(ANSWERS, usable))
    if (readings >= best) shortSinceMs = null
    else shortSinceMs ??= nowMs
    if (readings === 0 || shortSinceMs === null || nowMs - shortSinceMs < PATIENCE_MS) return best
    deps.log.error({
      msg: 'Balances are believed on the word of one node',
      chain_id: deps.deployment.chainId,
      usable_nodes: usable,
    })
    return 1
  }

  /** One alert for an outage: what cannot be read keeps charges open, and their merchants waiting. */
  function noteUnread(count: number): void {
    const nowMs = deps.now().getTime()
    unread = count === 0 ? null : (unread ?? { sinceMs: nowMs, isTold: false })
    if (unread === null || unread.isTold || nowMs - unread.sinceMs < UNREAD_ALERT_MS) return
    unread = { ...unread, isTold: true }
    deps.log.error({
      msg: 'Balances cannot be read for five minutes: charges whose time is up stay open',
      chain_id: deps.deployment.chainId,
      balances: count,
    })
  }

  async function readNode({ node, readBalances }: Reader, { balances, place }: Wanted): Promise<Answer> {
    const { block, isStanding } = place
    try {
      const reading = await readBalances({ balances, block, isStanding })
      if (reading === null) return 'unknown' // Another block than our feed's.
      const at = (one: { readonly number: number; readonly timestamp: number | null }): BlockMark => ({
        number: one.number,
        timestamp: one.timestamp ?? block.timestamp,
      })
      const { found, moved } = reading
      return {
        ...{ block: at(reading.block), found },
        moved: moved === undefined ? [] : [{ block: at(moved.block), found: moved.found }],
      }
    } catch (error) {
      if (isForeign(error)) return 'foreign'
      const fields = { chain_id: deps.deployment.chainId, node: nameOf(node), block_number: block.number }
      deps.log.warn({ msg: 'A node could not read balances', ...fields, error })
      return 'unknown'
    }
  }
}

type Reader = { readonly node: ChainNode; readonly readBalances: ReadNodeBalances }

type Wanted = { readonly balances: readonly BalanceOf[]; readonly place: ReadingPlace }

/** What one node says; `foreign` is out of use, and no second node. */
type Answer = (BalancesAt & { readonly moved: readonly BalancesAt[] }) | 'foreign' | 'unknown'

/** Of what is above our feed's head our rows say nothing; and a chain stands still at one block. */
function isComparable(at: BlockMark, { block, head, isStanding }: ReadingPlace): boolean {
  return at.number <= head.number && (!isStanding || isSameBlock(at, block))
}

/** Of those that are as frequent the highest, which is the latest. */
function mostFrequent(blocks: readonly BlockMark[]): BlockMark | undefined {
  const times = (block: BlockMark) => blocks.filter((other) => isSameBlock(other, block)).length
  return blocks.toSorted((left, right) => times(right) - times(left) || right.number - left.number)[0]
}

function isSameBlock(one: BlockMark, other: BlockMark): boolean {
  return one.number === other.number && one.timestamp === other.timestamp
}

function highestOf(
  place: BalanceOf,
  readings: readonly ReadonlyMap<string, FoundBalance>[],
): readonly FoundBalance[] {
  const found = readings.flatMap((one) => one.get(keyOf(place)) ?? [])
  return found.toSorted((left, right) => (left.foundAtomic < right.foundAtomic ? 1 : -1)).slice(0, 1)
}

function keyOf({ account, tokenAddress }: BalanceOf): string {
  return `${account}/${tokenAddress}`
}
