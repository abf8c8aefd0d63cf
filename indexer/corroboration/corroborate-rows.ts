import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import { type ConfirmedHead, queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { markCorroboratedInBlock } from '../../shared/db/chain-facts/daemon/chain-rows.ts'
import { CHAIN_TABLES } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import {
  listToVerify,
  listUncorroborated,
  type UncorroboratedTransaction,
} from '../../shared/db/chain-facts/daemon/uncorroborated.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { CheckedChain } from './checked-chain.ts'
import { createLateWatch } from './overdue-monitor.ts'
import { queryEffects } from './query-effects.ts'
import { type AgreedEffects } from './record-agreed.ts'
import { type RecordDeps, recordRecovered } from './record-recovered.ts'
import { createRestList } from './rest-list.ts'
import { createVerificationRounds } from './verification-rounds.ts'

export type CorroborationDeps = RecordDeps & CheckedChain & { readonly now: Clock }

/** Maximum transactions per turn. On EVM networks, a transaction costs two requests to each queried node. */
const TRANSACTIONS_PER_TURN = 50
/** Maximum transactions that are queried concurrently. */
const AT_ONCE = 10
/**
 * Maximum transactions that a turn verifies again (`listToVerify`). It is small because no payment waits for these
 * verifications.
 */
const VERIFIED_PER_TURN = 5
/** Minimum interval between turns that verify transactions again. */
const VERIFY_EVERY_MS = 30_000

/**
 * Creates the job that checks the rows that a single node reported, through the feed or a scan, against a quorum. Only
 * rows that a quorum has shown count (`at-depth.ts`).
 *
 * A row's transaction is queried as soon as the row is recorded, or, if receipts are readable only in final blocks,
 * once the row is at confirmation depth. If a quorum has shown the row before that depth, only the number and hash of
 * its block are checked again at that depth. Until a quorum shows the row at that depth, it credits no amount and
 * completes no payout. A row that waits at that depth blocks the expiry of its charge, and raises an alert after two
 * minutes. A row that a quorum denies at that depth is orphaned, unless an earlier quorum has shown it. If the quorum
 * shows different content, that content is recorded.
 */
export function createCorroboration(deps: CorroborationDeps) {
  const { sql, deployment, chain, sources } = deps
  const { chainId } = deployment
  const resting = createRestList(deps.now)
  const late = createLateWatch({ ...deps, chainId })
  const rounds = createVerificationRounds((except) =>
    listToVerify(sql, { chainId, limit: VERIFIED_PER_TURN, except }),
  )
  let verifiedAtMs = Number.NEGATIVE_INFINITY

  return { turn }

  /**
   * Checks the waiting rows, and then, even after a failure, looks for overdue rows, because rows that this turn
   * confirms after an outage are no longer overdue.
   */
  async function turn(): Promise<'more' | 'idle'> {
    try {
      return await takeDue()
    } finally {
      await late.look()
    }
  }

  async function takeDue(): Promise<'more' | 'idle'> {
    const due = await listUncorroborated(sql, {
      ...{ chainId, isSeenEnough: sources.isEarly, limit: TRANSACTIONS_PER_TURN },
      except: resting.list(),
    })
    const verified = due.length === 0 ? await listVerifiable() : []
    const all = [...due, ...verified]
    if (all.length === 0) return 'idle'
    const hasDeep = all.some(({ isDeep }) => isDeep)
    const deep = hasDeep ? await findDeepBlock() : null
    const isOpen = await confirmBlocks(all, deep)
    // Noted before the queries, so that a transaction whose recording always fails does not keep the others waiting.
    // Without a confirmed head no row can be denied, so the transactions keep their places in the round.
    if (deep !== null) rounds.note(verified)
    await corroborate(all.filter(isOpen), deep)
    return due.length === TRANSACTIONS_PER_TURN ? 'more' : 'idle'
  }

  /**
   * Returns `null` if no quorum shows a confirmed head. No row starts to count then, but transactions that no quorum
   * has shown yet are still queried, and their verdicts recorded.
   */
  async function findDeepBlock(): Promise<ConfirmedHead | null> {
    try {
      return await queryConfirmedHead(chain, deployment)
    } catch (error) {
      if (error instanceof AppError && error.code === 'rpc_unavailable') return null
      throw error
    }
  }

  async function listVerifiable(): Promise<readonly UncorroboratedTransaction[]> {
    const nowMs = deps.now().getTime()
    if (nowMs - verifiedAtMs < VERIFY_EVERY_MS) return []
    verifiedAtMs = nowMs
    return rounds.listNext(resting.list().atDepth)
  }

  /**
   * Marks the agreed rows whose block a quorum shows at confirmation depth.
   *
   * @returns whether a transaction's receipt must be read
   */
  async function confirmBlocks(
    all: readonly UncorroboratedTransaction[],
    deep: ConfirmedHead | null,
  ): Promise<(one: UncorroboratedTransaction) => boolean> {
    const waiting = all.filter(({ isAgreed, isDeep }) => isAgreed && isDeep)
    const numbers = [...new Set(waiting.map(({ blockNumber }) => blockNumber))]
    const hashes = new Map<number, Hex>()
    for (const number of numbers.filter((one) => deep !== null && one <= deep.number)) {
      const verdict = deep?.block?.value.number === number ? deep.block : await findAgreedBlock(number)
      if (verdict !== null) hashes.set(number, verdict.value.hash)
    }
    const confirmed = [...hashes].map(([blockNumber, blockHash]) => ({ blockNumber, blockHash }))
    if (confirmed.length > 0) {
      await inTransaction(sql, async (db) => {
        for (const table of CHAIN_TABLES)
          await markCorroboratedInBlock(db, table, { chainId, blocks: confirmed })
      })
      deps.onNews()
    }
    return ({ isAgreed, isDeep, blockNumber, blockHash }) =>
      isAgreed && isDeep ? (hashes.get(blockNumber) ?? blockHash) !== blockHash : true
  }

  async function findAgreedBlock(number: number) {
    const verdict = await queryBlock(chain, number)
    return verdict.outcome === 'agreed' ? verdict.agreed : null
  }

  async function corroborate(
    due: readonly UncorroboratedTransaction[],
    deep: ConfirmedHead | null,
  ): Promise<void> {
    const confirmedHeadNumber = deep?.number ?? -1
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const some = due.slice(at, at + AT_ONCE)
      const found = await Promise.all(some.map((one) => findEffects(one, confirmedHeadNumber)))
      await recordRecovered(
        deps,
        found.flatMap((one) => one ?? []),
      )
    }
    for (const { txHash, isDeep } of due) resting.note(txHash, isDeep)
  }

  async function findEffects(
    { txHash, blockNumber }: UncorroboratedTransaction,
    confirmedHeadNumber: number,
  ): Promise<AgreedEffects | null> {
    const verdict = await queryEffects(sources, { txHash, blockNumber })
    deps.metrics.noteVerdict(chainId, verdict)
    if (verdict.outcome !== 'agreed') return null
    return { txHash, effects: verdict.agreed, confirmedHeadNumber }
  }
}
