import type { Color } from '../../../domain/accent.ts'
import type { Logo } from '../../../domain/logo.ts'
import type { Db } from '../../connect.ts'

/** The appearance and contact of an organization's pages. `logoHash` identifies its logo, in 64 hex digits. */
export type PageBrand = {
  readonly name: string
  readonly accent: Color | null
  readonly logoHash: string | null
  /** An `https:` or `mailto:` URL. */
  readonly support: string | null
  /** Origins that may frame the pages; `null` if the configured origins apply. */
  readonly frameOrigins: readonly string[] | null
}

/** Returns the brands of these organizations by organization id; organizations without a brand are missing. */
export async function listBrands(
  db: Db,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, PageBrand>> {
  const rows = await db<(PageBrand & { organizationId: string })[]>`
    select organization_id, name, accent, logo_hash, support, frame_origins from brands where organization_id = any (${organizationIds})`
  return new Map(rows.map(({ organizationId, ...brand }) => [organizationId, brand] as const))
}

/** Finds a logo by its hash, of any organization, because the same bytes are the same picture. */
export async function findLogo(db: Db, hash: string): Promise<Logo | null> {
  const [logo] = await db<{ logo: Buffer; logoType: Logo['type'] }[]>`
    select logo, logo_type from brands where logo_hash = ${hash} and logo is not null limit 1`
  return logo === undefined ? null : { bytes: logo.logo, type: logo.logoType }
}
