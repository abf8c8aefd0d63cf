import { SANDBOX_PAYMENTS } from '../../shared/domain/sandbox-trigger.ts'
import type { ClientRecord } from './api/api-invariants.ts'
import type { InvariantContext } from './invariant-context.ts'

type Simulated = { readonly chargeId: string; readonly isSimulated: boolean; readonly credits: number }

type Terms = Pick<InvariantContext, 'database'> & { readonly api: Pick<ClientRecord, 'sent'> }

/** Simulated payments are credited only to simulated test charges, and at most one per payment that was triggered. */
export async function findFalseSimulations({ database, api }: Terms): Promise<readonly string[]> {
  const rows = await database.sql<Simulated[]>`
    select charge_id, c.is_simulated and c.environment = 'test' as is_simulated, count(*)::int as credits
    from transfers t join charges c on c.id = t.charge_id where t.chain_id is null group by 1, 2 order by 1`
  return rows.flatMap(({ chargeId, isSimulated, credits }) => {
    const payments = api.sent.filter(({ path, body }) => path.includes(chargeId) && isPayment(body)).length
    return [
      ...(isSimulated
        ? []
        : [`${chargeId} is not a simulated charge, but is credited with simulated payments`]),
      ...(credits <= payments
        ? []
        : [`${chargeId} has ${credits} simulated payments, but ${payments} were triggered`]),
    ]
  })
}

function isPayment(body: string | null): boolean {
  return SANDBOX_PAYMENTS.some((event) => body === JSON.stringify({ event }))
}
