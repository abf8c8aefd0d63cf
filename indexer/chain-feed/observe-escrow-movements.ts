import type { WatchedCharge } from '../../shared/db/charges-by-address.ts'
import type { ObservedEscrowMovement } from '../../shared/db/escrow-movements.ts'
import type { PonderTransfer } from '../../shared/db/ponder-tables.ts'
import { atomic } from '../../shared/domain/money.ts'
import { identify } from '../../shared/domain/transfer.ts'
import { isAccepted, isEscrow, positionOf, type WatchedDeployment } from './observe.ts'

/**
 * Tells what left the Safes of escrow charges, and where to: into the split is a release, to anybody else a refund
 * (decisions 4.4).
 *
 * Only tokens the charge accepts, in its own environment: a Safe has one address on all chains, and moving stray
 * testnet money releases nothing. Transfers of zero count in the ordinals and else for nothing, because anyone can
 * log them in anyone's name; what a Safe sends itself has not left it.
 */
export function observeEscrowMovements(
  rows: readonly PonderTransfer[],
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): readonly ObservedEscrowMovement[] {
  const escrowAt = new Map(charges.filter(isEscrow).map((charge) => [charge.address, charge]))
  const tokenOf = new Map(deployment.tokens.map((token) => [token.emitter, token]))
  const ours = rows.flatMap((row) => {
    const charge = escrowAt.get(row.sender)
    const token = tokenOf.get(row.emitter)
    return charge && token && isAccepted(charge, { deployment, token: token.token })
      ? [{ ...row, charge, token }]
      : []
  })
  return identify(ours, ({ charge, token }) => `${token.token}/${charge.id}`)
    .filter(({ value, recipient, charge }) => value > 0n && recipient !== charge.address)
    .map((row) => ({
      chargeId: row.charge.id,
      action: row.recipient === row.charge.splitAddress ? 'release' : 'refund',
      chainId: deployment.chainId,
      tokenAddress: row.token.address,
      txHash: row.txHash,
      ordinal: row.ordinal,
      recipient: row.recipient,
      amountAtomic: atomic(row.value),
      ...positionOf(row),
    }))
}
