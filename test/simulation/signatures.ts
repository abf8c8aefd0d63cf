import { keccak256, stringToHex } from 'viem'
import { requestDaemon } from '../../api/http/request-daemon.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { findSignatureFacts } from '../../shared/db/pay-by-signature/authorization-facts.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { authorizationTypedData } from '../../shared/domain/eip3009/authorization.ts'
import { planAuthorization, requirePayablePairs } from '../../shared/domain/eip3009/plan-authorization.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { API_REQUEST_ID } from './create-charge.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import {
  cancelAuthorization,
  describeAuthorization,
  executeAuthorization,
  type ModelAuthorization,
} from './model/authorizations.ts'
import { act } from './payments.ts'
import type { PlannedSignature } from './planned-signature.ts'
import type { Scene } from './scene.ts'
import { SIGNING_ACCOUNT, SIGNING_PAYER, STALE_AFTER, STRANGER } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly scenes: ReadonlyMap<number, Scene>
}

type Payment = { readonly charge: ChargeRecord; readonly planned: PlannedSignature; readonly name: string }

const WAIT = { waitMs: 30_000, isWithdrawn: true }

/** Schedules a charge's signed payments, which a stranger might submit first, and which the payer might cancel. */
export function planSignatures(
  terms: Terms,
  charge: ChargeRecord,
  { signatures, index }: { readonly signatures: readonly PlannedSignature[]; readonly index: number },
): void {
  for (const [at, planned] of signatures.entries())
    later(terms, { label: `signature ${index}/${at}`, delayMs: planned.afterMs }, () =>
      pay(terms, { charge, planned, name: planned.isNonceOld ? `${index}/0` : `${index}/${at}` }),
    )
}

/** Signs the charge's unpaid amount, and sends the signature to the daemon as the API does. */
async function pay(terms: Terms, { charge, planned, name }: Payment): Promise<void> {
  const { scheduler, sql } = terms
  const result = await send(terms, { charge, planned, name }).catch((error: unknown) => {
    if (error instanceof AppError) return error.code
    throw error
  })
  scheduler.note(`signature ${name} is ${result}`)

  async function send(_: Terms, payment: Payment): Promise<string> {
    const signed = await sign(payment)
    const id = newId('req', scheduler.nowMs())
    const request = { id, kind: 'authorization', chargeId: charge.id, payload: signed } as const
    const { organizationId } = charge
    const response = await requestDaemon(
      sql,
      { ...request, organizationId, apiRequestId: API_REQUEST_ID },
      WAIT,
    )
    return response?.outcome ?? 'pending'
  }

  async function sign(payment: Payment) {
    const facts = await findSignatureFacts(sql, { chargeId: charge.id, staleAfter: STALE_AFTER })
    if (facts === null) throw new Error(`${charge.id} does not exist`)
    const pairs = requirePayablePairs(charge.id, planAuthorization(facts, scheduler.now()))
    const pair = createRandomStream(scheduler.seed, `pair of ${name}`).pick(pairs)
    const nowSeconds = BigInt(Math.floor(scheduler.nowMs() / 1000))
    const authorization = {
      ...{ from: SIGNING_PAYER, to: charge.address, value: pair.valueAtomic, validAfter: nowSeconds - 30n },
      validBefore: nowSeconds + BigInt(planned.validSeconds),
      nonce: keccak256(stringToHex(`nonce ${name}`)),
    }
    const { chainId, tokenAddress: token, domain } = pair
    const data = authorizationTypedData({ chainId, token, domain, authorization })
    const signature = await SIGNING_ACCOUNT.signTypedData(data as never)
    const scene = terms.scenes.get(chainId)
    const known = { ...authorization, token }
    scene?.chain.signatures.set(`${describeAuthorization(known)}/${signature}`, SIGNING_PAYER)
    if (scene !== undefined) meddle(terms, scene, { ...payment, authorization: known })
    const text = (value: bigint) => String(value)
    return {
      ...{ ...authorization, chainId, token, signature, value: text(authorization.value) },
      ...{ validAfter: text(authorization.validAfter), validBefore: text(authorization.validBefore) },
    }
  }
}

type Meddling = Payment & { readonly authorization: ModelAuthorization }

function meddle(terms: Terms, { chain }: Scene, { planned, name, authorization }: Meddling): void {
  const { strangerAfterMs, canceledAfterMs } = planned
  if (strangerAfterMs !== null)
    later(terms, { label: `stranger pays ${name}`, delayMs: strangerAfterMs }, () =>
      chain.send(
        act(
          `stranger pays ${describeAuthorization(authorization)}`,
          (state, timestamp) => executeAuthorization(state, authorization, timestamp),
          STRANGER,
        ),
      ),
    )
  if (canceledAfterMs !== null)
    later(terms, { label: `payer cancels ${name}`, delayMs: canceledAfterMs }, () =>
      chain.send(
        act(
          `cancel ${describeAuthorization(authorization)}`,
          (state) => cancelAuthorization(state, authorization),
          SIGNING_PAYER,
        ),
      ),
    )
}

type Timing = { readonly label: string; readonly delayMs: number }

function later({ scheduler, process }: Terms, { label, delayMs }: Timing, work: () => unknown): void {
  scheduler.later({ delayMs: Math.max(1, delayMs), process, label, run: () => void work() })
}
