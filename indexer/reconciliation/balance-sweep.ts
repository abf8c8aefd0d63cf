import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { ConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { queryOperators } from '../../shared/chain/nodes/query-nodes.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type BalanceMismatch, diffBalances, listComparedBalances } from './compare-balances.ts'
import type { BlockRequest, ReadNodeBalances } from './node-balances.ts'
import { createMismatchReporter } from './report-mismatches.ts'
import { type SearchDeps, searchCharge } from './search-charge.ts'
import { BALANCE_READERS_BY_FAMILY } from './sources-by-family.ts'
import { CHARGES_PER_TURN } from './sweep-size.ts'

/** Charges per query of our database. On EVM chains, a request reads up to 500 balances, on TRON one. */
const CHARGES_PER_PAGE = 500
/** Maximum differences searched in one turn. Each search goes back at most about a day. */
const SEARCHES_PER_TURN = 3
/** Number of searched differences in memory above which all are deleted. */
const MAX_KNOWN = 1_000

type Deps = SearchDeps & {
  readonly chain: ChainNodes
  readonly metrics: { readonly countUnexplained: (chainId: number) => void }
  readonly chargesPerTurn?: number
}

/** A difference, and the block at which a node reported the balance. */
type Difference = BalanceMismatch & { readonly block: number }

/** Lists the charges to compare, in the order of their ids, starting after `after`. */
type ListCharges = (after: string, limit: number) => Promise<readonly ReconciledCharge[]>

/**
 * Creates the function that compares the balances of a chain's charges with our rows, several thousand per turn, in
 * rotation. If our rows do not explain a balance, the blocks since the charge's creation are searched for its payments.
 * If the balance stays unexplained, an alert is raised.
 */
export function createBalanceSweep(deps: Deps, listCharges: ListCharges) {
  const { deployment, chargesPerTurn = CHARGES_PER_TURN } = deps
  const { chainId } = deployment
  const pageSize = Math.min(CHARGES_PER_PAGE, chargesPerTurn)
  const tell = createMismatchReporter({ chainId, log: deps.log })
  /** Id of the last compared charge. Each daemon has its own rotation, which starts over when the daemon restarts. */
  let comparedId = ''
  /**
   * Differences that were searched, and then explained or reported. They are searched again only if they change, the
   * daemon restarts, or more than `MAX_KNOWN` are in memory.
   */
  const known = new Map<string, string>()
  /** Balance readers by node name. */
  const readings = new Map<string, ReadNodeBalances>()

  return { compare }

  async function compare({ block }: Pick<ConfirmedHead, 'block'>): Promise<void> {
    if (block === null) return
    let searches = 0
    const failures: unknown[] = []
    for (let compared = 0; compared < chargesPerTurn; compared += pageSize) {
      const charges = await listCharges(comparedId, pageSize)
      comparedId = charges.length < pageSize ? '' : (charges.at(-1)?.id ?? '')
      for (const difference of await findDifferences(charges, block.value)) {
        if (isKnown(difference)) continue
        if (searches >= SEARCHES_PER_TURN) break
        searches += 1
        await lookInto(difference, block.value.number).catch((error: unknown) => failures.push(error))
      }
      if (comparedId === '') break
    }
    // A difference that cannot be searched, for example because a node lacks old logs, must not block the searches for
    // others.
    if (failures.length > 0) throw failures[0]
  }

  /**
   * Lists the balances that any queried node reports and that our rows do not explain. The search then queries a quorum
   * for the cause.
   */
  async function findDifferences(
    charges: readonly ReconciledCharge[],
    block: BlockRequest,
  ): Promise<readonly Difference[]> {
    const balances = listComparedBalances(charges, deployment)
    const responses = await queryOperators(deps.chain, (node) =>
      readingOf(node)({ balances, block, isStanding: false }),
    )
    if (responses === null)
      throw new AppError(
        'rpc_unavailable',
        `no quorum of nodes returned the balances at block ${block.number}`,
      )
    const differences = new Map<string, Difference>()
    for (const { value } of responses.reports) {
      const at = value.block.number
      const found = { found: value.found, block: at }
      for (const one of await diffBalances({ db: deps.sql, deployment }, found))
        differences.set(`${placeOf(one)}/${amountsOf(one)}`, { ...one, block: at })
    }
    return [...differences.values()]
  }

  function readingOf(node: ChainNode): ReadNodeBalances {
    const reading =
      readings.get(node.name) ?? BALANCE_READERS_BY_FAMILY[REGISTRY[deployment.network].family](node)
    readings.set(node.name, reading)
    return reading
  }

  async function lookInto(difference: Difference, confirmedHeadNumber: number): Promise<void> {
    const { charge, block } = difference
    const { strays } = await searchCharge(deps, { charge, block, confirmedHeadNumber })
    if (known.size > MAX_KNOWN) known.clear()
    known.set(placeOf(difference), amountsOf(difference))
    const compared = { found: [difference], block, strays }
    for (const one of await diffBalances({ db: deps.sql, deployment }, compared)) {
      deps.metrics.countUnexplained(chainId)
      tell.unexplained(one, block)
    }
  }

  function isKnown(difference: BalanceMismatch): boolean {
    return known.get(placeOf(difference)) === amountsOf(difference)
  }
}

function placeOf({ account, tokenAddress }: BalanceMismatch): string {
  return `${account}/${tokenAddress}`
}

function amountsOf({ expectedAtomic, foundAtomic }: BalanceMismatch): string {
  return `${expectedAtomic}/${foundAtomic}`
}
