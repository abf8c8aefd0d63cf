import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { NodeReport } from '../../shared/chain/nodes/node-report.ts'
import { queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { createQuorumRule, findVerdict, type Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { BlockTime } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { WatchedDeployment } from '../chain-feed/observe.ts'
import { type BalanceKey, listComparedBalances, type ObservedBalance } from './compare-balances.ts'
import type { BlockRequest, ReadNodeBalances } from './node-balances.ts'
import { BALANCE_READERS_BY_FAMILY } from './sources-by-family.ts'

type Deps = {
  readonly deployment: WatchedDeployment
  readonly chain: ChainNodes
  readonly log: Logger
  /** Called after each reading with the number of balances that no quorum agrees on. */
  readonly onUnread: (balances: number) => void
}

/** The charges' balances that the nodes of a chain report. */
export type BalanceReadings = {
  /** The requested block, or the block that most operators report. */
  readonly block: BlockTime
  /**
   * For each balance, the amount that a quorum reports. Without a quorum, the highest reported amount, because a charge
   * must stay open if even one node shows a payment.
   */
  readonly found: readonly ObservedBalance[]
  /** Ids of charges with a balance on which no quorum agrees. An excess of such a balance still counts. */
  readonly unread: ReadonlySet<string>
  /**
   * Balances that nodes report for other blocks, and balances that were read while a node advanced to another block.
   * Only an excess in these balances counts.
   */
  readonly besides: readonly BalancesAt[]
}

/** Balances that one node reports at a block. */
export type BalancesAt = { readonly block: BlockTime; readonly found: readonly ObservedBalance[] }

/** The block at which to read balances. */
export type BalanceReadTarget = {
  readonly block: BlockRequest & BlockTime
  /** Highest block that is compared: the last block of our feed, or the quorum's head for old charges. */
  readonly head: BlockTime
  /** Whether the chain is stalled and `block` is its last block. */
  readonly isStanding: boolean
}

/**
 * Creates the reader of charges' balances at a block. It queries every node. A node without historical state reports
 * the balances at its newest solidified block, or at its newest block if the chain is stalled. A balance counts if a
 * quorum of operators reports it at the block that most operators report.
 */
export function createBalanceReader(deps: Deps) {
  const createReading = BALANCE_READERS_BY_FAMILY[REGISTRY[deps.deployment.network].family]
  const readings = new Map(deps.chain.nodes.map((node) => [node, createReading(node)]))

  return { read }

  async function read(
    charges: readonly ReconciledCharge[],
    place: BalanceReadTarget,
  ): Promise<BalanceReadings> {
    const balances = listComparedBalances(charges, deps.deployment)
    const { reports } = await queryNodes(deps.chain, (node) => readNode(node, { balances, place }))
    const comparable = reports.filter(({ value }) => isComparable(value.block, place))
    const block = mostFrequent(comparable) ?? place.block
    const compared = comparable.filter(({ value }) => isSameBlock(value.block, block))
    const verdicts = balances.map((balance) => ({ balance, verdict: decide(balance, compared) }))
    const missing = verdicts.filter(({ verdict }) => verdict.outcome !== 'agreed')
    deps.onUnread(missing.length)
    return {
      block,
      found: verdicts.flatMap(({ balance, verdict }) => foundOf(balance, { verdict, compared })),
      unread: new Set(missing.map(({ balance }) => balance.charge.id)),
      besides: [
        ...reports.filter((report) => !compared.includes(report)).map(({ value }) => value),
        ...reports.flatMap(({ value }) => value.moved),
      ],
    }
  }

  function decide(balance: BalanceKey, compared: readonly NodeReport<NodeReading>[]): Verdict<bigint> {
    const reports = compared.flatMap(({ value, ...report }) => {
      const amount = value.amounts.get(keyOf(balance))
      return amount === undefined ? [] : [{ ...report, value: amount }]
    })
    const rule = createQuorumRule(deps.chain.quorum, deps.chain.getTrusted())
    return findVerdict({ reports, silent: [] }, rule, String)
  }

  async function readNode(node: ChainNode, { balances, place }: Wanted): Promise<NodeReading> {
    const { block, isStanding } = place
    const readBalances = readings.get(node) as ReadNodeBalances
    try {
      const { found, moved, ...at } = await readBalances({ balances, block, isStanding })
      const mark = (one: { readonly number: number; readonly timestamp: number | null }): BlockTime => ({
        number: one.number,
        timestamp: one.timestamp ?? block.timestamp,
      })
      return {
        ...{ block: mark(at.block), found },
        amounts: new Map(found.map((balance) => [keyOf(balance), balance.foundAtomic])),
        moved: moved === undefined ? [] : [{ block: mark(moved.block), found: moved.found }],
      }
    } catch (error) {
      const fields = { chain_id: deps.deployment.chainId, node: node.name, block_number: block.number }
      deps.log.warn({ msg: 'Could not read balances from a node', ...fields, error })
      throw error
    }
  }
}

type Wanted = { readonly balances: readonly BalanceKey[]; readonly place: BalanceReadTarget }

type NodeReading = BalancesAt & {
  readonly amounts: ReadonlyMap<string, bigint>
  readonly moved: readonly BalancesAt[]
}

function foundOf(
  balance: BalanceKey,
  {
    verdict,
    compared,
  }: { readonly verdict: Verdict<bigint>; readonly compared: readonly NodeReport<NodeReading>[] },
): readonly ObservedBalance[] {
  if (verdict.outcome === 'agreed') return [{ ...balance, foundAtomic: verdict.agreed.value }]
  const amounts = compared.flatMap(({ value }) => value.amounts.get(keyOf(balance)) ?? [])
  const [highest] = amounts.toSorted((left, right) => (left < right ? 1 : -1))
  return highest === undefined ? [] : [{ ...balance, foundAtomic: highest }]
}

/** Only blocks up to `head` are compared and, on a stalled chain, only the block at which the chain stalled. */
function isComparable(at: BlockTime, { block, head, isStanding }: BalanceReadTarget): boolean {
  return at.number <= head.number && (!isStanding || isSameBlock(at, block))
}

/** In a tie, the highest block wins. */
function mostFrequent(reports: readonly NodeReport<NodeReading>[]): BlockTime | undefined {
  const votes = (block: BlockTime) =>
    new Set(reports.flatMap(({ operator, value }) => (isSameBlock(value.block, block) ? [operator] : [])))
      .size
  const blocks = reports.map(({ value }) => value.block)
  return blocks.toSorted((left, right) => votes(right) - votes(left) || right.number - left.number)[0]
}

function isSameBlock(one: BlockTime, other: BlockTime): boolean {
  return one.number === other.number && one.timestamp === other.timestamp
}

function keyOf({ account, tokenAddress }: BalanceKey): string {
  return `${account}/${tokenAddress}`
}
