import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { queryOperators, queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import { type CanonicalReceipt, readCanonicalReceipt } from '../../shared/chain/nodes/receipts.ts'
import { listProcessedLogs } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  type CheckedCharge,
  type CheckResult,
  type FoundProgress,
  hasCredit,
  type TransactionHint,
} from '../../shared/db/requests/check-requests.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { parsePairKey } from '../../shared/domain/networks.ts'
import { getDepth } from '../../shared/domain/transfer.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { scanLogs } from '../chain-feed/scan-logs.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { queryEffects, toText } from '../corroboration/query-effects.ts'
import { type AgreedEffects, getLogKey, recordAgreed } from '../corroboration/record-agreed.ts'
import { RANGES_PER_HOUR } from '../reconciliation/block-ranges.ts'
import { readSince } from '../reconciliation/read-since.ts'
import { listPayments, listSenders } from './list-payments.ts'

export type CheckDeps = {
  readonly sql: Sql
  readonly chains: readonly CheckedChain[]
  readonly now: Clock
  readonly log: Logger
}

/**
 * Maximum transactions per check and chain, because a payer might send dust in many transactions. Reconciliation finds
 * the other payments.
 */
const MAX_RECEIPTS = 20

const NOTHING: CheckResult = {
  outcome: 'checked',
  transactionSender: null,
  tokenSenders: [],
  userOperationSenders: [],
  progress: null,
}

/**
 * Searches the chains for payments to an open charge, or reads the transaction that the caller names, and records the
 * payments that are at confirmation depth. Returns the progress of the payment that lacks the fewest confirmations.
 *
 * Reports and records only payments that a quorum of nodes shows. A payment that is not yet at confirmation depth is
 * not recorded: only the feed, or a later check, can show whether it survives a reorganization.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum of a network's nodes responds or agrees, or the network is not
 * configured
 */
export async function checkCharge(
  deps: CheckDeps,
  charge: CheckedCharge,
  hint: TransactionHint | null,
): Promise<CheckResult> {
  if (hint !== null) return checkTransaction(deps, charge, hint)
  if (!isOpen(charge)) return NOTHING
  const networks = new Set(charge.acceptedPayments.map((key) => parsePairKey(key)?.network))
  // Waits for the scans of all chains, so that the payments of one chain are recorded even if another chain cannot be
  // read.
  const scans = await Promise.allSettled(
    [...networks].map(async (network) => scanChain(deps, charge, findChain(deps, charge, network))),
  )
  const found = scans.map((scan) => {
    if (scan.status === 'rejected') throw scan.reason
    return scan.value
  })
  const [progress = null] = found
    .flatMap((of) => of ?? [])
    .toSorted((left, right) => missingBlocks(left) - missingBlocks(right))
  return { ...NOTHING, progress }
}

/**
 * Checks the transaction that the caller names. If it pays an open or expired charge, returns the senders, and either
 * records the payment at confirmation depth or returns its progress. If it pays a confirmed or underpaid charge,
 * returns the senders only if the payment was credited; the ledger then already has the payment. Any other transaction
 * has no effect.
 */
async function checkTransaction(
  deps: CheckDeps,
  charge: CheckedCharge,
  { network, txHash }: TransactionHint,
): Promise<CheckResult> {
  const { sql } = deps
  const chain = findChain(deps, charge, network)
  const { deployment } = chain
  const { chainId } = deployment
  const isFinal = charge.status === 'confirmed' || charge.status === 'underpaid'
  if (isFinal && !(await hasCredit(sql, { chargeId: charge.id, chainId, txHash }))) return NOTHING
  const receipt = await findReceipt(chain.chain, txHash)
  if (receipt === null) return NOTHING
  const payments = listPayments(receipt, deployment, charge)
  if (payments.length === 0) return NOTHING
  const progress = isFinal ? null : await takeUp(deps, charge, { chain, receipts: [receipt] })
  return { ...NOTHING, ...listSenders(receipt, payments), progress }
}

/**
 * Returns a transaction's receipt, as a quorum shows it, at any depth; `null` if no block contains the transaction, or
 * if the transaction failed.
 */
async function findReceipt(chain: ChainNodes, txHash: Hex): Promise<CanonicalReceipt | null> {
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readCanonicalReceipt(client, txHash),
    toText: (receipt) => `${receipt?.from ?? ''} ${toText(receipt)}`,
  })
  return requireAgreed(verdict, `transaction ${txHash}`).value
}

