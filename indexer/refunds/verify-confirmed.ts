import {
  type ConfirmedRefund,
  listRefundsToVerify,
  markRefundMissing,
  markRefundVerified,
  postponeVerification,
} from '../../shared/db/refunds/daemon/verify-refund.ts'
import { keyOf, listContents } from './match-transfers.ts'
import { AT_ONCE, type RefundWatchDeps, readAgreed } from './read-transfers.ts'

const PER_TURN = 20

/**
 * Reads the transfers of confirmed refunds again. If only a trusted node showed a transfer, the transfer is read until
 * a quorum shows it (decisions 9.1). If a quorum denies a transfer, because a reorganization deeper than the
 * confirmation depth removed it, the refund stays confirmed, but is marked as missing, with an error in the log
 * (decisions 3.8).
 *
 * @param findDeepBlock - returns the highest block at confirmation depth
 */
export async function verifyConfirmed(
  deps: RefundWatchDeps,
  findDeepBlock: () => Promise<number>,
): Promise<void> {
  const { chainId } = deps.deployment
  const refunds = await listRefundsToVerify(deps.sql, { chainId, limit: PER_TURN })
  if (refunds.length === 0) return
  const deep = await findDeepBlock()
  for (let at = 0; at < refunds.length; at += AT_ONCE)
    await Promise.all(
      refunds.slice(at, at + AT_ONCE).map((refund) =>
        verify(deps, refund, deep).catch(async (error: unknown) => {
          deps.log.error({ msg: 'Could not verify a confirmed refund', refund_id: refund.id, error })
          // Otherwise refunds that always fail would come first in each turn, and no other refund would be read.
          await postponeVerification(deps.sql, refund.id)
        }),
      ),
    )
}

async function verify(deps: RefundWatchDeps, refund: ConfirmedRefund, deep: number): Promise<void> {
  const { sql, log, deployment } = deps
  const { id, chargeId, txHash, ordinal, blockNumber } = refund
  const agreed = await readAgreed(deps, { txHash, blockNumber })
  const isByTrust = agreed?.by.some((vote) => vote.startsWith('trusted:')) ?? false
  const receipt = agreed?.value ?? null
  const content = keyOf(refund)
  const count =
    receipt === null ? 0 : listContents(receipt, deployment).filter((one) => one === content).length
  if (agreed !== null && receipt !== null && count > ordinal && receipt.blockNumber <= deep)
    return markRefundVerified(sql, id, { ...receipt, ordinal, agreedBy: agreed.by })
  // A trusted node alone can confirm a transfer, but cannot deny a transfer that a quorum, or the node itself, showed
  // before.
  if (agreed === null || isByTrust || count > ordinal) return postponeVerification(sql, id)
  await markRefundMissing(sql, id)
  if (refund.isMissing) return
  const fields = { refund_id: id, charge_id: chargeId, tx_hash: txHash }
  log.error({ msg: 'A quorum denies the transfer of a confirmed refund', ...fields })
}
