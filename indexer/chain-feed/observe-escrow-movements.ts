import type { PonderTransfer } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { WatchedCharge } from '../../shared/db/chain-facts/watched-charges.ts'
import type { ObservedEscrowMovement } from '../../shared/db/escrow/daemon/escrow-movements.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { isRelease } from '../../shared/domain/escrow-end.ts'
import { atomic, atomicToAtto, atto, attoToAtomicFloor } from '../../shared/domain/money.ts'
import { identify } from '../../shared/domain/transfer.ts'
import { isAccepted, isEscrow, positionOf, type WatchedDeployment, type WatchedToken } from './observe.ts'

type Movement = PonderTransfer & { readonly charge: WatchedCharge; readonly token: WatchedToken }

/**
 * Tells what left the Safes of escrow charges, and whether each transaction by itself was a release or a refund.
 *
 * All that leaves a Safe of one token in one transaction is taken together: a release if practically all of it reached
 * the split, else a refund, whatever reached the split beside it. Whether an escrow has ended is decided by all
 * transactions (`findEscrowEnd`).
 *
 * Only tokens the charge accepts, in its own environment: a Safe has one address on all chains, and moving stray
 * testnet money releases nothing. Transfers of zero count in the ordinals and else for nothing, because anyone can
 * log them in anyone's name; what a Safe sends itself has not left it.
 *
 * @param rows - of each transaction all there are
 */
export function observeEscrowMovements(
  rows: readonly PonderTransfer[],
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): readonly ObservedEscrowMovement[] {
  const escrowAt = new Map(charges.filter(isEscrow).map((charge) => [charge.address, charge]))
  const tokenOf = new Map(deployment.tokens.map((token) => [token.emitter, token]))
  const ours: readonly Movement[] = rows.flatMap((row) => {
    const charge = escrowAt.get(row.sender)
    const token = tokenOf.get(row.emitter)
    return charge && token && isAccepted(charge, { deployment, token: token.token })
      ? [{ ...row, charge, token }]
      : []
  })
  const left = identify(ours, ({ charge, token }) => `${token.token}/${charge.id}`).filter(
    ({ value, recipient, charge }) => value > 0n && recipient !== charge.address,
  )
  const actions = judge(left)
  return left.map((row) => ({
    chargeId: row.charge.id,
    action: actions.get(subjectOf(row)) ?? 'refund',
    chainId: deployment.chainId,
    tokenAddress: row.token.address,
    txHash: row.txHash,
    ordinal: row.ordinal,
    recipient: row.recipient,
    ...amountOf(row),
    ...positionOf(row),
  }))
}

/** Judges each transaction by all that left one Safe of one token in it. */
function judge(left: readonly Movement[]): ReadonlyMap<string, EscrowAction> {
  const sums = new Map<string, { readonly left: bigint; readonly reached: bigint }>()
  for (const row of left) {
    const sum = sums.get(subjectOf(row)) ?? { left: 0n, reached: 0n }
    const reached = row.recipient === row.charge.splitAddress ? row.value : 0n
    sums.set(subjectOf(row), { left: sum.left + row.value, reached: sum.reached + reached })
  }
  return new Map([...sums].map(([subject, sum]) => [subject, isRelease(sum) ? 'release' : 'refund']))
}

/** In units of the token, and what is above them: the contract that logs may have more decimals. */
function amountOf({ value, token: { decimals, emitterDecimals } }: Movement) {
  const exact = atomicToAtto(atomic(value), emitterDecimals)
  const amountAtomic = attoToAtomicFloor(exact, decimals)
  return { amountAtomic, dustAtto: atto(exact - atomicToAtto(amountAtomic, decimals)) }
}

function subjectOf({ txHash, token, charge }: Movement): string {
  return `${txHash}/${token.token}/${charge.id}`
}
