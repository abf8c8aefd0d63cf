import type { Address } from '../../shared/domain/address.ts'
import type { InvariantContext } from './invariant-context.ts'

type ClaimedRefund = {
  readonly id: string
  readonly chargeId: string
  readonly status: string
  readonly destination: Address | null
  readonly hasEnded: boolean
  readonly expiresAt: Date
}

type ClaimRow = {
  readonly refundId: string
  readonly destination: Address
  readonly decision: 'approved' | 'rejected' | null
  readonly decidedAt: Date | null
}

type Context = Pick<InvariantContext, 'database' | 'claims' | 'hasClaims' | 'nowMs'>

/**
 * Creates the check of refunds whose payers name the destination (decisions 9.6). The check compares the database with
 * the requests and responses of payers and merchants. At all times:
 *
 * - The destination is an address that the payer gave and the merchant approved, and never changes.
 * - A used or replaced link sets no address, and a mistaken approval is rejected.
 * - No decision is later than the deadline.
 * - An accepted address stays recorded, and each address and each approval has an event.
 */
export function createClaimCheck({
  database,
  claims,
  hasClaims,
}: Omit<Context, 'nowMs'>): () => Promise<readonly string[]> {
  const first = new Map<string, Address>()
  return async () => {
    if (!hasClaims) return []
    const { refunds, rows } = await readClaims(database)
    return [
      ...claims.problems,
      ...refunds.flatMap((refund) => [...findUnapproved(refund, claims), ...findChanged(refund, first)]),
      ...rows.flatMap((row) => findWrongClaim(row, { refunds, claims })),
      ...findLost({ refunds, rows, claims }),
      ...(await findUnannounced(database)),
    ]
  }
}

/** At rest, the merchants have finished, and a refund without a destination has ended if its deadline has passed. */
export async function findUnfinishedClaims({
  database,
  claims,
  hasClaims,
  nowMs,
}: Context): Promise<readonly string[]> {
  if (!hasClaims) return []
  const { refunds } = await readClaims(database)
  const isOver = ({ expiresAt, hasEnded, destination }: ClaimedRefund) =>
    destination === null && !hasEnded && expiresAt.getTime() < nowMs()
  return [
    ...[...claims.unfinished].map((name) => `${name} is not finished`),
    ...refunds.filter(isOver).map(({ id, status }) => `${id} is ${status} after its deadline`),
  ]
}

async function readClaims({ sql }: InvariantContext['database']) {
  const refunds = await sql<ClaimedRefund[]>`
    select id, charge_id, status, destination, canceled_at is not null or expired_at is not null as has_ended, expires_at
    from refunds where claim_hash is not null order by id`
  const rows = await sql<ClaimRow[]>`
    select refund_id, destination, decision, decided_at from refund_claims order by refund_id, number`
  return { refunds, rows }
}

function findUnapproved({ id, destination }: ClaimedRefund, claims: Context['claims']): readonly string[] {
  const isOf = (each: { readonly refundId: string; readonly address: Address }) =>
    each.refundId === id && each.address === destination
  if (destination === null) return []
  return [
    ...(claims.given.some(isOf) ? [] : [`${id} goes to ${destination}, which its payer did not give`]),
    ...(claims.approved.some(isOf) ? [] : [`${id} goes to ${destination}, which no merchant approved`]),
  ]
}

function findChanged({ id, destination }: ClaimedRefund, first: Map<string, Address>): readonly string[] {
  const before = first.get(id)
  if (before === undefined && destination !== null) first.set(id, destination)
  return before === undefined || before === destination ? [] : [`${id} went to ${before}, not ${destination}`]
}

type Known = { readonly refunds: readonly ClaimedRefund[]; readonly claims: Context['claims'] }

function findWrongClaim(
  { refundId, destination, decision, decidedAt }: ClaimRow,
  { refunds, claims }: Known,
): readonly string[] {
  const refund = refunds.find(({ id }) => id === refundId)
  const isOf = (each: { readonly refundId: string; readonly address: Address }) =>
    each.refundId === refundId && each.address === destination
  const isLate = refund !== undefined && decidedAt !== null && decidedAt >= refund.expiresAt
  return [
    ...(claims.stale.some(isOf)
      ? [`${refundId} has ${destination}, given through a used or replaced link`]
      : []),
    ...(claims.given.some(isOf) || claims.stale.some(isOf)
      ? []
      : [`${refundId} has ${destination}, which nobody gave`]),
    ...(decision === 'approved' && refund?.destination !== destination
      ? [`${destination} was approved for ${refundId}, which goes to ${refund?.destination}`]
      : []),
    ...(isLate ? [`${destination} of ${refundId} was ${decision} after the deadline`] : []),
  ]
}

/**
 * An address that was accepted is recorded, unless the refund has ended, or the same link has accepted another address.
 */
function findLost({ refunds, rows, claims }: Known & { readonly rows: readonly ClaimRow[] }) {
  const isRecorded = (refundId: string, address: Address) =>
    rows.some((row) => row.refundId === refundId && row.destination === address)
  return claims.accepted
    .filter(({ refundId, link }) => {
      const hasEnded = refunds.some(({ id, hasEnded }) => id === refundId && hasEnded)
      const ofLink = claims.given.filter((each) => each.refundId === refundId && each.link === link)
      return !hasEnded && !ofLink.some(({ address }) => isRecorded(refundId, address))
    })
    .map(({ refundId, address }) => `${refundId} has lost the accepted address ${address}`)
}

async function findUnannounced({ sql }: InvariantContext['database']): Promise<readonly string[]> {
  const rows = await sql<{ problem: string }[]>`
    select concat(r.charge_id, ' has ', r.claimed, ' addresses and ', r.approved, ' approvals, but ', e.claimed, ' and ',
      e.approved, ' events') as problem
    from (
      select charge_id, count(*) as claimed, count(*) filter (where decision = 'approved') as approved
      from refund_claims k join refunds on refunds.id = k.refund_id group by 1) r
    cross join lateral (
      select count(*) filter (where type = 'charge.refund_claimed') as claimed,
        count(*) filter (where type = 'charge.refund_approved') as approved
      from events where events.charge_id = r.charge_id) e
    where (r.claimed, r.approved) <> (e.claimed, e.approved)`
  return rows.map(({ problem }) => problem)
}
