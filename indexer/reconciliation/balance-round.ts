import type { ReconciledCharge } from '../../shared/db/chain-facts/reconciliations.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { type BalanceDifference, balancesOf, explainBalances, type FoundBalance } from './compare-balances.ts'
import { BALANCES } from './families.ts'
import type { ReadNodeBalances } from './node-balances.ts'
import type { DeepBlock } from './read-deep-block.ts'
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

type Deps = Omit<SearchDeps, 'blockTimeMs'> & {
  readonly deployment: { readonly blockTimeMs: number }
  readonly metrics: { readonly countUnexplained: (chainId: number) => void }
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
  /** By the node's URL; as many as are configured. */
  const readings = new Map<string, ReadNodeBalances>()

  return { compare }

  async function compare({ number, nodes }: DeepBlock): Promise<void> {
    let searches = 0
    for (let compared = 0; compared < CHARGES_PER_TURN; compared += CHARGES_PER_PAGE) {
      const charges = await listCharges(comparedId, CHARGES_PER_PAGE)
      comparedId = charges.length < CHARGES_PER_PAGE ? '' : (charges.at(-1)?.id ?? '')
      const { found, block } = await find(nodes, { charges, block: number })
      const differences = await explainBalances({ db: deps.sql, deployment }, { found, block })
      for (const difference of differences.filter((one) => !isKnown(one))) {
        if (searches >= SEARCHES_PER_TURN) break
        searches += 1
        await lookInto(difference, { nodes, block })
      }
      if (comparedId === '') break
    }
  }

  /** Another node first than the one that the feed reads, as a rule: that one stands first. */
  async function find(
    nodes: readonly ChainNode[],
    { charges, block }: { readonly charges: readonly ReconciledCharge[]; readonly block: number },
  ): Promise<{ readonly found: readonly FoundBalance[]; readonly block: number }> {
    const balances = balancesOf(charges, deployment)
    const wanted = { balances, block: { number: block, timestamp: null }, isStanding: false }
    for (const node of nodes.toReversed()) {
      try {
        const reading = await readingOf(node)(wanted)
        if (reading !== null) return { found: reading.found, block: reading.block.number }
      } catch (error) {
        deps.log.warn({ msg: 'A node could not read balances', chain_id: chainId, node: nameOf(node), error })
      }
    }
    throw new AppError('rpc_unavailable', `no node reads the balances of block ${block}`)
  }

  function readingOf(node: ChainNode): ReadNodeBalances {
    const reading = readings.get(node.url) ?? BALANCES[REGISTRY[deployment.network].family](node)
    readings.set(node.url, reading)
    return reading
  }

  async function lookInto(
    difference: BalanceDifference,
    { nodes, block }: { readonly nodes: readonly ChainNode[]; readonly block: number },
  ): Promise<void> {
    const { charge } = difference
    const { blockTimeMs } = deployment
    const { answers, strays } = await searchCharge({ ...deps, blockTimeMs }, nodes, { charge, block })
    if (answers === 0) return
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
