import type { Sql } from '../../../shared/db/connect.ts'
import { waitFor } from '../../devnet/wait-for.ts'
import { query } from '../scenario.ts'
import type { Shop } from './create-shop.ts'

const INTERVAL_MS = 500

type Expected = {
  /** Payments on accepted pairs, in 10^-18 dollars. */
  readonly sentAtto: bigint
  /** Whether to wait for the release of held shares whose recipients the issuers allow again. */
  readonly isHeldAwaited: boolean
}

/**
 * Waits until the service has counted all payments to a merchant's charges, and has paid out all payable amounts. Dust,
 * open escrows, and shares of restricted recipients are not payable.
 *
 * @throws {Error} naming the work that is left
 */
export async function untilQuiet(
  shop: Shop,
  { timeoutMs, ...expected }: Expected & { readonly timeoutMs: number },
): Promise<void> {
  let left: object | undefined
  await waitFor(
    async () => {
      left = await query(shop.devnet, async (sql) => {
        if (expected.isHeldAwaited) await retryHeldShares(sql, shop)
        return countWork(sql, shop, expected)
      })
      return Object.values(left).every((count) => count === 0)
    },
    { what: 'every charge to be final and paid out', timeoutMs, intervalMs: INTERVAL_MS },
  ).catch((error: unknown) => {
    throw new Error(`still to do: ${JSON.stringify(left)}`, { cause: error })
  })
}

async function countWork(
  sql: Sql,
  { organizationId, lostPartner }: Shop,
  { sentAtto, isHeldAwaited }: Expected,
): Promise<object> {
  const [work] = await sql<Record<string, number>[]>`
    with c as (select * from charges where organization_id = ${organizationId})
    select (select count(*) from c where status in ('pending', 'partially_paid')) as open,
      (select count(*) from payouts p
       join charge_ledgers l on l.charge_id = p.charge_id and l.network = p.network and l.token = p.token
       join pairs t on t.chain_id = p.chain_id and t.token_address = p.token_address
       where p.organization_id = ${organizationId}
         and (l.payable_atomic - l.distributed_atomic) * 10::numeric ^ (18 - t.decimals) >= 10::numeric ^ 18) as owed,
      (select count(*) from held_shares h join c on c.id = h.charge_id
       join pairs t on t.chain_id = h.chain_id and t.token_address = h.token_address
       where h.held_atomic * 10::numeric ^ (18 - t.decimals) >= 10::numeric ^ 18
         and h.recipient <> ${lostPartner.address} and ${isHeldAwaited}) as held,
      (select (sum(received_atto) is distinct from ${String(sentAtto)}::numeric)::int from c) as uncounted`
  if (work === undefined) throw new Error('a select without a table returned no row')
  return work
}

/**
 * Makes the service retry held shares now. Otherwise, the service retries them once an hour. It caches an issuer's
 * response for five minutes.
 */
async function retryHeldShares(sql: Sql, { organizationId }: Shop): Promise<void> {
  await sql`
    update held_shares set next_attempt_at = now()
    where next_attempt_at > now() + interval '2 minutes'
      and charge_id in (select id from charges where organization_id = ${organizationId})`
}
