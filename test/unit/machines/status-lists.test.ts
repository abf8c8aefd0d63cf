import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { chargeMachine } from '../../../machines/charge.ts'
import { payoutMachine } from '../../../machines/payout.ts'
import { refundMachine } from '../../../machines/refund.ts'
import { CHARGE_STATUSES, PAYOUT_STATUSES, SETTLEMENT_STATUSES } from '../../../shared/domain/charge.ts'
import { REFUND_STATUSES } from '../../../shared/domain/refund/refund.ts'

describe('the statuses of a charge, its payouts and its refunds', () => {
  it('are the states of their machines', () => {
    expect(statesOf(chargeMachine.states['status'])).to.deep.equal([...CHARGE_STATUSES])
    // The state `none` is stored and shown as null.
    expect(statesOf(chargeMachine.states['settlement'])).to.deep.equal(['none', ...SETTLEMENT_STATUSES])
    // The state `held` is stored and shown as `pending`, with its start time in `held_since`.
    expect(statesOf(payoutMachine)).to.have.members(['held', ...PAYOUT_STATUSES])
    expect(statesOf(refundMachine)).to.have.members([...REFUND_STATUSES])
  })

  it('are the statuses that the database accepts', () => {
    expect(checkedIn('000005_charges', 'status')).to.deep.equal([...CHARGE_STATUSES])
    expect(checkedIn('000005_charges', 'settlement_status')).to.deep.equal([...SETTLEMENT_STATUSES])
    expect(checkedIn('000008_payouts', 'status')).to.deep.equal([...PAYOUT_STATUSES])
    expect(checkedIn('000026_refund_claims', 'status')).to.deep.equal([...REFUND_STATUSES])
  })
})

function statesOf(node: { readonly states: object } | undefined): readonly string[] {
  return Object.keys(node?.states ?? {})
}

/** Returns the values that the first `check (column in (…))` of a migration allows. */
function checkedIn(migration: string, column: string): readonly string[] {
  const sql = readFileSync(new URL(`../../../shared/db/migrations/${migration}.sql`, import.meta.url), 'utf8')
  const list = new RegExp(`check \\(${column} in \\(([^)]*)\\)`).exec(sql)?.[1] ?? ''
  return [...list.matchAll(/'([a-z_]+)'/g)].flatMap(([, word]) => word ?? [])
}
