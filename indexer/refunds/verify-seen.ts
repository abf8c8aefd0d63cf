import type { WatchedRefund } from '../../shared/db/refunds/daemon/watched-refunds.ts'
import { matchTransfers } from './match-transfers.ts'
import { type AgreedReceipt, AT_ONCE, type RefundWatchDeps, readAgreed } from './read-transfers.ts'
import { recordTransfer, recordVanished } from './record-transfer.ts'

/** Reads the transactions of seen refunds again: they might have reached confirmation depth, moved or vanished. */
export async function verifySeen(
  deps: RefundWatchDeps,
  refunds: readonly WatchedRefund[],
  deep: number,
): Promise<void> {
  const seen = refunds.filter(({ status }) => status === 'seen')
  for (let at = 0; at < seen.length; at += AT_ONCE)
    await Promise.all(seen.slice(at, at + AT_ONCE).map((refund) => verify(deps, refund, deep)))
}

async function verify(deps: RefundWatchDeps, refund: WatchedRefund, deep: number): Promise<void> {
  const { txHash, blockNumber } = refund
  if (txHash === null || blockNumber === null) return
  const agreed = await readAgreed(deps, { txHash, blockNumber })
  if (agreed === null) return
  await update(deps, refund, { agreed, deep }).catch((error: unknown) => {
    deps.log.error({ msg: 'Could not update a seen refund', refund_id: refund.id, error })
  })
}

async function update(
  deps: RefundWatchDeps,
  refund: WatchedRefund,
  { agreed, deep }: { readonly agreed: AgreedReceipt; readonly deep: number },
): Promise<void> {
  const { value: receipt, by: agreedBy } = agreed
  const [matched] =
    receipt === null ? [] : matchTransfers(receipt, { deployment: deps.deployment, refunds: [refund] })
  if (receipt === null || matched === undefined) await recordVanished(deps, refund)
  else await recordTransfer(deps, { ...matched, receipt, agreedBy, isDeep: receipt.blockNumber <= deep })
}