function findChain(
  { chains }: CheckDeps,
  { environment }: CheckedCharge,
  network: string | undefined,
): CheckedChain {
  const chain = chains.find(
    ({ deployment }) => deployment.network === network && deployment.environment === environment,
  )
  if (chain !== undefined) return chain
  throw new AppError('rpc_unavailable', `${network} cannot be read at the moment`)
}

/**
 * Searches the blocks since the charge was created, newest first, in at most `RANGES_PER_HOUR` ranges. These cover at
 * least the last hour, unless the nodes serve only small ranges of a fast chain. Reconciliation covers older blocks.
 *
 * @returns the progress of a payment that lacks confirmations; `null` if there is none
 */
async function scanChain(
  deps: CheckDeps,
  charge: CheckedCharge,
  chain: CheckedChain,
): Promise<FoundProgress | null> {
  const { deployment } = chain
  const { chainId, confirmations, blockTimeMs } = deployment
  const head = (await queryConfirmedHead(chain.chain, deployment)).number + confirmations - 1
  const ageMs = deps.now().getTime() - charge.createdAt.getTime()
  const emitters = deployment.tokens.map(({ emitter }) => emitter)
  const { answers } = await readSince({
    life: { block: head, ageMs, blockTimeMs },
    maxRanges: RANGES_PER_HOUR,
    read: async (range) => {
      const scan = { charges: [charge], emitters, ...range }
      const responses = await queryOperators(chain.chain, ({ client }) => scanLogs(client, scan))
      if (responses === null)
        throw new AppError('rpc_unavailable', `no quorum lists the logs of ${deployment.network}`)
      const logs = responses.reports.flatMap(({ value }) => value)
      const settled = new Set((await listProcessedLogs(deps.sql, { chainId, ...range })).map(getLogKey))
      return logs.filter((log) => !settled.has(getLogKey(log))).map(({ txHash }) => txHash)
    },
  })
  const wanted = [...new Set(answers.flat())].slice(0, MAX_RECEIPTS)
  const receipts = await Promise.all(wanted.map((hash) => findReceipt(chain.chain, hash)))
  return takeUp(deps, charge, { chain, receipts: receipts.flatMap((receipt) => receipt ?? []) })
}

/**
 * Records the receipts at confirmation depth. Returns the progress of the payment in the lowest block that is not yet
 * at depth; `null` if every payment is at depth.
 */
async function takeUp(
  deps: CheckDeps,
  charge: CheckedCharge,
  found: { readonly chain: CheckedChain; readonly receipts: readonly CanonicalReceipt[] },
): Promise<FoundProgress | null> {
  const { deployment, chain } = found.chain
  if (found.receipts.length === 0) return null
  const deep = await queryConfirmedHead(chain, deployment)
  const below = found.receipts.filter(({ blockNumber }) => blockNumber <= deep.number)
  const agreed = await Promise.all(below.map((receipt) => findEffects(found.chain, receipt, deep.number)))
  await recordAgreed(
    deps,
    deployment,
    agreed.flatMap((one) => one ?? []),
  )
  const waiting = found.receipts
    .filter(({ blockNumber }) => blockNumber > deep.number)
    .filter((receipt) => listPayments(receipt, deployment, charge).length > 0)
  if (waiting.length === 0) return null
  const { network, confirmations } = deployment
  const block = Math.min(...waiting.map(({ blockNumber }) => blockNumber))
  const blocksSeen = getDepth({ head: deep.number + confirmations - 1, block })
  return { network, blocksSeen, blocksRequired: confirmations }
}

/**
 * Reads the transaction from a quorum again once its block is at confirmation depth, because the chain may have been
 * reorganized since the first read. On TRON, the second API must also show the transaction. Returns `null` without a
 * quorum.
 */
async function findEffects(
  { sources }: CheckedChain,
  { txHash, blockNumber }: CanonicalReceipt,
  confirmedHeadNumber: number,
): Promise<AgreedEffects | null> {
  const verdict = await queryEffects(sources, { txHash, blockNumber })
  return verdict.outcome === 'agreed' ? { txHash, effects: verdict.agreed, confirmedHeadNumber } : null
}

function missingBlocks({ blocksSeen, blocksRequired }: FoundProgress): number {
  return blocksRequired - blocksSeen
}
