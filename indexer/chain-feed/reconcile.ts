import type { ChainClient } from '../../shared/chain/client.ts'
import { type CanonicalReceipt, readCanonicalReceipt } from '../../shared/chain/receipts.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  claimReconciliation,
  listReconciledCharges,
  listSettledLogs,
  type ReconciledCharge,
  recordScan,
} from '../../shared/db/reconciliations.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { earliestId } from '../../shared/domain/ids.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { type BalanceDifference, compareBalances } from './compare-balances.ts'
import type { WatchedDeployment } from './observe.ts'
import { readDeepBlock } from './read-deep-block.ts'
import { keyOf, recordFound } from './record-found.ts'
import { scanLogs } from './scan-logs.ts'

/** What the reconciliation of one chain works with. */
export type ReconciliationDeps = {
  readonly sql: Sql
  readonly deployment: WatchedDeployment & { readonly confirmations: number; readonly blockTimeMs: number }
  readonly client: ChainClient
  /** One for each node, which are asked apart. */
  readonly nodes: readonly ChainClient[]
  /** Whichever daemon claims it first does it, once in so many seconds. */
  readonly intervalSeconds: number
  readonly now: Clock
  readonly log: Logger
  readonly metrics: ReconciliationMetrics
  /** Called when rows were recorded. */
  readonly onNews: () => void
}

/** What an operator watches of it. */
export type ReconciliationMetrics = {
  readonly countFound: (chainId: number, rows: number) => void
  readonly countUnexplained: (chainId: number) => void
}

/** Blocks looked at in one turn: public nodes answer logs of a thousand and more. */
const BLOCKS_PER_TURN = 1000
/** As many addresses as nodes take in one filter; each page of so many charges costs two or three requests a turn. */
const CHARGES_PER_QUERY = 300
/** Splits whose balances one request asks for, times the tokens of the chain. */
const BALANCES_PER_TURN = 100
/** Differences looked into in one turn; each reads the charge's whole life. */
const SEARCHES_PER_TURN = 3
/** A life of more ranges than this, some weeks on the quickest chain, is for a person to look into. */
const RANGES_PER_SEARCH = 50
/** Final charges are looked at for a day: what is late comes soon (specification, "expiresIn": an hour at most). */
const RECENT_MS = 25 * 3_600_000

/**
 * Makes the job that compares our rows with the chain, without Ponder: each turn the logs of the blocks that have
 * become deep, and the balances of some splits, round and round.
 *
 * What the watcher missed it records by the one identity, at depth by its own reading, and the charges take their
 * turns as ever. A balance that our rows do not explain makes it read that charge's whole life; one that remains
 * unexplained is an alert.
 */
