import { hash } from 'node:crypto'
import type { Sql } from '../../shared/db/connect.ts'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { hashClaimSecret } from '../../shared/domain/refund/claim-secret.ts'
import type { Random } from '../support/seeded-random.ts'
import type { Call, Client } from './api/client.ts'
import type { HttpResponse } from './api/handle-request.ts'
import type { Send } from './api/network.ts'
import { createPayers, type Visit, type Visited } from './claim-payer.ts'
import type { ClaimRecord } from './claim-record.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import type { PlannedClaim } from './planned-claim.ts'
import { requestRefund, sendRefund } from './refunds.ts'
import type { Scene } from './scene.ts'
import { type Organization, REFUND_DESTINATIONS, REFUND_WALLET } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly client: Client
  /** The network between browsers and the API. */
  readonly send: Send
  readonly scenes: ReadonlyMap<number, Scene>
  /** The process and the connections of an API that read a refund before its link was used or replaced. */
  readonly process: SimulatedProcess
  readonly sql: Sql
  /** The process and the connections that bring a deadline forward, because histories are shorter than 30 days. */
  readonly operator: { readonly process: SimulatedProcess; readonly sql: Sql }
  readonly record: ClaimRecord
}

/** A charge, its merchant, and a refund to declare. */
type Claiming = {
  readonly charge: ChargeRecord
  readonly organization: Organization
  readonly planned: PlannedClaim
  readonly name: string
}

/** The members of a refund's JSON that the merchant reads. */
type RefundJson = {
  readonly id: string
  readonly status: string
  readonly claim: { readonly address: string } | null
  readonly network: string
  readonly token: string
  readonly amountAtomic: string
  readonly claimUrl?: string | null
}

/** A declared refund, as its merchant tracks it. */
type Course = Claiming & {
  readonly refundId: string
  readonly family: ChainFamilyName
  readonly random: Random
  /** The link to send to the payer; `null` if the response with it was lost, or if the payer says that it is void. */
  link: string | null
  rejectionsLeft: number
  isRenewalLeft: boolean
  isMistakeLeft: boolean
  /** Number of addresses generated for this refund. Each is used once, so that it identifies the link that set it. */
  named: number
}

const MAX_ATTEMPTS = 12
const RETRY_MS = 6_000
const MAX_HASTE_MS = 300
/** Maximum decisions and waits of a merchant about one refund. */
const MAX_TURNS = 30
/** Maximum time until a deadline passes after it was brought forward. */
const MAX_UNTIL_DEADLINE_MS = 3_000
/** Error codes after which a request is repeated, in addition to all statuses from 429 up. */
const TEMPORARY: ReadonlySet<string> = new Set([
  ...['charge_still_open', 'request_in_progress', 'rpc_unavailable'],
])

/**
 * Plans the refunds of a charge whose payer names the destination. The merchant reads the refund before each decision
 * and repeats requests that are lost, like the payer. A lost link is replaced.
 */
export function planClaims(
  terms: Terms,
  { charge, organization, index }: Pick<Claiming, 'charge' | 'organization'> & { readonly index: number },
  claims: readonly PlannedClaim[],
): void {
  const { scheduler, record } = terms
  for (const [at, planned] of claims.entries()) {
    const name = `claim-${index}-${at}`
    const delayMs = Math.max(1, charge.expiresAt.getTime() - scheduler.nowMs() + planned.delayMs)
    record.unfinished.add(name)
    const begin = async () => {
      await follow(terms, { charge, organization, planned, name })
      record.unfinished.delete(name)
    }
    scheduler.later({ delayMs, process: null, label: name, run: () => void begin() })
  }
}

async function follow(terms: Terms, claiming: Claiming): Promise<void> {
  const course = await declare(terms, claiming)
  if (course === null) return
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const refund = await readRefund(terms, course)
    if (refund === null) await wait(terms, RETRY_MS)
    else if (refund.status === 'awaiting_destination') await askPayer(terms, course)
    else if (refund.status === 'awaiting_approval') await decide(terms, course, refund)
    else if (refund.status === 'awaiting_payment') return pay(terms, course, refund)
    else return
  }
}

async function declare(terms: Terms, claiming: Claiming): Promise<Course | null> {
  const { charge, organization, planned, name } = claiming
  const { amount, pairIndex, rejections, renews, mistakes } = planned
  const pairs = charge.acceptedPayments
  const pair = pairIndex === null ? {} : pairs[pairIndex % pairs.length]
  const response = await persist(terms, {
    ...{ organization, method: 'POST', path: `/v1/charges/${charge.id}/refunds` },
    body: JSON.stringify({
      idempotencyKey: name,
      ...{
        amount,
        destination: { claim: true },
        from: presentAddress(REFUND_WALLET, charge.family),
        ...pair,
      },
    }),
  })
  const refund = parseRefund(response)
  if (refund === null) return null
  return {
    ...{ ...claiming, refundId: refund.id, family: charge.family, link: refund.claimUrl ?? null, named: 0 },
    random: createRandomStream(terms.scheduler.seed, `${name} of merchants`),
    ...{ rejectionsLeft: rejections, isRenewalLeft: renews !== null, isMistakeLeft: mistakes },
  }
}

