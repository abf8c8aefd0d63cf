import en from '../../api/checkout/languages/en.json' with { type: 'json' }
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { Random } from '../support/seeded-random.ts'
import type { HttpResponse } from './api/handle-request.ts'
import type { Send } from './api/network.ts'
import type { ClaimRecord } from './claim-record.ts'
import type { Scheduler } from './engine/scheduler.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly send: Send
  readonly random: Random
  readonly record: ClaimRecord
}

/** A payer's visit to the page of a refund. */
export type Visit = {
  readonly refundId: string
  readonly family: ChainFamilyName
  /** URL of the page. */
  readonly link: string
  /** Destinations to submit in this order, until the page accepts one of them. */
  readonly addresses: readonly Address[]
}

/** Result of a visit: the page has accepted an address, the link is void, or the result is not known. */
export type Visited = 'sent' | 'void' | 'unknown'

/** Attempts per address. Visitors may send five addresses a minute for a charge. */
const MAX_ATTEMPTS = 12
const MIN_PAUSE_MS = 300
const MAX_PAUSE_MS = 4_000
/** Pause after a rejection by a limit per minute. */
const LIMITED_PAUSE_MS = 20_000
/** Expected statuses: page shown, address accepted, link void, rate limit reached, API or database unavailable. */
const EXPECTED: readonly number[] = [200, 303, 404, 429, 503]

/** Creates the payers, who use the page of a refund without scripts, and repeat requests without a response. */
export function createPayers({ scheduler, send, random, record }: Terms) {
  return { visit, intrude }

  /**
   * Sends the addresses until the page accepts one. Sometimes opens the page first, or has the page show an address for
   * comparison before sending it.
   */
  async function visit({ refundId, family, link, addresses }: Visit): Promise<Visited> {
    if (random.fraction() < 0.5) await request(link, null)
    for (const address of addresses) {
      const text = presentAddress(address, family)
      if (random.fraction() < 0.5) await review(link, text)
      record.given.push({ refundId, link, address })
      const visited = await insist(link, text)
      if (visited === 'sent') record.accepted.push({ refundId, link, address })
      if (visited !== 'unknown') return visited
    }
    return 'unknown'
  }

  /** Sends an address through a link that was replaced. */
  async function intrude({ refundId, family, link, addresses: [address] }: Visit): Promise<void> {
    if (address === undefined) return
    record.stale.push({ refundId, link, address })
    const response = await request(link, { address: presentAddress(address, family), step: 'send' })
    if (response !== null && (response.status === 200 || response.status === 303))
      record.problems.push(`a replaced link of ${refundId} was answered with ${response.status}`)
  }

  async function insist(link: string, address: string): Promise<Visited> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const isHasty = random.fraction() < 0.2
      const second = isHasty ? request(link, { address, step: 'send' }) : null
      const responses = [await request(link, { address, step: 'send' }), await second]
      if (responses.some((response) => response?.status === 303)) return 'sent'
      if (responses.some((response) => response?.status === 404)) return 'void'
      if (responses.some((response) => isRefused(response))) return 'unknown'
      const isLimited = responses.some((response) => response?.status === 429)
      await pause(isLimited ? LIMITED_PAUSE_MS : MIN_PAUSE_MS + random.integer(MAX_PAUSE_MS))
    }
    return 'unknown'
  }

  async function review(link: string, address: string): Promise<void> {
    const response = await request(link, { address })
    if (response?.status === 200 && !response.body.includes(`value="${address}"`))
      record.problems.push(`the page ${link} does not show the address ${address} for comparison`)
  }

  /** Opens the page, or submits its form. Returns `null` if no response arrives. */
  async function request(
    link: string,
    fields: Readonly<Record<string, string>> | null,
  ): Promise<HttpResponse | null> {
    const path = new URL(link).pathname
    const sent =
      fields === null
        ? ({ method: 'GET', path, headers: {}, body: null } as const)
        : ({ method: 'POST', path, headers: FORM, body: new URLSearchParams(fields).toString() } as const)
    const response = await send(sent)
    if (response !== null && !EXPECTED.includes(response.status))
      record.problems.push(`${sent.method} of the page of a refund was answered with ${response.status}`)
    return response
  }

  function pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      scheduler.later({ delayMs, process: null, label: 'payer waits', run: () => resolve() })
    })
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Whether the page says that no money may be refunded to the address. */
function isRefused(response: HttpResponse | null): boolean {
  return response?.status === 200 && response.body.includes(en['claim.refused'])
}
