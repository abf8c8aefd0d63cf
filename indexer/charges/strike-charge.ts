import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { lockCharges, readLockedCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import { listPairLedgers, upsertPairLedgers } from '../../shared/db/charges/daemon/charge-state.ts'
import {
  hasPayouts,
  type StruckRow,
  strikeRow,
  sumSettlingCredits,
  updatePaidWith,
} from '../../shared/db/charges/daemon/strikes.ts'
import type { Db } from '../../shared/db/connect.ts'
import { applyHeldShareChanges } from '../../shared/db/payouts/daemon/held-shares.ts'
import { lockPayoutsOfCharges } from '../../shared/db/payouts/payouts.ts'
import { atomic } from '../../shared/domain/money.ts'
import { pairKey } from '../../shared/domain/networks.ts'
import { applyPayoutUpdate } from '../payouts/apply-payout-update.ts'
import { openPayouts } from '../payouts/open-payouts.ts'
import { strikeLedger } from '../payouts/strike-ledger.ts'
import { isCovered } from '../payouts/update-ledgers.ts'
import { runTurns, type TurnContext } from './charge-turn.ts'
import { findTurnTime } from './find-turn-times.ts'
import { writeStrikeEntries } from './write-strike-entries.ts'

export type StrikeOutcome = 'struck' | 'quarantined' | 'not counted'

/**
 * Executes an order to strike a row, in the caller's transaction. Removes the row from every sum, and recomputes the
 * charge, the ledger of the row's pair, and the books and payouts of the charge. The caller must have verified that
 * every node denies the row.
 *
 * A strike does not revert a status or repeat an event. A charge that waited only for the payout of the struck row
 * becomes settled.
 */
export async function strikeCharge(
  terms: TurnContext,
  db: Db,
  order: { readonly id: number; readonly chargeId: string },
): Promise<StrikeOutcome> {
  const chargeIds = await lockCharges(db, [order.chargeId])
  if (chargeIds.length === 0) return 'quarantined'
  const [charge] = await readLockedCharges(db, chargeIds)
  const now = await findTurnTime(db, order.chargeId, terms.now())
  const struck = await strikeRow(db, order.id, now)
  if (charge === undefined || struck === null) return 'not counted'
  await reduceLedger(db, charge, struck)
  await reduceHeldShares(db, struck, terms.now())
  if (struck.event === 'credited') await updatePaidWith(db, charge.id)
  await writeStrikeEntries(db, { chargeId: charge.id, orderId: order.id, now })
  await runTurns(terms, db, { chargeIds, facts: factsOf(struck) })
  await tellPayouts(terms, db, struck)
  return 'struck'
}

function factsOf({ event, amountAtto, onTime }: StruckRow) {
  if (event !== 'credited') return [{ type: 'row.struck' } as const]
  return [{ type: 'transfer.struck', amountAtto, onTime: onTime === true } as const]
}

async function reduceLedger(db: Db, charge: ChargeRow, struck: StruckRow): Promise<void> {
  const ledgers = await listPairLedgers(db, [charge.id])
  const ledger = ledgers.find((one) => pairKey(one) === pairKey(struck))
  if (ledger === undefined) return
  const remainingAtto = await sumSettlingCredits(db, charge, ledger)
  await upsertPairLedgers(db, [strikeLedger(ledger, struck, { charge, remainingAtto })])
}

async function reduceHeldShares(db: Db, struck: StruckRow, now: Date): Promise<void> {
  const { event, chargeId, chainId, tokenAddress, party: recipient, amountAtomic } = struck
  if (event !== 'held' && event !== 'released') return
  const changeAtomic = atomic(event === 'held' ? -1n * amountAtomic : amountAtomic)
  await applyHeldShareChanges(db, [{ chargeId, chainId, tokenAddress, recipient, changeAtomic }], now)
}

/** A struck distribution is owed again, and a struck transfer might leave a payout without an amount to pay. */
async function tellPayouts({ graceSeconds, now }: TurnContext, db: Db, struck: StruckRow): Promise<void> {
  const { chargeId, event } = struck
  if (!(await hasPayouts(db, chargeId))) return
  if (event === 'distributed') await openPayouts(db, { chargeIds: [chargeId], graceSeconds, nowDate: now() })
  const ledgers = new Map((await listPairLedgers(db, [chargeId])).map((one) => [pairKey(one), one]))
  for (const payout of await lockPayoutsOfCharges(db, [chargeId])) {
    const ledger = ledgers.get(pairKey(payout))
    if (ledger === undefined || !isCovered(ledger)) continue
    const news = { type: 'payout.covered', distribution: null, isOffered: true } as const
    await applyPayoutUpdate(db, payout, { news, now: now() })
  }
}
