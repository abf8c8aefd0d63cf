import type { ChargeJson, Client, Exchange } from './client.ts'
import type { Walk } from './walk-pages.ts'

/** Records of the API's clients. */
export type ClientRecord = Pick<Client, 'exchanges' | 'sent'> & {
  /** Requests that are repeated until they succeed or are finally rejected. */
  readonly waiting: { readonly size: number }
  readonly walks: readonly Walk[]
  /** Whether a feed can be ahead of its chain. The pairs of such a network are not supported until it is repaired. */
  readonly mayLackPairs?: boolean
}

type Responses = Omit<ClientRecord, 'sent'>

type Seen = { readonly charge: ChargeJson; readonly exchange: Exchange }

/** Errors that a request of a simulated client may receive. */
const EXPECTED: ReadonlySet<string> = new Set([
  ...['service_unavailable', 'rpc_unavailable', 'payment_temporarily_unavailable', 'charge_not_found'],
  ...['recipient_transfer_restricted', 'request_in_progress', 'rate_limited', 'invalid_trigger_state'],
])

/** Further errors that a request about a refund may receive. */
const EXPECTED_OF_REFUNDS: ReadonlySet<string> = new Set([
  ...['charge_still_open', 'nothing_received', 'refund_exceeds_received', 'refund_limit_reached'],
  ...['payment_pair_required', 'invalid_amount', 'refund_ambiguous', 'refund_already_seen'],
  ...['refund_not_claimable', 'refund_not_awaiting_approval', 'refund_address_mismatch'],
])

/** Members of a charge's JSON that never change. */
const FIXED = [
  ...['id', 'environment', 'apiKeyId', 'externalRef', 'createdAt', 'expiresAt', 'address', 'addressTerms'],
  ...['amountExact', 'feePayer', 'feePercent', 'acceptedPayments', 'splitRecipients'],
]

/** Returns the violations that the responses so far show. */
export function findWrongResponses(record: Responses): readonly string[] {
  const checks = [findUnexpectedErrors, findChangedCharges, findSecondCharges, findLostCharges]
  return [...checks, findRevertedStatuses, findWrongWalks].flatMap((check) => check(record))
}

/** At rest, no request is still being repeated. */
export function findUnanswered({ waiting }: Responses): readonly string[] {
  return waiting.size === 0 ? [] : [`${waiting.size} requests to the API are still unanswered`]
}

/** A request succeeds, or is rejected with one of the documented errors that can happen in a history. */
function findUnexpectedErrors({ exchanges, mayLackPairs = false }: Responses): readonly string[] {
  return exchanges
    .filter(({ code }) => code !== null && !EXPECTED.has(code))
    .filter(({ code }) => !mayLackPairs || code !== 'token_not_supported')
    .filter(({ code, path }) => !path.includes('/refunds') || !EXPECTED_OF_REFUNDS.has(code ?? ''))
    .map(({ method, path, status, code }) => `${method} ${path} was answered with ${status} ${code}`)
}

/** A charge is shown to one organization only, and always with the same terms. */
function findChangedCharges({ exchanges }: Responses): readonly string[] {
  const firsts = new Map<string, Seen>()
  return listSeen(exchanges).flatMap((seen) => {
    const { id } = seen.charge
    const first = firsts.get(id) ?? seen
    firsts.set(id, first)
    const [owner, reader] = [first.exchange.organizationId, seen.exchange.organizationId]
    return [
      ...(owner === reader ? [] : [`${id} was shown to ${owner} and to ${reader}`]),
      ...(termsOf(first) === termsOf(seen) ? [] : [`${id} was shown with other terms: ${termsOf(seen)}`]),
    ]
  })
}

function termsOf({ charge }: Seen): string {
  return JSON.stringify(FIXED.map((name) => charge[name]))
}

/** All requests of an organization with one idempotency key create one charge. */
function findSecondCharges({ exchanges }: Responses): readonly string[] {
  const ids = new Map<string, string>()
  return listCreated(exchanges).flatMap(({ exchange: { organizationId, key }, charge }) => {
    const place = `${organizationId} ${key}`
    const id = ids.get(place) ?? charge.id
    ids.set(place, id)
    return id === charge.id ? [] : [`the key ${place} has created ${id} and ${charge.id}`]
  })
}

/** A charge is found by its organization in every read that began after the response 201. */
function findLostCharges({ exchanges }: Responses): readonly string[] {
  const created = listCreated(exchanges)
  return exchanges
    .filter(({ code }) => code === 'charge_not_found')
    .flatMap((read) =>
      created
        .filter(({ exchange }) => exchange.organizationId === read.organizationId && isBefore(exchange, read))
        .filter(({ charge }) => read.path.split('/').includes(charge.id))
        .map(({ charge }) => `${charge.id} was created, and was not found later`),
    )
}

const OPEN: readonly string[] = ['pending', 'partially_paid']

/** A status never returns to an earlier one, and the final status of a charge never changes. */
function findRevertedStatuses({ exchanges }: Responses): readonly string[] {
  const seen = listSeen(exchanges)
  return seen.flatMap((later) =>
    seen
      .filter(({ charge, exchange }) => charge.id === later.charge.id && isBefore(exchange, later.exchange))
      .filter(({ charge }) => !mayFollow(charge.status, later.charge.status))
      .map(({ charge }) => `${charge.id} was ${charge.status}, and ${later.charge.status} later`),
  )
}

function mayFollow(before: string, after: string): boolean {
  if (before === after) return true
  return OPEN.includes(before) && OPEN.indexOf(after) !== 0
}

/**
 * A walk through all pages shows each charge that existed before it, and no charge twice, even if charges are created
 * during the walk.
 */
function findWrongWalks({ exchanges, walks }: Responses): readonly string[] {
  const created = listCreated(exchanges)
  return walks.flatMap(({ organizationId, startedMs, ids }) => {
    const existed = created.filter(
      ({ exchange }) => exchange.organizationId === organizationId && exchange.receivedMs <= startedMs,
    )
    const missing = new Set(existed.map(({ charge }) => charge.id).filter((id) => !ids.includes(id)))
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    return [
      ...[...missing].map((id) => `a walk of ${organizationId} through all pages omitted ${id}`),
      ...twice.map((id) => `a walk of ${organizationId} through all pages showed ${id} twice`),
    ]
  })
}

function listSeen(exchanges: readonly Exchange[]): readonly Seen[] {
  return exchanges.flatMap((exchange) => exchange.charges.map((charge) => ({ charge, exchange })))
}

function listCreated(exchanges: readonly Exchange[]): readonly Seen[] {
  return listSeen(exchanges).filter(({ exchange }) => exchange.status === 201)
}

/** Whether a response arrived before a request was sent, so that the request must see its effects. */
function isBefore(response: Exchange, request: Exchange): boolean {
  return response.receivedMs <= request.sentMs
}
