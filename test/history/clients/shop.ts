import { setTimeout as delay } from 'node:timers/promises'
import type { Address } from 'viem'
import type { Devnet } from '../../devnet/devnet.ts'
import type { Random } from '../../support/seeded-random.ts'
import type { Recorder } from '../record.ts'
import { type Listener, listen } from './listen.ts'
import type { Organization, RecordedResponse } from './organization.ts'
import { pay } from './payer.ts'
import { type ChargePlan, planCharge } from './plan-charge.ts'

/** The fields of a created charge that later steps need. */
export type ShopCharge = { readonly id: string; readonly address: Address; readonly expiresAt: string }

/** An organization that creates and reads charges, which payers pay. */
export type Shop = {
  readonly organization: Organization
  readonly charges: readonly ShopCharge[]
  /** Errors that prevented the creation of a charge or a payment, such as a payment that a node rejected. */
  readonly failures: readonly string[]
  /** Stops creating charges. Resolves when every planned payment is sent or has failed. */
  readonly close: () => Promise<void>
  /** Ends the recording of the charges' streams. */
  readonly stop: () => Promise<void>
}

type ShopOptions = {
  readonly devnet: Devnet
  readonly recorder: Recorder
  readonly random: Random
  /** Charges per second. */
  readonly rate: number
}

/** Maximum open streams of single charges. The API allows 20 streams per key. */
const MAX_STREAMS = 10

/** Delay of a late payment after the deadline, so that the payment's block is certainly later. */
const LATE_BY_MS = 3_000

/** Opens a shop, which sends twice as many reads as creations. */
export function openShop(organization: Organization, options: ShopOptions): Shop {
  const { devnet, recorder, random, rate } = options
  const charges: ShopCharge[] = []
  const failures: string[] = []
  const closing = new AbortController()
  const open = new Set<Promise<void>>()
  const streams = new Set<Listener>()
  let count = 0

  async function sell(): Promise<void> {
    const plan = planCharge(random)
    count += 1
    const key = `${organization.name}-${count}`
    const [charge, ...others] = await create(organization, { plan, key, random })
    charges.push(charge, ...others)
    if (random.fraction() < 0.3 && streams.size < MAX_STREAMS) await watch(charge)
    for (const payment of plan.payments) {
      if (payment.isLate) await delay(Math.max(0, Date.parse(charge.expiresAt) + LATE_BY_MS - Date.now()))
      await pay(devnet, { ...payment, to: charge.address })
    }
  }

  async function watch({ id }: ShopCharge): Promise<void> {
    const path = `/v1/charges/${id}/events`
    const stream = await listen(recorder, organization, { path, endsWithService: true })
    streams.add(stream)
    void stream.ended.then(() => streams.delete(stream))
  }

  function start(work: () => Promise<void>): void {
    const working = work()
      .catch((error: unknown) => void failures.push(describe(error)))
      .finally(() => open.delete(working))
    open.add(working)
  }

  async function repeat(perSecond: number, work: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      start(work)
      await delay(1000 / perSecond, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }

  start(() => repeat(rate, sell))
  start(() => repeat(2 * rate, () => readSome(organization, { charges, random })))
  return {
    ...{ organization, charges, failures },
    close: async () => {
      closing.abort()
      while (open.size > 0) await Promise.all(open)
    },
    stop: async () => {
      await Promise.all([...streams].map((stream) => stream.stop()))
    },
  }
}

type Order = { readonly plan: ChargePlan; readonly key: string; readonly random: Random }

/**
 * Creates a charge, sometimes with several requests, and sometimes reuses the key with another body.
 *
 * @returns the charge, and any further charges, which the service must not create
 */
async function create(
  { name, insist, send }: Organization,
  { plan, key, random }: Order,
): Promise<readonly [ShopCharge, ...ShopCharge[]]> {
  const body = { ...plan.body, idempotencyKey: key, externalRef: key }
  const twins = random.fraction() < 0.2 ? 2 : 1
  const responses: (RecordedResponse | null)[] = await Promise.all(
    Array.from({ length: twins }, () => insist('POST /v1/charges', body)),
  )
  const changed = { ...body, amount: plan.body.amount + 1 }
  if (random.fraction() < 0.2) responses.push(await send('POST /v1/charges', changed))
  if (random.fraction() < 0.2) responses.push(await send('POST /v1/charges', body))
  const created = responses.flatMap((one) => (one?.status === 201 ? [one.json as ShopCharge] : []))
  const [first, ...others] = new Map(created.map((charge) => [charge.id, charge])).values()
  if (first === undefined) throw new Error(`${name}: ${key}: ${JSON.stringify(responses[0]?.json)}`)
  return [first, ...others]
}

async function readSome(
  { send }: Organization,
  { charges, random }: { readonly charges: readonly ShopCharge[]; readonly random: Random },
): Promise<void> {
  const latest = charges.slice(-30)
  if (latest.length === 0) return
  const path = random.fraction() < 0.1 ? '?limit=100' : `/${random.pick(latest).id}`
  await send(`GET /v1/charges${path}`)
}

/** Returns an error's first line and, if a node caused the error, its details. */
function describe(error: unknown): string {
  const { details } = error as { readonly details?: string }
  return [String(error).split('\n')[0], details ?? []].flat().join(' ')
}
