import type { ObservedEscrowTransfer } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { PonderTransfer } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { WatchedCharge } from '../../shared/db/chain-facts/watched-charges.ts'
import type { EscrowAction } from '../../shared/domain/escrow-action.ts'
import { isRelease } from '../../shared/domain/escrow-end.ts'
import { atomic, atomicToAtto, atto, attoToAtomicFloor } from '../../shared/domain/money.ts'
import { assignOrdinals } from '../../shared/domain/transfer.ts'
import { isAccepted, isEscrow, toRowPlace, type WatchedDeployment, type WatchedToken } from './observe.ts'

type Movement = PonderTransfer & { readonly charge: WatchedCharge; readonly token: WatchedToken }

/**
 * Returns the transfers out of the Safes of escrow charges, each classified as part of a release or of a refund.
 *
 * All transfers of one token out of one Safe in one transaction are classified together: a release if at least 99 % of
 * the amount reached the split, otherwise a refund. `findEscrowEnd` decides whether an escrow has ended.
 *
 * The charge must accept the token in its own environment. A Safe has the same address on all chains, and a transfer of
 * testnet tokens must not release a live payment. Transfers of zero get ordinals but are dropped, because anyone can
 * make a token log one from any account. Transfers from a Safe to itself are dropped too.
 *
 * @param rows - all transfers of each transaction
 */
export function observeEscrowTransfers(
  rows: readonly PonderTransfer[],
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): readonly ObservedEscrowTransfer[] {
  const escrowAt = new Map(charges.filter(isEscrow).map((charge) => [charge.address, charge]))
  const tokenOf = new Map(deployment.tokens.map((token) => [token.emitter, token]))
  const ours: readonly Movement[] = rows.flatMap((row) => {
    const charge = escrowAt.get(row.sender)
    const token = tokenOf.get(row.emitter)
    return charge && token && isAccepted(charge, { deployment, token: token.token })
      ? [{ ...row, charge, token }]
      : []
  })
  const left = assignOrdinals(ours, ({ charge, token }) => `${token.token}/${charge.id}`).filter(
    ({ value, recipient, charge }) => value > 0n && recipient !== charge.address,
  )
  const actions = judge(left)
  return left.map((row) => ({
    ...toRowPlace(row, deployment),
    ...{ kind: '', action: actions.get(subjectOf(row)) ?? 'refund', tokenAddress: row.token.address },
    ...{ party: row.recipient, ...amountOf(row), isAccepted: true },
  }))
}

function judge(left: readonly Movement[]): ReadonlyMap<string, EscrowAction> {
  const sums = new Map<string, { readonly left: bigint; readonly reached: bigint }>()
  for (const row of left) {
    const sum = sums.get(subjectOf(row)) ?? { left: 0n, reached: 0n }
    const reached = row.recipient === row.charge.splitAddress ? row.value : 0n
    sums.set(subjectOf(row), { left: sum.left + row.value, reached: sum.reached + reached })
  }
  return new Map([...sums].map(([subject, sum]) => [subject, isRelease(sum) ? 'release' : 'refund']))
}

/**
 * Returns the amount in units of the token, and the remainder. The emitter may log more decimals than the token has.
 */
function amountOf({ value, token: { decimals, emitterDecimals } }: Movement) {
  const exact = atomicToAtto(atomic(value), emitterDecimals)
  const amountAtomic = attoToAtomicFloor(exact, decimals)
  return { amountAtomic, dustAtto: atto(exact - atomicToAtto(amountAtomic, decimals)) }
}

function subjectOf({ txHash, token, charge }: Movement): string {
  return `${txHash}/${token.token}/${charge.id}`
}