export function createReconciliation(deps: ReconciliationDeps): {
  readonly turn: () => Promise<'more' | 'idle'>
} {
  const { deployment } = deps
  const { chainId } = deployment
  /** Where the round of balances is; another daemon, or a restart, begins its own. */
  let comparedId = ''
  /** What was reported, so that it is reported once; of one daemon's life, and no longer than a round. */
  const reported = new Map<string, string>()

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const deepBlock = await readDeepBlock(deps.nodes, deployment)
    const firstBlock = Math.max(0, deepBlock - 1)
    const claim = { chainId, firstBlock, intervalSeconds: deps.intervalSeconds }
    const scannedNumber = await claimReconciliation(deps.sql, claim)
    if (scannedNumber === null) return 'idle'

    const toBlock = Math.min(deepBlock, scannedNumber + BLOCKS_PER_TURN)
    if (toBlock > scannedNumber) await scanAll({ fromBlock: scannedNumber + 1, toBlock })
    const isBehind = toBlock < deepBlock
    await recordScan(deps.sql, { chainId, scannedNumber: toBlock, isDueAgain: isBehind })
    if (isBehind) return 'more'
    await checkBalances(deepBlock)
    return 'idle'
  }

  /** Read after the end of the range was: a charge made later cannot have been paid in it. */
  async function scanAll(range: Range): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const charges = await listCharges(after, CHARGES_PER_QUERY)
      await scan(charges, range)
      after = charges.length === CHARGES_PER_QUERY ? charges.at(-1)?.id : undefined
    }
  }

  function listCharges(after: string, limit: number): Promise<readonly ReconciledCharge[]> {
    const recentId = earliestId('ch', deps.now().getTime() - RECENT_MS)
    return listReconciledCharges(deps.sql, {
      chainId,
      environment: deployment.environment,
      recentId,
      after,
      limit,
    })
  }

  async function scan(charges: readonly ReconciledCharge[], range: Range): Promise<void> {
    const emitters = deployment.tokens.map(({ emitter }) => emitter)
    const logs = await scanLogs(deps.client, { charges, emitters, ...range })
    if (logs.length === 0) return
    const settled = new Set((await listSettledLogs(deps.sql, { chainId, ...range })).map(keyOf))
    const hashes = logs.filter((log) => !settled.has(keyOf(log))).map(({ txHash }) => txHash)
    await record(await readReceipts(deps.client, [...new Set(hashes)]), range)
  }

  /** A receipt that has moved above the range since its log was found is not deep: its time will come. */
  async function record(receipts: readonly CanonicalReceipt[], { toBlock }: Range): Promise<void> {
    const deep = receipts.filter(({ blockNumber }) => blockNumber <= toBlock)
    if (deep.length === 0) return
    const found = await recordFound(deps, deployment, deep)
    deps.metrics.countFound(chainId, found.length)
    for (const row of found) {
      const fields = {
        chain_id: chainId,
        charge_id: row.chargeId,
        tx_hash: row.txHash,
        log_index: row.logIndex,
      }
      deps.log.warn({ msg: 'Recorded what the watcher had not', ...fields })
    }
    deps.onNews()
  }

  async function checkBalances(block: number): Promise<void> {
    const charges = await listCharges(comparedId, BALANCES_PER_TURN)
    if (charges.length < BALANCES_PER_TURN) comparedId = ''
    else comparedId = charges.at(-1)?.id ?? ''
    const differences = await compare(charges, block)
    const unknown = differences.filter((difference) => !isReported(difference)).slice(0, SEARCHES_PER_TURN)
    for (const { charge } of unknown) await search(charge, block)
    const searched = [...new Set(unknown.map(({ charge }) => charge))]
    for (const difference of await compare(searched, block)) report(difference, block)
  }

  function compare(charges: readonly ReconciledCharge[], block: number) {
    const { tokens } = deployment
    return compareBalances({ client: deps.client, db: deps.sql, tokens }, { charges, block })
  }

  /** Reads everything that the chain has of a charge since it was made, newest first. */
  async function search(charge: ReconciledCharge, block: number): Promise<void> {
    const ageMs = deps.now().getTime() - charge.createdAt.getTime()
    // Blocks may come faster than they should: twice as many are read as there should be.
    const firstBlock = Math.max(0, block - Math.ceil((2 * ageMs) / deployment.blockTimeMs) - 100)
    let toBlock = block
    for (let range = 1; range <= RANGES_PER_SEARCH && toBlock >= firstBlock; range += 1) {
      const fromBlock = Math.max(firstBlock, toBlock - BLOCKS_PER_TURN + 1)
      await scan([charge], { fromBlock, toBlock })
      toBlock = fromBlock - 1
    }
  }

  function isReported(difference: BalanceDifference): boolean {
    return reported.get(placeOf(difference)) === amountsOf(difference)
  }

  function report(difference: BalanceDifference, block: number): void {
    if (reported.size > 10 * BALANCES_PER_TURN) reported.clear()
    reported.set(placeOf(difference), amountsOf(difference))
    deps.metrics.countUnexplained(chainId)
    deps.log.error({
      msg: 'Balance of a split is not what its transfers explain',
      chain_id: chainId,
      block_number: block,
      charge_id: difference.charge.id,
      token_address: difference.tokenAddress,
      expected_atomic: difference.expectedAtomic,
      found_atomic: difference.foundAtomic,
    })
  }
}

type Range = { readonly fromBlock: number; readonly toBlock: number }

/** One after the other: what was missed is little, or has time. */
async function readReceipts(
  client: ChainClient,
  hashes: readonly Hex[],
): Promise<readonly CanonicalReceipt[]> {
  const receipts: CanonicalReceipt[] = []
  for (const hash of hashes) {
    const receipt = await readCanonicalReceipt(client, hash)
    if (receipt !== null) receipts.push(receipt)
  }
  return receipts
}

function placeOf({ charge, tokenAddress }: BalanceDifference): string {
  return `${charge.id}/${tokenAddress}`
}

function amountsOf({ expectedAtomic, foundAtomic }: BalanceDifference): string {
  return `${expectedAtomic}/${foundAtomic}`
}
