import type { ChargeRow } from '../../shared/db/charges/charge-row.ts'
import { lockCharges, readLockedCharges } from '../../shared/db/charges/daemon/charge-inbox.ts'
import type { Db, Sql } from '../../shared/db/connect.ts'
import { appendEvents } from '../../shared/db/events/daemon/events.ts'
import {
  countEndedRefunds,
  findDeclaredRefund,
  insertRefund,
  isPayoutRecipient,
} from '../../shared/db/refunds/daemon/declare-refund.ts'
import { listPaidPairs } from '../../shared/db/refunds/paid-pairs.ts'
import type { RefundDeclaration, RefundResult } from '../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import type { Address } from '../../shared/domain/address.ts'
import { findMerchant } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import { type AttoDollars, atto } from '../../shared/domain/money.ts'
import {
  MAX_ENDED_REFUNDS_PER_CHARGE,
  MAX_REFUNDS_PER_CHARGE,
  REFUND_DAYS,
} from '../../shared/domain/refund/refund.ts'
import type { Clock } from '../../shared/runtime/clock.ts'
import { buildChargeEvents } from '../charges/turn-events.ts'
import { readSwapSupport } from '../charges/write-turns.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'
import type { RefundEventTerms } from './apply-refund-news.ts'
import { getLockedCharge } from './get-locked-charge.ts'
import { choosePair, chooseSender, hashDeclaration, planAmount, requireRefundable } from './plan-refund.ts'
import { readNewestHead, requireFreshHead } from './read-newest-head.ts'
import { listContracts, requireDestination } from './require-destination.ts'
import { withinTime } from './within-time.ts'

export type DeclareDeps = RefundEventTerms & {
  readonly sql: Sql
  /** Called after a commit that may have appended events. */
  readonly onEvents: () => void
  readonly chains: readonly CheckedChain[]
  readonly now: Clock
  readonly minimumPayoutOf: (chainId: number) => AttoDollars
  /** Whether a refund may go only to an account that sent at least its amount. */
  readonly onlyToPayers?: boolean | undefined
}

type Declared = { readonly chargeId: string; readonly declaration: RefundDeclaration }

const DAY_MS = 86_400_000

/**
 * Declares a refund and fixes the transfer that must pay it: wallet, token, amount and, unless the payer will name it,
 * destination. The amount is checked under the charge's lock, so that the refunds of a charge never exceed the amount
 * that the charge received.
 *
 * The head of the chain is read before the transaction. Only a transfer in a later block can pay the refund, so an
 * earlier equal transfer cannot. If the payer will name the destination, the head is read at the merchant's approval.
 *
 * @throws {AppError} the rejection that the API returns
 */
export async function declareRefund(deps: DeclareDeps, declared: Declared): Promise<RefundResult> {
  const { chargeId, declaration } = declared
  const replay = await findReplay(deps.sql, declared)
  if (replay !== null) return replay
  const pairs = await listPaidPairs(deps.sql, { chargeId })
  const chainId = pairs.length === 0 ? null : choosePair(pairs, declaration).chainId
  const isFixed = chainId !== null && declaration.destination !== null
  const afterBlock = isFixed ? await withinTime(readNewestHead(deps, chainId)) : null
  const headReadAt = performance.now()
  const result = await inTransaction(deps.sql, (db) =>
    insertDeclared(deps, db, { ...declared, chainId, afterBlock, headReadAt }),
  )
  deps.onEvents()
  return result
}

/** @throws {AppError} `idempotency_key_reused` if an earlier request with this key declared another refund */
async function findReplay(db: Db, { chargeId, declaration }: Declared): Promise<RefundResult | null> {
  const { idempotencyKey } = declaration
  const earlier = await findDeclaredRefund(db, { chargeId, idempotencyKey })
  if (earlier === null) return null
  if (earlier.requestHash === hashDeclaration(declaration))
    return { outcome: 'done', refundId: earlier.id, isReplay: true }
  throw new AppError('idempotency_key_reused', 'the key was used for another refund of this charge', {
    param: 'idempotencyKey',
  })
}

type Placed = Declared & {
  readonly chainId: number | null
  readonly afterBlock: number | null
  /** `performance.now()` when the head was read. */
  readonly headReadAt: number
}

