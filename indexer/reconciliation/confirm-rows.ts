import type { PlacedReceipt } from '../../shared/chain/receipts.ts'
import { listUnconfirmed, type Unconfirmed } from '../../shared/db/chain-facts/daemon/unconfirmed.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { type ChainNode, nameOf } from '../transport/node-heads.ts'
import { SCANS } from './families.ts'
import { findDiffering, markAlike } from './mark-alike.ts'
import { recordMissed, type ScanDeps } from './record-missed.ts'
import { type Account, askAbout, findConfirmed, seekSecondAccount, type Told } from './second-account.ts'

/** What confirms the rows of one chain. */
export type ConfirmationDeps = ScanDeps & {
  /** Each is asked at the API that the feed does not read. */
  readonly nodes: readonly ChainNode[]
  readonly now: Clock
}

/** Transactions asked for in one turn, of a second: at three requests each to every node, and all of a busy block within ten turns. */
const TRANSACTIONS_PER_TURN = 20
/** Of them under way at once. */
const AT_ONCE = 5
/** A node that could not be asked is left in peace so long beside another, for one that hangs takes ten seconds each time. */
const PAUSE_MS = 60_000
/** Turns in which it failed, one after the other. */
const MOST_FAILURES = 3
/** What is not found is asked for again after a second, after two, and so on. */
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** A solid block is there at both APIs within seconds; then somebody is told, once. */
const ALERT_AFTER_MS = 60_000

/** Remembered at once; beyond, all are asked for and told of again. */
const MOST_DOUBTS = 10_000

/** What has been asked for in vain. */
type Doubt = { readonly sinceMs: number; readonly nextMs: number; readonly isTold: boolean }

/**
 * Makes the job that looks, at the nodes' other API, for the transactions whose rows are deep by the feed's word, and
 * marks the rows of which it says the same; only then they count (`at-depth.ts`).
 *
 * A row that no node's other API shows alike, or that one shows and another denies, credits nothing, settles nothing, and
 * holds its charge open, with an alert. What is shown otherwise is recorded only if two say so whom the feed is none of.
 */
export function createConfirmation(deps: ConfirmationDeps): {
  readonly turn: () => Promise<'more' | 'idle'>
} {
  const { sql, deployment } = deps
  const { chainId } = deployment
  const doubts = new Map<Hex, Doubt>()
  /** Until when nodes are left in peace, by their URLs. */
  const pauses = new Map<string, number>()
  const failures = new Map<string, number>()
  /** Where the round is, so that what is never found keeps nothing else waiting. */
  let after = ''

  return { turn }

  async function turn(): Promise<'more' | 'idle'> {
    const listed = await listUnconfirmed(sql, { chainId, after, limit: TRANSACTIONS_PER_TURN })
    const hashes = listed.map(({ txHash }) => txHash)
    const isWholeRound = after === '' && listed.length < TRANSACTIONS_PER_TURN
    if (isWholeRound) for (const hash of doubts.keys()) if (!hashes.includes(hash)) doubts.delete(hash)
    after = listed.length < TRANSACTIONS_PER_TURN ? '' : (hashes.at(-1) ?? '')
    const due = listed.filter(({ txHash }) => (doubts.get(txHash)?.nextMs ?? 0) <= deps.now().getTime())
    if (due.length > 0) await confirm(due)
    if (doubts.size > MOST_DOUBTS) doubts.clear()
    // Also of what was found: if it is listed again, it was found elsewhere, or with other amounts.
    for (const { txHash } of due) doubt(txHash)
    return 'idle'
  }

  async function confirm(due: readonly Unconfirmed[]): Promise<void> {
    const nowMs = deps.now().getTime()
    const rested = deps.nodes.filter(({ url }) => (pauses.get(url) ?? 0) <= nowMs)
    const asked = rested.length > 0 ? rested : deps.nodes
    const told = (await Promise.all(asked.map((node) => readAll(node, due)))).flat()
    const question = { nodes: deps.nodes, ...deployment }
    const found = await Promise.all(
      due.map(({ txHash }) =>
        findConfirmed(
          told.filter((one) => one.txHash === txHash),
          question,
        ),
      ),
    )
    const confirmed = found.filter((account) => account !== null)
    const receipts = confirmed.map(({ receipt }) => receipt)
    const differing = await findDiffering(deps, receipts)
    await markAlike(deps, receipts)
    if (receipts.length > 0) deps.onNews()
    await recordMissed(deps, await agreed(confirmed.filter(({ receipt }) => differing.includes(receipt))))
  }

  /** Those that somebody else tells of as well. */
  async function agreed(accounts: readonly Account[]): Promise<readonly PlacedReceipt[]> {
    const question = { nodes: deps.nodes, ...deployment }
    const judged = await Promise.all(
      accounts.map(async (account) => ({
        receipt: account.receipt,
        verdict: await seekSecondAccount(account, question),
      })),
    )
    return judged.flatMap(({ receipt, verdict }) => (verdict === 'alike' ? [receipt] : []))
  }

  /** Some at once; what comes after a failure is not asked for in this turn, and undecided until the node is given up. */
  async function readAll(node: ChainNode, due: readonly Unconfirmed[]): Promise<readonly Word[]> {
    const source = SCANS[REGISTRY[deployment.network].family].sourceOf(node)
    const words: Word[] = []
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const some = due.slice(at, at + AT_ONCE)
      const answers = await Promise.allSettled(
        some.map(async (one) => ({ node, txHash: one.txHash, told: await askAbout(source, one) })),
      )
      words.push(...answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
      const failure = answers.find((one) => one.status === 'rejected')
      if (failure === undefined) continue
      if (fail(node, failure.reason)) return words
      const heard = new Set(words.map(({ txHash }) => txHash))
      const unheard = due.filter(({ txHash }) => !heard.has(txHash))
      return [...words, ...unheard.map(({ txHash }) => ({ node, txHash, told: 'undecided' as const }))]
    }
    failures.delete(node.url)
    return words
  }

  /** Answers whether it is given up: one refused request must not make another node's word count alone. */
  function fail(node: ChainNode, error: unknown): boolean {
    const count = (failures.get(node.url) ?? 0) + 1
    failures.set(node.url, count)
    const fields = { chain_id: chainId, node: nameOf(node), error }
    if (count < MOST_FAILURES) {
      deps.log.warn({ msg: 'A node could not be asked for transactions', ...fields })
      return false
    }
    pauses.set(node.url, deps.now().getTime() + PAUSE_MS)
    const msg = 'A node could not be asked for transactions: payments count on the word of the others'
    deps.log[count === MOST_FAILURES ? 'error' : 'warn']({ msg, ...fields })
    return true
  }

  function doubt(hash: Hex): void {
    const nowMs = deps.now().getTime()
    const { sinceMs = nowMs, isTold = false } = doubts.get(hash) ?? {}
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, nowMs - sinceMs))
    const isLate = nowMs - sinceMs >= ALERT_AFTER_MS
    if (isLate && !isTold)
      deps.log.error({
        msg: 'A transaction that the feed shows is not what the other API of any node shows: it counts for nothing',
        chain_id: chainId,
        tx_hash: hash,
      })
    doubts.set(hash, { sinceMs, nextMs: nowMs + waitMs, isTold: isTold || isLate })
  }
}

type Word = { readonly node: ChainNode; readonly txHash: Hex; readonly told: Told }
