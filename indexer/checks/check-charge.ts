import { type CanonicalReceipt, readCanonicalReceipt } from '../../shared/chain/receipts.ts'
import { listSettledLogs } from '../../shared/db/chain-facts/reconciliations.ts'
import type { Sql } from '../../shared/db/connect.ts'
import {
  type CheckAnswer,
  type CheckedCharge,
  type FoundProgress,
  hasCredit,
  type TransactionHint,
} from '../../shared/db/requests/check-requests.ts'
import { isOpen } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { parsePairKey } from '../../shared/domain/networks.ts'
import { depth } from '../../shared/domain/transfer.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { confirmReceipts } from '../reconciliation/confirm-receipts.ts'
import { RANGES_OF_AN_HOUR } from '../reconciliation/ranges-since.ts'
import { type DeepBlock, readDeepBlock } from '../reconciliation/read-deep-block.ts'
import { readSince } from '../reconciliation/read-since.ts'
import { keyOf, recordFound } from '../reconciliation/record-found.ts'
import { scanLogs } from '../reconciliation/scan-logs.ts'
import type { CheckedChain } from './checked-chain.ts'
import { keepCanonical } from './keep-canonical.ts'
import { paymentsOf, sendersOf } from './payments-of.ts'

/** What a check works with. */
export type CheckDeps = {
  readonly sql: Sql
  readonly chains: readonly CheckedChain[]
  readonly now: Clock
  readonly log: Logger
}

/** Transactions looked into; who sent dust in more of them waits for the reconciliation. */
const MAX_RECEIPTS = 20

const NOTHING: CheckAnswer = {
  outcome: 'checked',
  transactionSender: null,
  tokenSenders: [],
  userOperationSenders: [],
  progress: null,
}

/**
 * Looks on the chains for what has paid a charge, and records what is at confirmation depth and was not known.
 *
 * It needs no Ponder, and may be repeated. What is not yet deep is told and not recorded: only the feed, or a later
 * look, can say what a reorganization has left of it.
 *
 * @throws {AppError} `rpc_unavailable`
 * @throws {BaseError} viem's, if no node answers
 */
export async function checkCharge(
  deps: CheckDeps,
  charge: CheckedCharge,
  hint: TransactionHint | null,
): Promise<CheckAnswer> {
  if (hint !== null) return checkTransaction(deps, charge, hint)
  if (!isOpen(charge)) return NOTHING
  const networks = new Set(charge.acceptedPayments.map((key) => parsePairKey(key)?.network))
  // All of them to the end: what one chain shows is recorded, whether or not another can be read.
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
 * The cases: a transaction that paid an open or expired charge is evidence, recorded if it is deep; one that paid a
 * charge which is final is evidence if it was credited, and then the ledger has it already; any other is nothing.
 */
async function checkTransaction(
  deps: CheckDeps,
  charge: CheckedCharge,
  { network, txHash }: TransactionHint,
): Promise<CheckAnswer> {
  const { sql } = deps
  const chain = findChain(deps, charge, network)
  const { client, deployment } = chain
  const { chainId } = deployment
  const isFinal = charge.status === 'confirmed' || charge.status === 'underpaid'
  if (isFinal && !(await hasCredit(sql, { chargeId: charge.id, chainId, txHash }))) return NOTHING
  const receipt = await readCanonicalReceipt(client, txHash)
  if (receipt === null) return NOTHING
  const payments = paymentsOf(receipt, deployment, charge)
  if (payments.length === 0) return NOTHING
  const progress = isFinal ? null : await takeUp(deps, charge, { chain, receipts: [receipt] })
  return { ...NOTHING, ...sendersOf(receipt, payments), progress }
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

/** Looks through the blocks since the charge was made, newest first: an hour of them; what is older, reconciliation has seen. */
async function scanChain(
  deps: CheckDeps,
  charge: CheckedCharge,
  chain: CheckedChain,
): Promise<FoundProgress | null> {
  const { client, deployment } = chain
  const { chainId, confirmations, blockTimeMs } = deployment
  const head = (await readDeep(deps, chain)).number + confirmations - 1
  const ageMs = deps.now().getTime() - charge.createdAt.getTime()
  const emitters = deployment.tokens.map(({ emitter }) => emitter)
  const { answers } = await readSince({
    life: { block: head, ageMs, blockTimeMs },
    maxRanges: RANGES_OF_AN_HOUR,
    read: async (range) => {
      const logs = await scanLogs(client, { charges: [charge], emitters, ...range })
      const settled = new Set((await listSettledLogs(deps.sql, { chainId, ...range })).map(keyOf))
      return logs.filter((log) => !settled.has(keyOf(log))).map(({ txHash }) => txHash)
    },
  })
  const wanted = [...new Set(answers.flat())].slice(0, MAX_RECEIPTS)
  const receipts = await Promise.all(wanted.map((hash) => readCanonicalReceipt(client, hash)))
  return takeUp(deps, charge, { chain, receipts: receipts.flatMap((receipt) => receipt ?? []) })
}

/** Records the receipts that are deep; answers how far the next of the others is. */
async function takeUp(
  deps: CheckDeps,
  charge: CheckedCharge,
  found: { readonly chain: CheckedChain; readonly receipts: readonly CanonicalReceipt[] },
): Promise<FoundProgress | null> {
  const { deployment } = found.chain
  if (found.receipts.length === 0) return null
  const { number: deepBlock, nodes } = await readDeep(deps, found.chain)
  const below = found.receipts.filter(({ blockNumber }) => blockNumber <= deepBlock)
  // The chain may have been reorganized since the receipts were read, when their blocks were not deep.
  const canonical = await keepCanonical(nodes, below)
  const deep = await confirmReceipts(nodes, { ...deployment, receipts: canonical })
  if (deep.length > 0) await recordFound(deps, deployment, deep)
  const waiting = found.receipts
    .filter(({ blockNumber }) => blockNumber > deepBlock)
    .filter((receipt) => paymentsOf(receipt, deployment, charge).length > 0)
  if (waiting.length === 0) return null
  const { network, confirmations } = deployment
  const block = Math.min(...waiting.map(({ blockNumber }) => blockNumber))
  const blocksSeen = depth({ head: deepBlock + confirmations - 1, block })
  return { network, blocksSeen, blocksRequired: confirmations }
}

function readDeep({ now }: CheckDeps, { nodes, deployment }: CheckedChain): Promise<DeepBlock> {
  return readDeepBlock(nodes, { ...deployment, now: now() })
}

function missingBlocks({ blocksSeen, blocksRequired }: FoundProgress): number {
  return blocksRequired - blocksSeen
}