async function insertDeclared(deps: DeclareDeps, db: Db, placed: Placed): Promise<RefundResult> {
  const { chargeId, declaration, afterBlock } = placed
  const [charge] = await readLockedCharges(db, await lockCharges(db, [chargeId]))
  if (charge === undefined)
    throw new AppError('service_unavailable', `${chargeId} is quarantined and waits for an operator`)
  const replay = await findReplay(db, placed)
  if (replay !== null) return replay
  const pairs = await listPaidPairs(db, { chargeId })
  requireRefundable(charge, pairs)
  const pair = choosePair(pairs, declaration)
  if (pair.chainId !== placed.chainId)
    throw new AppError(
      'service_unavailable',
      'another payment of the charge has just been credited; try again',
    )
  requireFreshHead(placed.headReadAt)
  requireRoom(charge, await countEndedRefunds(db, chargeId))
  const sender = await requireSender(db, { charge, declaration })
  const { destination } = declaration
  const contracts = listContracts(deps.chains, pair)
  const minimumAtto = pair.chainId === null ? atto(0n) : deps.minimumPayoutOf(pair.chainId)
  const amountAtomic = planAmount(declaration, { charge, pair, minimumAtto })
  const createdAt = deps.now()
  if (destination !== null) {
    const refund = { ...pair, chargeId, sender, amountAtomic, createdAt }
    const { onlyToPayers } = deps
    const destined = {
      charge,
      refund,
      destination,
      contracts,
      onlyToPayers,
      param: 'destination.address',
    } as const
    await requireDestination(db, destined)
  }
  const refund = {
    ...{ id: newId('rf', createdAt.getTime()), chargeId, tenant: charge, family: charge.family },
    ...{ network: pair.network, token: pair.token, chainId: pair.chainId, tokenAddress: pair.tokenAddress },
    ...{ decimals: pair.decimals, sender, destination, claimHash: declaration.claimHash, amountAtomic },
    ...{ reason: declaration.reason, afterBlock, idempotencyKey: declaration.idempotencyKey },
    ...{ requestHash: hashDeclaration(declaration), createdAt },
    expiresAt: new Date(createdAt.getTime() + REFUND_DAYS * DAY_MS),
  }
  if (!(await insertRefund(db, refund))) throw createAmbiguityError()
  await appendDeclared(deps, db, { chargeId, now: createdAt })
  return { outcome: 'done', refundId: refund.id, isReplay: false }
}

/** Notifies the merchant of a declaration, because an attacker with a stolen key or role could have requested it. */
async function appendDeclared(
  deps: DeclareDeps,
  db: Db,
  { chargeId, now }: { readonly chargeId: string; readonly now: Date },
): Promise<void> {
  const charge = await getLockedCharge(db, chargeId)
  const offering = await readSwapSupport(deps, db)
  const types = ['charge.refund_declared'] as const
  await appendEvents(db, buildChargeEvents({ ...deps, offering }, { charge, types, now }))
}

/** @throws {AppError} `refund_limit_reached` if the open and confirmed, or the ended, refunds are at their maximum */
function requireRoom({ id, refunds }: ChargeRow, ended: number): void {
  if (refunds.length < MAX_REFUNDS_PER_CHARGE && ended < MAX_ENDED_REFUNDS_PER_CHARGE) return
  throw new AppError(
    'refund_limit_reached',
    `${id} has ${refunds.length} open or confirmed refunds, and ${ended} that ended`,
  )
}

/**
 * Returns the wallet that pays the refund.
 *
 * @throws {AppError} those of `chooseSender`; `validation_error`, param `from`, if the wallet is neither the charge's
 * merchant address nor a payout recipient of the organization
 */
async function requireSender(
  db: Db,
  { charge, declaration }: { readonly charge: ChargeRow; readonly declaration: RefundDeclaration },
): Promise<Address> {
  const address = chooseSender(charge, declaration)
  if (address === findMerchant(charge)) return address
  const { organizationId, environment } = charge
  if (await isPayoutRecipient(db, { organizationId, environment, address })) return address
  throw new AppError('validation_error', 'from is not a payout recipient of the organization', {
    param: 'from',
  })
}

/** Returns the rejection of a refund whose transfer could also pay another open refund. */
export function createAmbiguityError(): AppError {
  return new AppError(
    'refund_ambiguous',
    'another open refund has the same wallet, destination, token and amount: wait for it, or change the amount',
  )
}