/** Has the payer name an address, unless the plan ends the refund first. */
async function askPayer(terms: Terms, course: Course): Promise<void> {
  const { end, renews, opensAfterMs } = course.planned
  if (end === 'early cancellation') return order(terms, course, 'cancel')
  const isRenewed = course.isRenewalLeft && renews === 'before'
  if (course.link === null || isRenewed) {
    course.isRenewalLeft &&= !isRenewed
    return replaceLink(terms, course, 'claim-link')
  }
  const { link } = course
  if (end === 'early deadline') {
    await endSoon(terms, course)
    if (course.random.fraction() < 0.4) {
      await wait(terms, MAX_UNTIL_DEADLINE_MS)
      return replaceLink(terms, course, 'claim-link')
    }
  }
  await wait(terms, opensAfterMs)
  const visits = course.planned.givesTwo
    ? [visit(terms, course, { link, isFirst: true }), visit(terms, course, { link, isFirst: false })]
    : [visit(terms, course, { link, isFirst: true })]
  if (course.isRenewalLeft) {
    course.isRenewalLeft = false
    await wait(terms, course.random.integer(1_000))
    await replaceLink(terms, course, 'claim-link')
  }
  const visited = await Promise.all(visits)
  if (visited.includes('void') && course.link === link) course.link = null
  if (end === 'early deadline') await wait(terms, RETRY_MS)
}

type Use = { readonly link: string; readonly isFirst: boolean }

function visit(terms: Terms, course: Course, { link, isFirst }: Use): Promise<Visited> {
  const { planned, organization, random } = course
  const isShared = planned.isShared && isFirst && course.named === 0
  const own = nameAddress(terms, course)
  const given = isShared ? random.pick(REFUND_DESTINATIONS) : own
  const addresses = planned.isFirstForbidden && isFirst ? [organization.merchant, given] : [given]
  return payersOf(terms, course).visit(visitOf(course, link, addresses))
}

/** Approves or rejects the payer's address, unless the plan cancels the refund first. */
async function decide(terms: Terms, course: Course, refund: RefundJson): Promise<void> {
  const { end } = course.planned
  const address = CHAIN_FAMILIES[course.family].parseAddress(refund.claim?.address ?? '')
  if (address === null) throw new Error(`${course.name} awaits approval without an address`)
  if (end === 'late cancellation') return order(terms, course, 'cancel')
  if (end === 'late deadline') {
    await endSoon(terms, course)
    await wait(terms, course.random.integer(2 * MAX_UNTIL_DEADLINE_MS))
  }
  if (course.link !== null && course.planned.givesTwo) await sendLate(terms, course, course.link)
  if (course.isMistakeLeft) {
    course.isMistakeLeft = false
    await approve(terms, course, nameAddress(terms, course))
    return
  }
  if (course.rejectionsLeft > 0) {
    course.rejectionsLeft -= 1
    return replaceLink(terms, course, 'reject')
  }
  terms.record.approved.push({ refundId: course.refundId, address })
  const response = await approve(terms, course, address)
  if (response === null || response.status < 300) return
  // One transfer could pay this refund or an equal open one, so the payer must give another address.
  if (codeOf(response) === 'refund_ambiguous') await replaceLink(terms, course, 'reject')
  else await wait(terms, RETRY_MS)
}

async function approve(terms: Terms, course: Course, address: Address): Promise<HttpResponse | null> {
  const isGiven = terms.record.given.some(
    (given) => given.refundId === course.refundId && given.address === address,
  )
  const body = JSON.stringify({ address: presentAddress(address, course.family) })
  const response = await persist(terms, { ...postTo(course, 'approve'), body })
  if (response?.status === 200 && !isGiven)
    terms.record.problems.push(`the approval of ${address}, which no payer gave, was answered with 200`)
  return response
}

/** Replaces the link, by a rejection or directly. If planned, another address is then sent through the old link. */
async function replaceLink(terms: Terms, course: Course, action: 'reject' | 'claim-link'): Promise<void> {
  const { link: old } = course
  const refund = parseRefund(await persist(terms, postTo(course, action)))
  if (refund === null) {
    // A rejection without a success response might still have replaced the link.
    if (action === 'reject') course.link = null
    return
  }
  course.link = refund.claimUrl ?? null
  if (old === null || !course.planned.isOldLinkUsed) return
  if (course.random.fraction() < 0.5)
    void payersOf(terms, course).intrude(visitOf(course, old, [nameAddress(terms, course)]))
  else void sendLate(terms, course, old)
}

/** Sends another address, like an API process that read the refund before its link was used or replaced. */
function sendLate(terms: Terms, course: Course, link: string): Promise<void> {
  const { scheduler, process, record } = terms
  const { refundId, charge, name } = course
  const destination = nameAddress(terms, course)
  const claimHash = hashClaimSecret(link.slice(link.lastIndexOf('/') + 1)) ?? ''
  record.stale.push({ refundId, link, address: destination })
  const run = async () => {
    const payload = { action: 'claim', refundId, claimHash, destination, signed: null } as const
    const response = await requestRefund(terms, charge, payload)
    if (response?.outcome === 'done')
      record.problems.push(`a used or replaced link of ${refundId} has accepted ${destination}`)
  }
  return new Promise((resolve) => {
    const label = `late address of ${name}`
    scheduler.later({ delayMs: 1, process, label, run: () => void run().then(resolve) })
  })
}

