import type { Sql } from '../../shared/db/connect.ts'
import type { RefundPayload, RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import {
  findRequestResponse,
  insertChargeRequest,
  type RequestError,
} from '../../shared/db/requests/charge-requests.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { newId } from '../../shared/domain/ids.ts'
import { API_REQUEST_ID } from './create-charge.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import { ARC_USDC, COINS_PER_UNIT } from './model/arc.ts'
import { sendCoins } from './model/coins.ts'
import { transfer } from './model/contracts.ts'
import type { State } from './model/state.ts'
import { act } from './payments.ts'
import type { Scene } from './scene.ts'
import { REFUND_DESTINATIONS, REFUND_WALLET } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly scenes: ReadonlyMap<number, Scene>
}

/** A merchant's refund: the request, the payments from the merchant's wallet, and the cancellation. */
type PlannedRefund = {
  /** Time after the deadline of the charge at which the refund is declared. */
  readonly delayMs: number
  readonly amount: string
  readonly destination: Address
  /** The accepted pair that the request names; `null` for the only paid pair. */
  readonly pairIndex: number | null
  /** Times after the declaration at which the wallet pays, including twice and after the end of the refund. */
  readonly paysAfterMs: readonly number[]
  /** Time after the declaration at which the merchant cancels; `null` for never. */
  readonly cancelsAfterMs: number | null
}

/** Amounts that are often equal, and that often exceed the charge's received amount. */
const AMOUNTS = ['1.5', '1.5', '3', 'all', 'all', 'overpayment']
const POLL_MS = 1_000
const MAX_POLLS = 20
const MAX_ATTEMPTS = 8
const RETRY_MS = 6_000
/** Errors after which a request is repeated. */
const TEMPORARY: ReadonlySet<string> = new Set([
  'charge_still_open',
  'service_unavailable',
  'rpc_unavailable',
])

/**
 * Plans the refunds of a charge. Some have equal content, and some are canceled, paid late, paid twice or never paid. A
 * request is repeated up to 8 times while the charge is open or a chain cannot be read.
 */
export function planRefunds(terms: Terms, charge: ChargeRecord, index: number): void {
  const { scheduler } = terms
  const random = createRandomStream(scheduler.seed, `refunds ${index}`)
  const count = random.pick([0, 1, 2, 3, 4])
  const planned = Array.from(
    { length: count },
    (): PlannedRefund => ({
      delayMs: 2_000 + random.integer(15_000),
      amount: random.pick(AMOUNTS),
      destination: random.pick(REFUND_DESTINATIONS),
      pairIndex: random.fraction() < 0.3 ? random.integer(6) : null,
      paysAfterMs: Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => 300 + random.integer(15_000)),
      cancelsAfterMs: random.fraction() < 0.4 ? 300 + random.integer(12_000) : null,
    }),
  )
  for (const [at, refund] of planned.entries())
    later(
      terms,
      {
        label: `refund ${index}/${at}`,
        delayMs: charge.expiresAt.getTime() - scheduler.nowMs() + refund.delayMs,
      },
      () => declare(terms, { charge, refund, name: `${index}/${at}`, attempt: 0 }),
    )
}

type Declaring = {
  readonly charge: ChargeRecord
  readonly refund: PlannedRefund
  readonly name: string
  readonly attempt: number
}

async function declare(terms: Terms, declaring: Declaring): Promise<void> {
  const { charge, refund, name, attempt } = declaring
  const pairs = charge.acceptedPayments
  const pair = refund.pairIndex === null ? null : pairs[refund.pairIndex % pairs.length]
  const { amount, destination } = refund
  const payload: RefundPayload = {
    ...{ action: 'declare', amount, destination, token: pair?.token ?? null, network: pair?.network ?? null },
    ...{ from: REFUND_WALLET, claimHash: null, reason: 'other', idempotencyKey: name },
  }
  const response = await requestRefund(terms, charge, payload)
  if (response?.outcome === 'done') return follow(terms, declaring, response.refundId ?? '')
  terms.scheduler.note(`refund ${name} is refused: ${response?.code ?? 'no response'}`)
  const isTemporary = response === null || TEMPORARY.has(response.code)
  if (isTemporary && attempt < MAX_ATTEMPTS)
    later(terms, { label: `refund ${name} again`, delayMs: RETRY_MS }, () =>
      declare(terms, { ...declaring, attempt: attempt + 1 }),
    )
}

async function follow(terms: Terms, { charge, refund, name }: Declaring, refundId: string): Promise<void> {
  const [row] = await terms.sql<{ chainId: number; tokenAddress: Address; amountAtomic: bigint }[]>`
    select chain_id, token_address, amount_atomic from refunds where id = ${refundId}`
  if (row === undefined) throw new Error(`refund ${name} does not exist`)
  const scene = terms.scenes.get(row.chainId)
  const move = {
    ...{ token: row.tokenAddress, from: REFUND_WALLET, to: refund.destination, amount: row.amountAtomic },
  }
  const random = createRandomStream(terms.scheduler.seed, `coins of refund ${name}`)
  for (const [at, delayMs] of refund.paysAfterMs.entries()) {
    const isSentAsCoins = move.token === ARC_USDC && random.fraction() < 0.5
    later(terms, { label: `pays refund ${name}/${at}`, delayMs }, () =>
      sendRefund(scene, move, { name: `refund ${name}/${at}`, isSentAsCoins }),
    )
  }
  const { cancelsAfterMs } = refund
  if (cancelsAfterMs !== null)
    later(terms, { label: `cancels refund ${name}`, delayMs: cancelsAfterMs }, () =>
      requestRefund(terms, charge, { action: 'cancel', refundId }),
    )
}

/** Sends the transfer of a refund from the merchant's wallet. The transfer's name must be unique. */
export function sendRefund(
  scene: Pick<Scene, 'chain'> | undefined,
  move: Move,
  { name, isSentAsCoins }: { readonly name: string; readonly isSentAsCoins: boolean },
): void {
  const coins = move.amount * COINS_PER_UNIT
  const pay = (state: State) => (isSentAsCoins ? sendCoins(state, { ...move, coins }) : transfer(state, move))
  scene?.chain.send(act(name, pay, REFUND_WALLET))
}

type Move = {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

/** Sends a request like the API. Returns `null` if another one is pending or no response arrives within 20 s. */
export async function requestRefund(
  { scheduler, process, sql }: Omit<Terms, 'scenes'>,
  { id: chargeId, organizationId }: ChargeRecord,
  payload: RefundPayload,
): Promise<RefundResult | RequestError | null> {
  const id = newId('req', Math.floor(scheduler.nowMs()))
  const asked = {
    id,
    kind: 'refund',
    organizationId,
    chargeId,
    apiRequestId: API_REQUEST_ID,
    payload,
  } as const
  if (!(await insertChargeRequest(sql, asked))) return null
  for (let waited = 0; waited < MAX_POLLS; waited += 1) {
    const response = await findRequestResponse<RefundResult | RequestError>(sql, id)
    if (response !== null) return response
    await new Promise<void>((resolve) => {
      scheduler.later({ delayMs: POLL_MS, process, label: `waits for ${id}`, run: () => resolve() })
    })
  }
  return null
}

type Timing = { readonly label: string; readonly delayMs: number }

function later({ scheduler, process }: Terms, { label, delayMs }: Timing, work: () => unknown): void {
  scheduler.later({ delayMs: Math.max(1, delayMs), process, label, run: () => void work() })
}
