import { isForeign } from '../../shared/chain/node-errors.ts'
import type { BlockMark } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { type BalanceOf, balancesOf, type FoundBalance, readFound } from './compare-balances.ts'

type Deps = {
  readonly deployment: WatchedDeployment
  readonly nodes: readonly ChainNode[]
  readonly now: Clock
  readonly log: Logger
}

/** What the nodes of a chain say that charges hold. */
export type BalanceReading = {
  /** Of several nodes the highest: one that has a payment is enough to hold a charge open. */
  readonly found: readonly FoundBalance[]
  /** Charges of which not enough nodes have answered every balance; an excess counts all the same. */
  readonly unread: ReadonlySet<string>
}

/** One of two nodes is not the one that the feed reads, whichever that is. */
const ANSWERS = 2
/** A second node is waited for so long; it is asked again at every turn. Then one's word is taken, with an alert. */
const PATIENCE_MS = 30_000
/** So long charges wait for balances that cannot be read, before somebody is told. */
const UNREAD_ALERT_MS = 300_000

/**
 * Makes what reads charges' balances at a block of our feed, from every node that serves the chain and has that very
 * block. It takes the word of one alone only if there is no other, or none that has answered for half a minute.
 */
export function createBalanceReader(deps: Deps) {
  /** Since when fewer nodes have answered than were wanted. */
  let shortSinceMs: number | null = null
  /** Since when each reading has left something unread, and whether that was told. */
  let unread: { readonly sinceMs: number; readonly isTold: boolean } | null = null

  return { read }

  async function read(charges: readonly ReconciledCharge[], block: BlockMark): Promise<BalanceReading> {
    const balances = balancesOf(charges, deps.deployment)
    const answers = await Promise.all(deps.nodes.map((node) => readNode(node, { balances, block })))
    const readings = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer]))
    const usable = answers.filter((answer) => answer !== 'foreign').length
    const wanted = wantedOf({ readings: readings.length, usable })
    const missing = balances.filter(
      (place) => readings.filter((one) => one.has(keyOf(place))).length < wanted,
    )
    noteUnread(missing.length)
    return {
      found: balances.flatMap((place) => highestOf(place, readings)),
      unread: new Set(missing.map(({ charge }) => charge.id)),
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

  async function readNode(node: ChainNode, { balances, block }: Wanted): Promise<Answer> {
    const { client } = node
    try {
      const { timestamp } = await client.getBlock({ blockNumber: BigInt(block.number) })
      if (Number(timestamp) !== block.timestamp) return 'unknown' // Another block than our feed's.
      const found = await readFound(node, { balances, block: block.number })
      return new Map(found.map((balance) => [keyOf(balance), balance]))
    } catch (error) {
      if (isForeign(error)) return 'foreign'
      const fields = { chain_id: deps.deployment.chainId, node: nameOf(node), block_number: block.number }
      deps.log.warn({ msg: 'A node could not read balances', ...fields, error })
      return 'unknown'
    }
  }
}

type Wanted = { readonly balances: readonly BalanceOf[]; readonly block: BlockMark }

/** What one node says; `foreign` is out of use, and no second node. */
type Answer = ReadonlyMap<string, FoundBalance> | 'foreign' | 'unknown'

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
