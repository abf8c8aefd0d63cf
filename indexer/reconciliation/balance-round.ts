import type { ChainNode, ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { DeepBlock } from '../../shared/chain/nodes/query-deep-block.ts'
import { queryOperators } from '../../shared/chain/nodes/query-nodes.ts'
import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type BalanceDifference, balancesOf, explainBalances } from './compare-balances.ts'
import { BALANCES } from './families.ts'
import type { ReadNodeBalances, WantedBlock } from './node-balances.ts'
import { type SearchDeps, searchCharge } from './search-charge.ts'
import { createDifferenceTelling } from './tell-differences.ts'

/** Charges whose balances are read together, which is one or two requests for each five hundred of them. */
const CHARGES_PER_PAGE = 500
/** Charges compared in one turn: of 30 s, so 10,000 in a minute. */
const CHARGES_PER_TURN = 5_000
/** Differences looked into in one turn; each reads the charge's whole life. */
const SEARCHES_PER_TURN = 3
/** Differences that are remembered as looked into. */
const MOST_KNOWN = 1_000

type Deps = Omit<SearchDeps, 'blockTimeMs' | 'deployment' | 'metrics'> & {
  readonly deployment: SearchDeps['deployment'] & { readonly blockTimeMs: number }
  readonly chain: ChainNodes
  readonly metrics: SearchDeps['metrics'] & { readonly countUnexplained: (chainId: number) => void }
}

/** Answers the charges to compare, in the order of their ids, from the one after `after` on. */
type ListCharges = (after: string, limit: number) => Promise<readonly ReconciledCharge[]>

/**
 * Makes what compares the balances of a chain's charges with our rows, some thousand in a turn, round and round. A
 * balance that our rows do not explain makes it read that charge's whole life; one that remains unexplained is an alert.
 */
export function createBalanceRound(deps: Deps, listCharges: ListCharges) {
  const { deployment } = deps
  const { chainId } = deployment
  const tell = createDifferenceTelling({ chainId, log: deps.log })
  /** Where the round is; another daemon, or a restart, begins its own. */
  let comparedId = ''
  /** What was looked into, so that it is so once: told, or found to be a stranger's; of one daemon's life. */
  const known = new Map<string, string>()
  /** By the node's name; as many as are configured. */
  const readings = new Map<string, ReadNodeBalances>()

  return { compare }

  async function compare({ block }: Pick<DeepBlock, 'block'>): Promise<void> {
    if (block === null) return
    let searches = 0
    for (let compared = 0; compared < CHARGES_PER_TURN; compared += CHARGES_PER_PAGE) {
      const charges = await listCharges(comparedId, CHARGES_PER_PAGE)
      comparedId = charges.length < CHARGES_PER_PAGE ? '' : (charges.at(-1)?.id ?? '')
      for (const difference of await findDifferences(charges, block.value)) {
        if (isKnown(difference)) continue
        if (searches >= SEARCHES_PER_TURN) break
        searches += 1
        await lookInto(difference, difference.block)
      }
      if (comparedId === '') break
    }
  }

  /** What any node of a quorum reports otherwise than our rows: a search then asks a quorum what happened. */
  async function findDifferences(
    charges: readonly ReconciledCharge[],
    block: WantedBlock,
  ): Promise<readonly (BalanceDifference & { readonly block: number })[]> {
    const balances = balancesOf(charges, deployment)
    const responses = await queryOperators(deps.chain, (node) =>
      readingOf(node)({ balances, block, isStanding: false }),
    )
    if (responses === null)
      throw new AppError('rpc_unavailable', `no quorum of nodes reads the balances of block ${block.number}`)
    const differences = new Map<string, BalanceDifference & { readonly block: number }>()
    for (const { value } of responses.reports) {
      const at = value.block.number
      const found = { found: value.found, block: at }
      for (const one of await explainBalances({ db: deps.sql, deployment }, found))
        differences.set(`${placeOf(one)}/${amountsOf(one)}`, { ...one, block: at })
    }
    return [...differences.values()]
  }

  function readingOf(node: ChainNode): ReadNodeBalances {
    const reading = readings.get(node.name) ?? BALANCES[REGISTRY[deployment.network].family](node)
    readings.set(node.name, reading)
    return reading
  }

  async function lookInto(difference: BalanceDifference, block: number): Promise<void> {
    const { charge } = difference
    const { blockTimeMs } = deployment
    const { strays } = await searchCharge({ ...deps, blockTimeMs }, { charge, block })
    if (known.size > MOST_KNOWN) known.clear()
    known.set(placeOf(difference), amountsOf(difference))
    const compared = { found: [difference], block, strays }
    for (const one of await explainBalances({ db: deps.sql, deployment }, compared)) {
      deps.metrics.countUnexplained(chainId)
      tell.unexplained(one, block)
    }
  }

  function isKnown(difference: BalanceDifference): boolean {
    return known.get(placeOf(difference)) === amountsOf(difference)
  }
}

function placeOf({ account, tokenAddress }: BalanceDifference): string {
  return `${account}/${tokenAddress}`
}

function amountsOf({ expectedAtomic, foundAtomic }: BalanceDifference): string {
  return `${expectedAtomic}/${foundAtomic}`
}
