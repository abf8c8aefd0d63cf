import type { Db } from '../../connect.ts'

export type Organization = {
  readonly id: string
  readonly name: string
  /** The organization's own fee, as a decimal percent; `null` if the configured fee applies. */
  readonly feePercent: string | null
}

/** An organization's own fees, as decimal percents; `null` if the configured fee applies. */
export type OwnFees = {
  readonly feePercent: string | null
  /** Surcharge on an escrow charge, added to the fee. */
  readonly escrowFeePercent: string | null
}

/** Finds the organizations with this id or name. A name need not be unique. */
export async function findOrganizations(db: Db, idOrName: string): Promise<readonly Organization[]> {
  return await db<Organization[]>`
    select id, name, fee_percent::text from organizations
    where id = ${idOrName} or name = ${idOrName}
    order by id`
}

export async function insertOrganization(db: Db, organization: Organization): Promise<void> {
  const { id, name, feePercent } = organization
  await db`insert into organizations (id, name, fee_percent) values (${id}, ${name}, ${feePercent})`
}

/**
 * Sets an organization's own fees. Existing charges keep their fees.
 *
 * @param fees.escrowFeePercent - unchanged if omitted
 * @returns the fees after the change; `null` if no such organization exists
 */
export async function setOwnFees(
  db: Db,
  id: string,
  fees: Pick<OwnFees, 'feePercent'> & Partial<OwnFees>,
): Promise<OwnFees | null> {
  const [now] = await db<OwnFees[]>`
    update organizations set fee_percent = ${fees.feePercent},
      escrow_fee_percent = ${fees.escrowFeePercent === undefined ? db`escrow_fee_percent` : fees.escrowFeePercent}
    where id = ${id}
    returning fee_percent::text, escrow_fee_percent::text`
  return now ?? null
}
