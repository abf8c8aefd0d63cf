import { findCharge } from '../../shared/db/charges/api/charges-read.ts'
import type { InsertChargeOutcome, NewCharge } from '../../shared/db/charges/api/insert-charges.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { newId } from '../../shared/domain/ids.ts'
import type { ApiConfig } from '../../shared/runtime/api-config.ts'
import type { FindChain } from '../http/chain-clients.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import { type ChargeParties, deriveParties, requirePayable } from './charge-parties.ts'
import { draftCharge } from './draft-charge.ts'
import { enforceIdempotency, insertOnce } from './enforce-idempotency.ts'
import { findRestriction } from './find-restriction.ts'
import { type PresentDeps, prepareNewCharge, presentCurrentCharge } from './present.ts'
import { requestHash } from './request-hash.ts'
import type { CreateChargeRequest } from './request-schema.ts'
import { requireMinimum } from './require-minimum.ts'
import { requireEoaReleaser, requireValidReleaser } from './require-releaser.ts'
import { requireSafe } from './require-safe.ts'
import { resolveSplits } from './resolve-splits.ts'
import { createPairError, createPairValidation } from './validate-pairs.ts'

type Deps = PresentDeps & {
  readonly sql: Sql
  /** Inserts one charge. Charges that arrive at the same time share one transaction. */
  readonly insert: (created: NewCharge) => Promise<InsertChargeOutcome>
  readonly ask: ReadIssuerRestriction
  /**
   * Finds the nodes of a chain. Only escrow charges need them, to look for Safe's contracts and to check that the
   * releaser is a plain account.
   */
  readonly chainOf: FindChain
  readonly config: Pick<
    ApiConfig,
    | 'fees'
    | 'treasury'
    | 'staleAfter'
    | 'checkoutBaseUrl'
    | 'deployments'
    | 'splitFactories'
    | 'simulatedPairs'
    | 'minimumChargeMicro'
  >
}

/** A charge's id and JSON, and whether an earlier request created the charge. */
export type CreatedCharge = { readonly id: string; readonly json: string; readonly isReplay: boolean }

/**
 * Creates a charge, or returns the charge that the same request created before, even if issuers, chains or the
 * configuration would reject the request now.
 *
 * One statement inserts the charge, its event and its deliveries, so that they commit together. With split recipients
 * or an escrow, at most two statements precede the insert.
 *
 * @throws {AppError} `validation_error` if the amount is below the minimum or the releaser is not a plain account;
 * `idempotency_key_reused`, `payout_address_missing`, `token_not_supported`, the errors of `resolveSplits` and
 * `draftCharge`, `recipient_transfer_restricted`, `rpc_unavailable`, `payment_temporarily_unavailable`
 */
export async function createCharge(deps: Deps, request: CreateChargeRequest): Promise<CreatedCharge> {
  const parties = deriveParties(request, deps.config)
  const hash = requestHash(request, parties)
  return enforceIdempotency(
    { sql: deps.sql, request, hash },
    {
      create: () => checkAndInsert(deps, request, { parties, hash }),
      replay: (earlierId) => replay(deps, request, earlierId),
    },
  )
}

/**
 * Checks the request in the order of decisions 3.3, and inserts the charge. If the idempotency key was used before,
 * returns the earlier charge instead.
 */
async function checkAndInsert(
  deps: Deps,
  request: CreateChargeRequest,
  derived: { readonly parties: ChargeParties; readonly hash: Buffer },
): Promise<CreatedCharge> {
  const { config } = deps
  const { releaser } = derived.parties
  const { environment } = request.key
  const { acceptedPayments, splitRecipients = [] } = request.body
  requireMinimum(request, config)
  if (releaser !== null) requireValidReleaser(releaser)
  const parties = requirePayable(derived.parties, environment)
  const pairs = createPairValidation(deps, { environment, acceptedPayments })
  if (pairs.isOneUnconfigured || splitRecipients.length > 0) await pairs.requireSupported()
  const splits = await resolveSplits(deps.sql, request, { parties, treasury: config.treasury })
  const charge = draftCharge(request, { parties, splits, config })
  const { payoutAddress } = parties
  const restriction = await findRestriction(deps.ask, { charge, splits, payoutAddress })
  if (restriction !== null) {
    await pairs.requireSupported()
    throw restriction
  }
  if (releaser !== null && !charge.isSimulated) {
    await pairs.requireOffered()
    const networks = acceptedPayments.map(({ network }) => network)
    const chains = { chainOf: deps.chainOf, ...config }
    await requireSafe(chains, { environment, networks })
    await requireEoaReleaser(chains, { releaser, environment, networks })
  }
  return insertCharge(deps, request, { charge, hash: derived.hash })
}

async function insertCharge(
  deps: Deps,
  request: CreateChargeRequest,
  { charge, hash }: { readonly charge: ChargeRecord; readonly hash: Buffer },
): Promise<CreatedCharge> {
  const present = prepareNewCharge(charge, deps)
  const created = {
    charge,
    idempotencyKey: request.body.idempotencyKey ?? null,
    apiRequestId: request.requestId,
    requestHash: hash,
    eventId: newId('evt', request.key.now.getTime()),
    eventData: present(null),
  }
  const outcome = await insertOnce(deps.insert, created)
  switch (outcome.outcome) {
    case 'created':
      return { id: charge.id, json: present(outcome), isReplay: false }
    case 'replayed':
      return replay(deps, request, outcome.chargeId)
    case 'token_not_supported':
    case 'rpc_unavailable':
    case 'payment_temporarily_unavailable':
      throw createPairError(outcome, charge)
  }
}

async function replay(deps: Deps, { key }: CreateChargeRequest, id: string): Promise<CreatedCharge> {
  const { staleAfter } = deps.config
  const current = await findCharge(deps.sql, { tenant: key, id, staleAfter })
  invariant(current !== null, `charge ${id} was found by its idempotency key, but not by its id`)
  return { id, json: presentCurrentCharge(current, deps), isReplay: true }
}