async function order(terms: Terms, course: Course, action: 'cancel'): Promise<void> {
  await persist(terms, postTo(course, action))
}

/** Pays to the approved address as planned, from the merchant's wallet, and cancels or lets the deadline pass. */
function pay(terms: Terms, course: Course, { network, token, amountAtomic }: RefundJson): void {
  const { scheduler, scenes, record } = terms
  const { charge, refundId, planned, name } = course
  const { cancelsAfterMs, paysAfterMs } = planned
  const to = record.approved.findLast((approved) => approved.refundId === refundId)?.address
  const scene = [...scenes.values()].find(
    ({ deployment }) => deployment.network === network && deployment.environment === charge.environment,
  )
  const tokenAddress = scene?.deployment.tokens.find((each) => each.token === token)?.address
  if (scene === undefined || tokenAddress === undefined || to === undefined)
    throw new Error(`${name} awaits a payment that its merchant cannot make`)
  const move = { token: tokenAddress, from: REFUND_WALLET, to, amount: BigInt(amountAtomic) }
  const later = (delayMs: number, label: string, run: () => void) =>
    void scheduler.later({ delayMs, process: null, label: `${label} ${name}`, run })
  for (const [at, delayMs] of paysAfterMs.entries())
    later(delayMs, 'pays', () => sendRefund(scene, move, { name: `${name}/${at}`, isSentAsCoins: false }))
  if (planned.end === 'last deadline') void endSoon(terms, course)
  if (cancelsAfterMs !== null) later(cancelsAfterMs, 'cancels', () => void order(terms, course, 'cancel'))
}

/** Brings the deadline of a refund forward to the next seconds. */
function endSoon({ scheduler, operator }: Terms, { refundId, name, random }: Course): Promise<void> {
  const { process, sql } = operator
  const expiresAt = new Date(scheduler.nowMs() + random.integer(MAX_UNTIL_DEADLINE_MS))
  const run = async () => {
    await sql`
      update refunds set expires_at = ${expiresAt}, created_at = created_at - (expires_at - ${expiresAt}::timestamptz)
      where id = ${refundId} and expires_at > ${expiresAt}`
  }
  return new Promise((resolve) => {
    scheduler.later({
      delayMs: 1,
      process,
      label: `deadline of ${name}`,
      run: () => void run().then(resolve),
    })
  })
}

async function readRefund(terms: Terms, { organization, refundId }: Course): Promise<RefundJson | null> {
  const call = { organization, method: 'GET', path: `/v1/refunds/${refundId}`, body: null } as const
  return parseRefund(await persist(terms, call))
}

/**
 * Repeats a request until it succeeds or is finally rejected, up to `MAX_ATTEMPTS` times, sometimes with two requests
 * at the same time. Returns the response of the last attempt, or `null` if none arrived.
 */
async function persist(terms: Terms, call: Call): Promise<HttpResponse | null> {
  const { client, scheduler } = terms
  let last: HttpResponse | null = null
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const random = createRandomStream(scheduler.seed, `${call.path} ${scheduler.nowMs()}`)
    const isHasty = random.fraction() < 0.2
    const second = isHasty ? wait(terms, random.integer(MAX_HASTE_MS)).then(() => client.ask(call)) : null
    const responses = [await client.ask(call), await second]
    const success = responses.find((response) => response !== null && response.status < 300)
    if (success) return success
    last = responses.find((response) => response !== null) ?? null
    if (last !== null && last.status < 429 && !TEMPORARY.has(codeOf(last))) return last
    await wait(terms, RETRY_MS / 2 + random.integer(RETRY_MS))
  }
  return last
}

function wait({ scheduler }: Terms, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    scheduler.later({ delayMs, process: null, label: 'merchant waits', run: () => resolve() })
  })
}

function payersOf({ scheduler, send, record }: Terms, { random }: Course) {
  return createPayers({ scheduler, send, random, record })
}

function visitOf({ refundId, family }: Course, link: string, addresses: readonly Address[]): Visit {
  return { refundId, family, link, addresses }
}

function postTo({ organization, refundId }: Course, action: string) {
  return { organization, method: 'POST', path: `/v1/refunds/${refundId}/${action}`, body: null } as const
}

/** Returns an address that has not been used before. */
function nameAddress({ scheduler }: Terms, course: Course): Address {
  course.named += 1
  return `0x${hash('sha256', `${scheduler.seed} ${course.name} ${course.named}`).slice(0, 40)}` as Address
}

function parseRefund(response: HttpResponse | null): RefundJson | null {
  return response !== null && response.status < 300 ? (JSON.parse(response.body) as RefundJson) : null
}

function codeOf({ body }: HttpResponse): string {
  return (JSON.parse(body) as { readonly error?: { readonly code: string } }).error?.code ?? ''
}
