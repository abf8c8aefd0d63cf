import { BaseError } from 'viem'
import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import type { Responses } from '../../shared/chain/nodes/node-report.ts'
import { queryBlock } from '../../shared/chain/nodes/query-block.ts'
import { queryConfirmedHead } from '../../shared/chain/nodes/query-confirmed-head.ts'
import { getQuorumRule, queryNodes } from '../../shared/chain/nodes/query-nodes.ts'
import { findVerdict, type Verdict } from '../../shared/chain/nodes/quorum.ts'
import type { PositionedReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { ChainTable } from '../../shared/db/chain-facts/daemon/chain-tables.ts'
import type { CountedRow } from '../../shared/db/charges/daemon/strikes.ts'
import type { Db } from '../../shared/db/connect.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import { observeReceipts } from '../corroboration/observe-receipts.ts'
import { toText } from '../corroboration/query-effects.ts'

export type StrikeVerifierDeps = CheckedChain & { readonly sql: Db }

export type StrikeCandidate = CountedRow & { readonly chargeId: string; readonly table: ChainTable }

/** Result of querying every node about a row. */
export type StrikeVerdict =
  | {
      readonly outcome: 'denied'
      /** The transaction's effects, which the nodes report instead of the row. */
      readonly effects: Verdict<PositionedReceipt | null>
      readonly confirmedHeadNumber: number
    }
  /** Not every node denies the row, or its block is not at confirmation depth. `answer` gives the reason. */
  | { readonly outcome: 'refused'; readonly answer: string }

/**
 * Checks with every configured node, through each of its APIs, whether the node denies a row.
 *
 * A node denies the row if two conditions hold. First, its block at the row's number has the hash that a quorum agrees
 * on. Second, it shows that the transaction has failed, returns the transaction's receipt at confirmation depth without
 * the row, or returns the row's block without the transaction. A silent node does not deny the row.
 *
 * @throws {AppError} `rpc_unavailable` if no quorum agrees on the head or on the row's block
 */
export async function verifyStrike(deps: StrikeVerifierDeps, row: StrikeCandidate): Promise<StrikeVerdict> {
  const deep = await queryConfirmedHead(deps.chain, deps.deployment)
  if (row.blockNumber > deep.number)
    return refused(
      `block ${row.blockNumber} is not at confirmation depth: the highest block at that depth is ${deep.number}`,
    )
  const forked = await findForked(deps.chain, row.blockNumber)
  if (forked !== null) return refused(forked)
  const { txHash, blockNumber } = row
  const claim = { txHash, blockNumber }
  const responses = await queryNodes(deps.sources.voters, ({ source }) => source.readEffects(claim))
  const problem = describeSilent(responses) ?? describeShallow(responses, deep.number)
  if (problem !== null) return refused(problem)
  const showing = await listShowing(deps, row, responses)
  if (showing.length > 0) return refused(`the row is shown by ${showing.join(', ')}`)
  const rule = getQuorumRule(deps.sources.voters, deps.sources.apis)
  return {
    outcome: 'denied',
    effects: findVerdict(responses, rule, toText),
    confirmedHeadNumber: deep.number,
  }
}

/**
 * Describes the nodes that did not respond. If all responded, describes the nodes whose block at this number differs
 * from the agreed block; `null` if there are none.
 */
async function findForked(chain: ChainNodes, blockNumber: number): Promise<string | null> {
  const verdict = await queryBlock(chain, blockNumber)
  if (verdict.outcome !== 'agreed')
    throw new AppError('rpc_unavailable', `no quorum shows block ${blockNumber}`)
  const { hash } = verdict.agreed.value
  const responses = await queryNodes(chain, async ({ client }): Promise<Hex> => {
    const block = await client.getBlock({ blockNumber: BigInt(blockNumber) })
    return block.hash
  })
  const others = responses.reports.filter(({ value }) => value.toLowerCase() !== hash.toLowerCase())
  return (
    describeSilent(responses) ??
    (others.length > 0
      ? `block ${blockNumber} of ${others.map(({ node }) => node).join(', ')} differs from the quorum's`
      : null)
  )
}

function describeSilent({ silent }: Responses<unknown>): string | null {
  if (silent.length === 0) return null
  return `no response from ${silent.map(({ node, error }) => `${node} (${describeError(error)})`).join(', ')}`
}

function describeShallow(
  { reports }: Responses<PositionedReceipt | null>,
  confirmedHeadNumber: number,
): string | null {
  const shallow = reports.filter(({ value }) => (value?.blockNumber ?? 0) > confirmedHeadNumber)
  if (shallow.length === 0) return null
  return `the transaction is in a block that is not yet at confirmation depth according to ${shallow.map(({ node }) => node).join(', ')}`
}

/**
 * Lists the nodes that report the row's values for its charge, in any block and at any log index. A transfer that the
 * charge does not accept is not the row, because only accepted transfers count.
 */
async function listShowing(
  { sql, deployment }: StrikeVerifierDeps,
  row: StrikeCandidate,
  { reports }: Responses<PositionedReceipt | null>,
): Promise<readonly string[]> {
  const showing: string[] = []
  for (const { node, value } of reports) {
    if (value === null) continue
    const { rows } = await observeReceipts(sql, deployment, [value])
    const isShown = rows[row.table].some(
      (one) =>
        one.chargeId === row.chargeId &&
        one.tokenAddress === row.tokenAddress &&
        one.ordinal === row.ordinal &&
        one.kind === row.event &&
        one.party === row.party &&
        one.amountAtomic === row.amountAtomic &&
        one.isAccepted,
    )
    if (isShown) showing.push(node)
  }
  return [...new Set(showing)]
}

function refused(answer: string): StrikeVerdict {
  return { outcome: 'refused', answer }
}

/** Omits the full message of a viem error, because it contains the node's URL, which may carry a key. */
function describeError(error: unknown): string {
  if (error instanceof BaseError) return error.shortMessage
  return error instanceof Error ? error.message.slice(0, 200) : 'failed'
}
