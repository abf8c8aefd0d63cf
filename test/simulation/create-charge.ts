import { insertCharges } from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { allocate } from '../../shared/domain/allocation.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { newId } from '../../shared/domain/ids.ts'
import { micro } from '../../shared/domain/money.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { type Percent, parsePercent } from '../../shared/domain/percent.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../shared/domain/split-address.ts'
import { type Organization, PARTNER, TREASURY } from './world.ts'

/** The charge that a merchant requests. */
export type ChargeTerms = {
  readonly organization: Organization
  readonly amountMicro: bigint
  readonly acceptedPayments: readonly Pair[]
  readonly expiresInMs: number
  readonly endsOnSecond: boolean
  readonly hasPartner: boolean
  readonly now: Date
}

/** Errors that the API returns with 503, after which the merchant may retry (decisions 2.3). */
const REFUSALS: readonly string[] = ['payment_temporarily_unavailable', 'rpc_unavailable']

/** Id for all requests. It is not used for anything. */
export const API_REQUEST_ID = '00000000-0000-4000-8000-000000000000'

/**
 * Creates a charge with the API's own statement. The daemon accepts its terms.
 *
 * @returns `null` if an operator has paused a pair, or no quorum has read the contracts since the daemon started
 */
export async function createCharge(sql: Sql, terms: ChargeTerms): Promise<ChargeRecord | null> {
  const charge = draft(terms)
  const { id, address, environment } = charge
  const [outcome] = await insertCharges(
    sql,
    [
      {
        charge,
        idempotencyKey: null,
        apiRequestId: API_REQUEST_ID,
        requestHash: Buffer.alloc(0),
        eventId: newId('evt', terms.now.getTime()),
        eventData: JSON.stringify({ id, address, environment, status: 'pending', isOverpaid: false }),
      },
    ],
    { blocks: 20, atLeastMs: 120_000 },
  )
  if (outcome?.outcome === 'created') return charge
  if (outcome !== undefined && REFUSALS.includes(outcome.outcome)) return null
  throw new Error(`charge was not created: ${outcome?.outcome}`)
}

function draft({
  organization,
  amountMicro,
  acceptedPayments,
  expiresInMs,
  endsOnSecond,
  hasPartner,
  now,
}: ChargeTerms): ChargeRecord {
  const id = newId('ch', now.getTime())
  const feePercent = percentOf('1')
  const endMs = now.getTime() + expiresInMs
  const expiresAt = new Date(endsOnSecond ? endMs - (endMs % 1000) : endMs)
  const splitRecipients = hasPartner ? [{ address: PARTNER, percentText: '12.5' }] : []
  const allocation = allocate({
    ...{
      feePercent,
      distributorFeePercent: percentOf('0.1'),
      merchant: organization.merchant,
      treasury: TREASURY,
    },
    splitRecipients: splitRecipients.map(({ address, percentText }) => ({
      address,
      percent: percentOf(percentText),
    })),
  })
  if (!allocation.ok) throw new Error(allocation.code)
  const { split } = allocation
  const place = { factory: SPLIT_FACTORY, implementation: SPLIT_IMPLEMENTATION }
  const splitAddress = predictSplitAddress({ ...place, split, salt: chargeSalt(id) })
  return {
    ...{
      id,
      organizationId: organization.id,
      apiKeyId: organization.keyId,
      environment: organization.environment,
    },
    ...{ isSimulated: false, family: 'evm', status: 'pending', settlementStatus: null, receivedAtto: null },
    ...{
      amountMicro: micro(amountMicro),
      feePayer: 'merchant',
      feePercent,
      escrowFeePercent: null,
      paidWith: [],
    },
    ...{ acceptedPayments, address: splitAddress, splitAddress, splitRecipients },
    splitTerms: { ...split, factory: SPLIT_FACTORY },
    ...{ txHash: null, externalRef: null, source: null, metadataText: null, redirectUrl: null, escrow: null },
    ...{ createdAt: now, expiresAt, lastActivityAt: now },
    authorization: null,
    refunds: [],
    ...{ confirmedAt: null, settledAt: null },
  }
}

function percentOf(text: string): Percent {
  const parsed = parsePercent(text, { maxFractionDigits: 4 })
  if (parsed === null) throw new Error(`${text} is not a percentage`)
  return parsed
}
