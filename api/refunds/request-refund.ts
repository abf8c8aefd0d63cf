import type { Static } from '@sinclair/typebox'
import type { Sql } from '../../shared/db/connect.ts'
import { findRefund } from '../../shared/db/refunds/api/refunds-read.ts'
import type {
  RefundDeclaration,
  RefundPayload,
  RefundResult,
} from '../../shared/db/refunds/refund-requests.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { isId, newId } from '../../shared/domain/ids.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import type { Tenant } from '../../shared/domain/tenant.ts'
import { createFieldError } from '../http/field-error.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { DAEMON_TIMEOUT, requestDaemon } from '../http/request-daemon.ts'
import type { Request } from '../http/route.ts'
import type { ClaimLink } from './claim-link.ts'
import type { CreateRefundBody } from './schema.ts'

/**
 * A merchant's request waits up to 5 s for earlier requests about the charge's refunds, so that several refunds can be
 * declared at the same time. A payer's request does not wait, so that payers cannot delay the merchant's requests.
 */
const MERCHANT_OPTIONS = { ...DAEMON_TIMEOUT, waitForEarlierMs: 5_000 }

/**
 * Sends a request about the refunds of a charge to the daemon, and returns the daemon's response.
 *
 * @throws {AppError} the daemon's rejection; `request_in_progress`; `service_unavailable` without a response in time
 */
export async function requestRefund(
  sql: Sql,
  { key, requestId: apiRequestId }: RefundCaller,
  { chargeId, payload }: { readonly chargeId: string; readonly payload: RefundPayload },
): Promise<RefundResult> {
  const { organizationId, now } = key
  const id = newId('req', now.getTime())
  const request = { id, kind: 'refund', organizationId, chargeId, apiRequestId, payload } as const
  const options = payload.action === 'claim' ? DAEMON_TIMEOUT : MERCHANT_OPTIONS
  const result = await requestDaemon<RefundResult>(sql, request, options)
  if (result !== null) return result
  throw new AppError('service_unavailable', 'the request is still being processed; read the refunds again')
}

/** The sender of a request about refunds: a merchant's key, or the payer on behalf of the charge's organization. */
export type RefundCaller = {
  readonly key: Pick<Request<unknown, unknown>['key'], 'organizationId' | 'now'>
  readonly requestId: string
}

/**
 * Returns the refund with the id from the path.
 *
 * @throws {AppError} `refund_not_found`
 */
export async function getRefund(
  sql: Sql,
  { tenant, id }: { readonly tenant: Tenant; readonly id: string | undefined },
): Promise<RefundRecord> {
  const refund = id !== undefined && isId('rf', id) ? await findRefund(sql, { tenant, id }) : null
  if (refund !== null) return refund
  throw new AppError('refund_not_found', `refund ${(id ?? '').slice(0, 60)} does not exist`)
}

/**
 * Builds a declaration from a request, with addresses in the notation of the charge's family.
 *
 * @param link - the payer's link; `null` if the request contains the address
 *
 * @throws {AppError} `validation_error`
 */
export function buildDeclaration(
  { family }: ChargeRecord,
  body: Static<typeof CreateRefundBody>,
  link: ClaimLink | null,
): RefundDeclaration {
  const { amount, token = null, network = null, from, destination, reason = 'other', idempotencyKey } = body
  return {
    ...{ action: 'declare', amount, token, network, reason, idempotencyKey },
    from: from === undefined ? null : parseOf(family, 'from', from),
    destination:
      destination.address === undefined ? null : parseOf(family, 'destination.address', destination.address),
    claimHash: link?.claimHash ?? null,
  }
}

/**
 * Parses an address in the notation of a family.
 *
 * @throws {AppError} `validation_error`
 */
export function parseOf(family: ChainFamilyName, param: string, text: string): Address {
  const address = CHAIN_FAMILIES[family].parseAddress(text)
  if (address === null) throw createFieldError(param, `is not ${CHAIN_FAMILIES[family].addressForm}`)
  return address
}

/**
 * Checks that no issuer restricts the refund's destination. If an issuer does not respond, the refund is allowed.
 *
 * @throws {AppError} `recipient_transfer_restricted`
 */
export async function requireTransferable(
  ask: ReadIssuerRestriction,
  { environment, paidWith }: Pick<ChargeRecord, 'environment' | 'paidWith'>,
  { token, network, account, param }: Receiver,
): Promise<void> {
  const pairs = paidWith.filter(
    (pair) => (token ?? pair.token) === pair.token && (network ?? pair.network) === pair.network,
  )
  const results = await Promise.all(
    pairs.map((pair) => Promise.resolve(ask({ environment, pair, account, direction: 'receive' }))),
  )
  if (!results.includes('restricted')) return
  throw new AppError('recipient_transfer_restricted', 'the issuer restricts the destination from receiving', {
    param,
  })
}

type Receiver = Pick<RefundDeclaration, 'token' | 'network'> & {
  readonly account: Address
  readonly param: string
}

/** Converts a transaction hash, with or without `0x`, to lowercase with `0x`; returns `null` for `undefined`. */
export function parseHash(text: string | undefined): Hex | null {
  return text === undefined ? null : (`0x${text.replace(/^0x/, '').toLowerCase()}` as Hex)
}
