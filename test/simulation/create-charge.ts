import { formatUnits } from 'viem'
import { findCharges } from '../../shared/db/charges/api/charges-read.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Call } from './api/client.ts'
import { WHOLE_SECOND } from './api/create-app.ts'
import { type Organization, RELEASER, tronPartnerOf } from './world.ts'

type ChargeTerms = {
  readonly organization: Organization
  readonly amountMicro: bigint
  readonly acceptedPayments: readonly Pair[]
  readonly expiresInMs: number
  readonly endsOnSecond: boolean
  readonly hasPartner: boolean
  readonly isOnTron?: boolean
  /** Whether the charge is paid into a Safe. */
  readonly isEscrow?: boolean
  readonly idempotencyKey: string
}

/** Request id for calls that bypass the API's handlers. Nothing in a history depends on it. */
export const API_REQUEST_ID = '00000000-0000-4000-8000-000000000000'

type Accepting = {
  readonly organization: Pick<Organization, 'environment'>
  readonly isOnTron?: boolean
}

/** Lists the pairs that a charge of this organization accepts: all pairs on TRON, or all other pairs. */
export function listAcceptedPairs(
  deployments: readonly IndexerDeployment[],
  { organization, isOnTron = false }: Accepting,
): readonly Pair[] {
  return deployments
    .filter(({ environment }) => environment === organization.environment)
    .filter(({ family }) => (family === 'tron') === isOnTron)
    .flatMap(({ network, tokens }) => tokens.map(({ token }) => ({ token, network })))
}

export function buildChargeRequest({
  organization,
  amountMicro,
  acceptedPayments,
  expiresInMs,
  endsOnSecond,
  hasPartner,
  isOnTron = false,
  isEscrow = false,
  idempotencyKey,
}: ChargeTerms): Call {
  const { partnerId } = organization
  const expiresIn = endsOnSecond ? Math.ceil(expiresInMs / 1000) : expiresInMs / 1000
  const splitRecipients = hasPartner
    ? [{ recipientId: isOnTron ? tronPartnerOf(partnerId) : partnerId, percent: 12.5 }]
    : []
  return {
    ...{ organization, method: 'POST', path: '/v1/charges' },
    headers: { 'idempotency-key': idempotencyKey, ...(endsOnSecond && { [WHOLE_SECOND]: 'true' }) },
    body: JSON.stringify({
      ...{ amount: Number(formatUnits(amountMicro, 6)), acceptedPayments, expiresIn },
      ...(hasPartner && { splitRecipients }),
      ...(isEscrow && { escrow: { releaserAddress: RELEASER } }),
    }),
  }
}

/**
 * Adds the stored charges that are missing from the list because their merchants still wait for the response. Omits
 * simulated charges.
 */
export async function learnCharges(sql: Sql, charges: ChargeRecord[]): Promise<void> {
  const known = charges.map(({ id }) => id)
  const rows = await sql<{ id: string }[]>`
    select id from charges where not is_simulated and id <> all (${known}) order by id`
  for (const { id } of rows) charges.push(await readCharge(sql, id))
}

/** Reads a charge that the API has created, as the database's owner. Throws if the charge does not exist. */
export async function readCharge(sql: Sql, id: string): Promise<ChargeRecord> {
  const [found] = await findCharges(sql, { ids: [id], staleAfter: { blocks: 20, atLeastMs: 120_000 } })
  if (found === undefined) throw new Error(`the API has created ${id}, which does not exist`)
  return found.charge
}
