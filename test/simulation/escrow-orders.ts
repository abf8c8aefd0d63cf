import { type EscrowDeps, prepareEscrow } from '../../api/charges/escrow/prepare-escrow.ts'
import { submitEscrowOrder } from '../../api/charges/escrow/submit-escrow-order.ts'
import { createChains } from '../../api/http/chain-clients.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Hex } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { type EscrowTransaction, escrowTypedData } from '../../shared/domain/escrow-transaction.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import { API_REQUEST_ID } from './create-charge.ts'
import { createRandomStream } from './engine/chance.ts'
import type { Scheduler, SimulatedProcess } from './engine/scheduler.ts'
import { sendDust, submitAsStranger } from './escrow-moves.ts'
import { listWorthyCredits, readEscrow } from './escrow-truth.ts'
import { safeDigest, signatureKey } from './model/safe.ts'
import { balanceIn } from './model/state.ts'
import type { PlannedEscrow, PlannedEscrowOrder } from './planned-escrow.ts'
import type { Scene } from './scene.ts'
import { RELEASER, RELEASER_ACCOUNT } from './world.ts'

type Terms = {
  readonly scheduler: Scheduler
  readonly process: SimulatedProcess
  readonly sql: Sql
  readonly deployments: readonly IndexerDeployment[]
  readonly scenes: ReadonlyMap<number, Scene>
}

type Order = {
  readonly name: string
  readonly charge: ChargeRecord
  readonly planned: PlannedEscrowOrder
  attempts: number
}

export type Releasers = ReturnType<typeof createReleasers>

/**
 * Maximum attempts of a releaser who is not persistent, and minimum attempts of a persistent releaser before they
 * abandon an escrow that cannot end.
 */
const FEW = 4
const RETRY_MS = 8_000

/**
 * Creates the releasers, who prepare, sign and send orders with the API's functions. A persistent releaser repeats an
 * order until the escrow has ended, or until the chains justify the refusal.
 */
export function createReleasers(terms: Terms) {
  const { scheduler, process, sql, deployments, scenes } = terms
  const deps: EscrowDeps = { sql, chainOf: createChains(deployments) }
  /** Result of the last attempt of each unfinished order of a persistent releaser, by the order's name. */
  const open = new Map<string, string>()

  return {
    plan: (charge: ChargeRecord, { orders }: PlannedEscrow, index: number) => {
      for (const [at, planned] of orders.entries()) {
        const order = { name: `${index}/${at}`, charge, planned, attempts: 0 }
        later(planned.afterMs, `order ${order.name}`, () => attempt(order))
      }
    },
    /** Describes the persistent releasers' orders that have neither ended the escrow nor been refused justifiably. */
    listUnfinished: () => [...open].map(([name, result]) => `order ${name} is not executed: ${result}`),
  }

  async function attempt(order: Order): Promise<void> {
    const { name, planned } = order
    order.attempts += 1
    const result = await send(order).then(
      () => 'sent',
      (error: unknown) => {
        if (error instanceof AppError) return error.code
        throw error
      },
    )
    scheduler.note(`order ${name} is ${result}`)
    if (planned.isPersistent) open.set(name, result)
    const isDone = planned.isPersistent
      ? await isOver(order, result)
      : result === 'sent' || order.attempts >= FEW
    if (isDone) open.delete(name)
    else later(Math.max(RETRY_MS, scheduler.calmStepMs()), `order ${name} again`, () => attempt(order))
  }

  /** @throws {AppError} the API's refusal */
  async function send({ name, charge, planned, attempts }: Order): Promise<void> {
    const { action } = planned
    const subject = { chargeId: charge.id, action }
    const { transaction } = await prepareEscrow(deps, subject)
    const signature = await sign(transaction)
    meddle({ name: `${name}/${attempts}`, charge, planned }, transaction, signature)
    if (planned.thinksMs > 0)
      await new Promise<void>((resolve) => later(planned.thinksMs, `order ${name} is sent`, resolve))
    await submitEscrowOrder(deps, {
      ...{ ...subject, signature, signedAmount: String(transaction.amountAtomic) },
      ...{ tenant: charge, apiRequestId: API_REQUEST_ID, now: scheduler.now() },
    })
  }

  async function sign(transaction: EscrowTransaction): Promise<Hex> {
    const signature = await RELEASER_ACCOUNT.signTypedData(escrowTypedData(transaction) as never)
    sceneOf(transaction.chainId).chain.signatures.set(
      signatureKey(safeDigest(moveOf(transaction)), signature),
      RELEASER,
    )
    return signature
  }

  function meddle(
    { name, charge, planned }: Pick<Order, 'name' | 'charge' | 'planned'>,
    transaction: EscrowTransaction,
    signature: Hex,
  ): void {
    const { chainId, tokenAddress } = transaction
    const scene = sceneOf(chainId)
    const random = createRandomStream(scheduler.seed, `meddling ${name}`)
    if (planned.meetsDust) {
      const tokenIndex = scene.deployment.tokens.findIndex(({ address }) => address === tokenAddress)
      const dust = { chainId, tokenIndex, isOneUnit: random.fraction() < 0.5, isToSplit: false }
      sendDust(scene, { charge, dust, name: `dust before ${name}` })
    }
    if (planned.strangerAfterMs !== null)
      later(planned.strangerAfterMs, `stranger submits ${name}`, () =>
        submitAsStranger(scene, {
          ...{ charge, move: moveOf(transaction), signature },
          name: `stranger submits ${name}`,
        }),
      )
  }

  /** Whether the escrow has ended, or the chains justify the refusal of every further order. */
  async function isOver({ charge, attempts }: Order, result: string): Promise<boolean> {
    const [row] = await sql<{ isEnded: boolean; reverted: number }[]>`
      select escrow_released_at is not null or escrow_refunded_at is not null as is_ended,
        (select count(*) from escrow_orders o where o.charge_id = c.id and o.status = 'reverted')::int as reverted
      from charges c where id = ${charge.id}`
    if (row === undefined || row.isEnded) return true
    if (result === 'escrow_safe_mismatch') return row.reverted >= 2
    const paid = listWorthyCredits(readEscrow(charge, scenes.values()), charge)
    const pairs = new Map(paid.map((credit) => [`${credit.chainId}/${credit.token}`, credit]))
    if (result === 'escrow_multiple_payment_pairs' && pairs.size > 1) return true
    if (!scheduler.isCalm() || attempts < FEW) return false
    const isShaken = [...scenes.values()].some(({ chain }) => chain.hasLostDepth())
    return isShaken || [...pairs.values()].every(({ chainId, token }) => isEmpty(charge, { chainId, token }))
  }

  function isEmpty(
    { address }: ChargeRecord,
    { chainId, token }: { readonly chainId: number; readonly token: EscrowTransaction['tokenAddress'] },
  ): boolean {
    return balanceIn(sceneOf(chainId).chain.tip().state, token, address) === 0n
  }

  function sceneOf(chainId: number): Scene {
    const scene = scenes.get(chainId)
    if (scene === undefined) throw new Error(`the history has no chain ${chainId}`)
    return scene
  }

  function later(delayMs: number, label: string, run: () => unknown): void {
    scheduler.later({ delayMs: Math.max(1, delayMs), process, label, run: () => void run() })
  }
}

function moveOf({
  chainId,
  safeAddress: safe,
  tokenAddress: token,
  destination: to,
  ...rest
}: EscrowTransaction) {
  return { chainId, safe, token, to, amount: rest.amountAtomic, nonce: rest.nonce }
}
