import type { Sql } from '../../shared/db/connect.ts'
import { insertChargeRequest } from '../../shared/db/requests/charge-requests.ts'
import type { CheckPayload } from '../../shared/db/requests/check-requests.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { newId } from '../../shared/domain/ids.ts'
import { API_REQUEST_ID, createCharge } from './create-charge.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { History } from './history.ts'
import type { Plan, PlannedCharge, PlannedCheck } from './plan-types.ts'
import { planRefunds } from './refunds.ts'
import { ORGANIZATIONS, START_MS } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly plan: Plan
  readonly history: History
  /** List to which created charges are added. */
  readonly charges: ChargeRecord[]
}

/** The plan of a charge that is never paid. */
const UNPAID = {
  ...{ atMs: 0, amountMicro: 5_000_000n, expiresInMs: 60_000, endsOnSecond: false, hasPartner: false },
  ...{ payments: [], checks: [], keeperAtMs: null },
}

/**
 * Plans the requests to the API: charges, their refunds, and checks that have the daemon search for payments.
 *
 * @returns a function that creates one more charge of each organization, which is never paid
 */
export function beginApi({ scheduler, process, sql, plan, history, charges }: Terms): () => void {
  const later = (atMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs: atMs + START_MS - scheduler.nowMs(), process, label, run })
  for (const [index, planned] of plan.charges.entries())
    later(planned.atMs, `charge ${index}`, () => void make(planned, index))
  return () => {
    for (const [organizationIndex, { id, environment }] of ORGANIZATIONS.entries())
      if (plan.deployments.some((deployment) => deployment.environment === environment))
        later(scheduler.nowMs() - START_MS, `last charge of ${id}`, () => {
          void make({ ...UNPAID, organizationIndex }, plan.charges.length + organizationIndex)
        })
  }

  async function make(planned: PlannedCharge, index: number): Promise<void> {
    const organization = ORGANIZATIONS[planned.organizationIndex] ?? ORGANIZATIONS[0]
    if (organization === undefined) return
    const acceptedPayments = plan.deployments
      .filter(({ environment }) => environment === organization.environment)
      .flatMap(({ network, tokens }) => tokens.map(({ token }) => ({ token, network })))
    const terms = { ...planned, organization, acceptedPayments, now: scheduler.now() }
    const charge = await createCharge(sql, terms)
    if (charge === null) return scheduler.note(`charge ${index} is rejected`)
    charges.push(charge)
    const hashes = history.planPayments(charge, planned, index)
    planRefunds({ scheduler, process, sql, scenes: history.scenes }, charge, index)
    for (const check of planned.checks) later(check.atMs, `check of ${index}`, () => void ask(charge, check))

    async function ask(of: ChargeRecord, { paymentIndex }: PlannedCheck): Promise<void> {
      const paid = paymentIndex === null ? undefined : hashes[paymentIndex]
      const payload: CheckPayload = { hint: paid ?? null }
      await insertChargeRequest(sql, {
        ...{ id: newId('req', scheduler.nowMs()), kind: 'check', payload, apiRequestId: API_REQUEST_ID },
        ...{ organizationId: of.organizationId, chargeId: of.id },
      })
    }
  }
}
