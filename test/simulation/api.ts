import type { Sql } from '../../shared/db/connect.ts'
import type { TransactionHint } from '../../shared/db/requests/check-requests.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Client } from './api/client.ts'
import type { Send } from './api/network.ts'
import type { ClaimRecord } from './claim-record.ts'
import { planClaims } from './claims.ts'
import { buildChargeRequest, listAcceptedPairs, readCharge } from './create-charge.ts'
import type { SimulatedDatabase } from './engine/database.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import { planDust, planMoves } from './escrow-moves.ts'
import { createReleasers, type Releasers } from './escrow-orders.ts'
import type { History } from './history.ts'
import type { Plan, PlannedCharge, PlannedCheck } from './plan-types.ts'
import { planRefunds } from './refunds.ts'
import { planSignatures } from './signatures.ts'
import { ORGANIZATIONS, type Organization, START_MS } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  /**
   * An API process. Refunds, escrow orders and payments by signature call the API's functions directly, over the
   * connections of this process.
   */
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly database: SimulatedDatabase
  readonly client: Client
  /** The network between payers' browsers and the API. */
  readonly send: Send
  /** The operator's process, which sets the deadlines of refunds to an earlier time. */
  readonly operator: { readonly process: SimulatedProcess; readonly sql: Sql }
  /** The record of refunds whose payers name the destination. */
  readonly claims: ClaimRecord
  readonly plan: Plan
  readonly history: History
  /** Every created charge is added to this list. */
  readonly charges: ChargeRecord[]
}

/** The plan of a charge that is never paid. */
const UNPAID = {
  ...{ atMs: 0, amountMicro: 5_000_000n, expiresInMs: 60_000, endsOnSecond: false, hasPartner: false },
  ...{ payments: [], checks: [], keeperAtMs: null },
}

/** The simulated users of the API. */
export type Users = {
  /**
   * Creates one more charge of each organization on the EVM chains and one on TRON, if its environment has a deployment
   * there. These charges are never paid.
   */
  readonly openLastCharges: () => void
  readonly releasers: Releasers
}

/**
 * Plans the creation of all charges, and the actions that follow each creation: payments, dust, signatures, refunds,
 * orders and moves of its escrow, and checks that have the daemon search for payments.
 */
export function beginApi(terms: Terms): Users {
  const { scheduler, client, plan, history, charges } = terms
  const later = (atMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs: atMs + START_MS - scheduler.nowMs(), process: null, label, run })
  for (const [index, planned] of plan.charges.entries())
    later(planned.atMs, `charge ${index}`, () => void make(planned, index))
  const { scenes } = history
  const releasers = createReleasers({ ...plan, ...terms, scenes })
  return { openLastCharges, releasers }

  function openLastCharges(): void {
    for (const [organizationIndex, organization] of ORGANIZATIONS.entries())
      for (const isOnTron of [false, true]) {
        if (listAcceptedPairs(plan.deployments, { organization, isOnTron }).length === 0) continue
        const index = plan.charges.length + organizationIndex + (isOnTron ? ORGANIZATIONS.length : 0)
        later(scheduler.nowMs() - START_MS, `last charge of ${organization.id}`, () => {
          void make({ ...UNPAID, organizationIndex, isOnTron }, index)
        })
      }
  }

  async function make(planned: PlannedCharge, index: number): Promise<void> {
    const organization = ORGANIZATIONS[planned.organizationIndex] ?? ORGANIZATIONS[0]
    if (organization === undefined) return
    const acceptedPayments = listAcceptedPairs(plan.deployments, { ...planned, organization })
    const escrow = plan.escrows.get(index)
    const request = buildChargeRequest({
      ...planned,
      isEscrow: escrow !== undefined,
      organization,
      acceptedPayments,
      idempotencyKey: `${index}`,
    })
    const { status, body } = await client.insist(request)
    if (status !== 201) return scheduler.note(`charge ${index} is rejected`)
    const { id } = JSON.parse(body) as { readonly id: string }
    const charge = await scheduler.real(readCharge(terms.database.sql, id))
    if (!charges.some((known) => known.id === id)) charges.push(charge)
    const hashes = history.planPayments(charge, planned, index)
    planRefunds({ ...terms, scenes }, charge, index)
    planClaims(
      { ...terms, scenes, record: terms.claims },
      { charge, organization, index },
      plan.claims.get(index) ?? [],
    )
    planDust({ scheduler, scenes }, { charge, index, dust: plan.dust.get(index) ?? [] })
    planSignatures({ ...terms, scenes }, charge, { index, signatures: plan.signatures.get(index) ?? [] })
    if (escrow !== undefined) {
      planMoves({ scheduler, scenes }, { charge, escrow, index })
      releasers.plan(charge, escrow, index)
    }
    for (const check of planned.checks)
      later(
        check.atMs,
        `check of ${index}`,
        () => void client.ask(buildCheck(organization, { charge, check, hashes })),
      )
  }
}

type Checked = {
  readonly charge: ChargeRecord
  readonly check: PlannedCheck
  /** Network and transaction hash of each payment; `null` if the charge does not accept the network. */
  readonly hashes: readonly (TransactionHint | null)[]
}

function buildCheck(organization: Organization, { charge, check, hashes }: Checked) {
  const hint = check.paymentIndex === null ? null : hashes[check.paymentIndex]
  const path = `/v1/charges/${charge.id}/check`
  return { organization, method: 'POST', path, body: JSON.stringify(hint ?? {}) } as const
}
