import type { Address } from '../../../domain/address.ts'
import { CHAIN_FAMILIES } from '../../../domain/chain-families/chain-families.ts'
import { invariant } from '../../../domain/errors.ts'
import type { PayeeFacts, ServiceTerms } from '../../../domain/find-terms-problem.ts'
import { FEE_FRACTION_DIGITS, formatPercent, type Percent, parsePercent } from '../../../domain/percent.ts'
import type { Db } from '../../connect.ts'

/**
 * Records the service's configured terms, so that charges created with them stay payable after the configuration
 * changes.
 *
 * Trusts a family's fixed factory immediately, because its address follows from its code. Any other factory must first
 * be verified (`trustFactories`), because a mistyped factory produces addresses at which no split can ever be deployed.
 */
export async function recordServiceTerms(db: Db, configured: readonly ServiceTerms[]): Promise<void> {
  const rows = configured.map((terms) => ({
    ...terms,
    feePercent: formatPercent(terms.feePercent),
    escrowFeePercent: formatPercent(terms.escrowFeePercent),
    distributorFeePercent: formatPercent(terms.distributorFeePercent),
  }))
  if (rows.length > 0) await db`insert into service_terms ${db(rows)} on conflict do nothing`
  await trustFactories(
    db,
    configured.filter(({ family, factory }) => CHAIN_FAMILIES[family].fixedFactory === factory),
  )
}

type FactoryPlace = Pick<ServiceTerms, 'family' | 'environment' | 'factory'>

/** Records that these factories have our code. From then on, charges may always use them. */
export async function trustFactories(db: Db, places: readonly FactoryPlace[]): Promise<void> {
  const rows = places.map(({ family, environment, factory }) => ({ family, environment, factory }))
  if (rows.length > 0) await db`insert into trusted_factories ${db(rows)} on conflict do nothing`
}

type TermsRow = {
  readonly [Name in keyof ServiceTerms]: ServiceTerms[Name] extends Percent ? string : ServiceTerms[Name]
}

/** Lists the recorded terms whose factory is trusted, newest first, because most charges use the newest terms. */
export async function listTrustedTerms(db: Db): Promise<readonly ServiceTerms[]> {
  const rows = await db<TermsRow[]>`
    select family, environment, factory, treasury, fee_percent::text, escrow_fee_percent::text, distributor_fee_percent::text
    from service_terms join trusted_factories using (family, environment, factory)
    order by first_used_at desc`
  return rows.map((row) => ({
    ...row,
    feePercent: toPercent(row.feePercent),
    escrowFeePercent: toPercent(row.escrowFeePercent),
    distributorFeePercent: toPercent(row.distributorFeePercent),
  }))
}

type EvidenceRow = {
  readonly id: string
  readonly payoutAddress: Address | null
  readonly ownFees: readonly string[]
  readonly ownEscrowFees: readonly string[]
  readonly unregistered: number
}

/**
 * Reads the facts against which the payees of these charges are verified. A revoked recipient counts as registered,
 * because charges may still pay it.
 */
export async function readPayeeFacts(
  db: Db,
  chargeIds: readonly string[],
): Promise<ReadonlyMap<string, PayeeFacts>> {
  const rows = await db<EvidenceRow[]>`
    select c.id,
      build_payout_addresses(k.payout_address, k.other_payout_addresses) ->> c.family as payout_address,
      array(select f.fee_percent::text from organization_fees f where f.organization_id = c.organization_id) as own_fees,
      array(select f.escrow_fee_percent::text from organization_escrow_fees f
        where f.organization_id = c.organization_id) as own_escrow_fees,
      (select count(*) from json_array_elements(c.split_recipients) p
       where not exists (
         select from recipients r
         where r.organization_id = c.organization_id and r.environment = c.environment and r.family = c.family
           and r.address = p ->> 'address')) as unregistered
    from charges c
    left join api_keys k
      on k.id = c.api_key_id and k.organization_id = c.organization_id and k.environment = c.environment
    where c.id = any (${chargeIds})`
  return new Map(
    rows.map(({ id, ownFees, ownEscrowFees, ...row }) => [
      id,
      { ...row, ownFees: ownFees.map(toPercent), ownEscrowFees: ownEscrowFees.map(toPercent) },
    ]),
  )
}

function toPercent(text: string): Percent {
  const percent = parsePercent(text, { maxFractionDigits: FEE_FRACTION_DIGITS })
  invariant(
    percent !== null,
    `stored percent ${text} is invalid or has over ${FEE_FRACTION_DIGITS} fraction digits`,
  )
  return percent
}
