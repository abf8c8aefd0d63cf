import { decodeReceipt } from '../../indexer/chain-feed/decode-receipt.ts'
import { observeTransfers } from '../../indexer/chain-feed/observe.ts'
import { recordChainRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { type PaidCharge, type Stage, watchedDeployment } from './payout-fixture.ts'

/** A transfer as the feed reports it. */
export type FeedTransfer = Parameters<typeof observeTransfers>[0][number]

/**
 * Pays 10 dollars to a charge on the chain, and records the transfer from the feed.
 *
 * @param report.lie - false values in the feed's report
 * @param report.fed - the charge that the feed reports as paid, by default the paid charge
 * @returns the transfer on the chain, and its sender, value and time as `truth`, named like our columns
 */
export async function payAndReport(
  stage: Stage,
  charge: PaidCharge,
  { lie = {}, fed = charge }: { readonly lie?: Partial<FeedTransfer>; readonly fed?: PaidCharge } = {},
) {
  const transfer = await pay(stage, charge)
  await report(stage, fed, { ...transfer, recipient: fed.splitAddress, ...lie })
  await stage.moveFeed()
  const { sender, value: valueAtomic, blockTimestamp } = transfer
  return { transfer, truth: { sender, valueAtomic, blockTimestamp } }
}

/** Records a transfer from the feed. */
export async function report(
  stage: Stage,
  { chargeId, splitAddress }: PaidCharge,
  transfer: FeedTransfer,
): Promise<void> {
  const terms = { environment: 'live', acceptedPayments: ['USDC/base'] } as const
  const watched = [{ id: chargeId, address: splitAddress, splitAddress, ...terms }]
  const rows = observeTransfers([transfer], watchedDeployment(stage), watched)
  await recordChainRows(stage.daemonSql, 'transfers', { rows, ponderSchema: 'ponder_1' })
}

async function pay(stage: Stage, { splitAddress }: PaidCharge): Promise<FeedTransfer> {
  await stage.callToken('mint', [splitAddress, 10_000_000n])
  const { hash: blockHash, number, timestamp, transactions } = await stage.node.getBlock()
  const txHash = transactions[0] as Hex
  const { logs } = await stage.node.getTransactionReceipt({ hash: txHash })
  const { transfers } = decodeReceipt({
    ...{ txHash, blockHash, blockNumber: Number(number), blockTimestamp: Number(timestamp) },
    logs: logs.map((log) => ({ ...log, topics: [...log.topics] })),
  })
  const [transfer] = transfers
  if (transfer === undefined) throw new Error('the payment logged no transfer')
  return transfer
}
