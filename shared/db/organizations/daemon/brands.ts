import type { Color } from '../../../domain/accent.ts'
import type { Logo } from '../../../domain/logo.ts'
import type { Db } from '../../connect.ts'

export type Brand = {
  readonly name: string
  /** The colour as submitted; `null` for the pages' default. */
  readonly accent: Color | null
  readonly logo: { readonly type: Logo['type']; readonly bytes: number } | null
  /** An `https:` or `mailto:` URL. */
  readonly support: string | null
  /** Origins that may frame the pages; `null` for the configured origins. */
  readonly frameOrigins: readonly string[] | null
}

/** Fields of a brand to change. Omitted fields do not change. */
export type BrandChange = {
  readonly name?: string
  readonly accent?: Color | null
  readonly logo?: Logo | null
  readonly support?: string | null
  readonly frameOrigins?: readonly string[] | null
}

export async function findBrand(db: Db, organizationId: string): Promise<Brand | null> {
  const [row] = await db<BrandRow[]>`
    select ${columns(db)} from brands where organization_id = ${organizationId}`
  return row === undefined ? null : toBrand(row)
}

/**
 * Updates or creates the brand of an organization. The change applies to every page immediately.
 *
 * @returns the changed brand; `null`, with nothing changed, if there was no brand and the change has no name
 */
export async function changeBrand(
  db: Db,
  organizationId: string,
  change: BrandChange,
): Promise<Brand | null> {
  const { name, accent, logo, support, frameOrigins } = change
  const columnsOfLogo = { logo: logo ? Buffer.from(logo.bytes) : null, logoType: logo?.type ?? null }
  const changed = {
    ...(name === undefined ? {} : { name }),
    ...(accent === undefined ? {} : { accent }),
    ...(logo === undefined ? {} : columnsOfLogo),
    ...(support === undefined ? {} : { support }),
    ...(frameOrigins === undefined ? {} : { frameOrigins: frameOrigins && [...frameOrigins] }),
    changedAt: new Date(),
  }
  const row = { organizationId, ...changed }
  const [now] =
    name === undefined
      ? await db<BrandRow[]>`
          update brands set ${db(changed)} where organization_id = ${organizationId} returning ${columns(db)}`
      : await db<BrandRow[]>`
          insert into brands ${db(row)}
          on conflict (organization_id) do update set ${db(changed)} returning ${columns(db)}`
  return now === undefined ? null : toBrand(now)
}

/** Deletes the brand of an organization, whose pages are then unbranded. Returns whether a brand existed. */
export async function deleteBrand(db: Db, organizationId: string): Promise<boolean> {
  const deleted = await db`delete from brands where organization_id = ${organizationId}`
  return deleted.count > 0
}

type BrandRow = Omit<Brand, 'logo'> & {
  readonly logoType: Logo['type'] | null
  readonly logoBytes: number | null
}

function columns(db: Db) {
  return db`name, accent, logo_type, length(logo) as logo_bytes, support, frame_origins`
}

function toBrand({ logoType, logoBytes, ...row }: BrandRow): Brand {
  const logo = logoType === null || logoBytes === null ? null : { type: logoType, bytes: logoBytes }
  return { ...row, logo }
}
