import type { Sql } from '../../shared/db/connect.ts'
import * as brands from '../../shared/db/organizations/daemon/brands.ts'
import type { Organization } from '../../shared/db/organizations/daemon/organizations.ts'
import { deriveAccentColors } from '../../shared/domain/accent.ts'
import { CommandError, parseOptions, requireOne } from '../../shared/runtime/command-line.ts'
import { withOperator } from './command.ts'
import { findOrganization } from './find-organization.ts'
import { BRAND_OPTIONS, parseBrandOptions } from './parse-brand-options.ts'

/** `brand show`: describes an organization's brand. */
export async function showBrand(args: string[]): Promise<readonly string[]> {
  return withOrganization(args, async (sql, organization) =>
    describe(organization, await brands.findBrand(sql, organization.id)),
  )
}

/** `brand set`: creates the brand or changes the given parts of it, and describes the result. */
export async function changeBrand(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, { texts: BRAND_OPTIONS, allowPositionals: true })
  const change = await parseBrandOptions(values)
  return withOrganization(positionals, async (sql, organization) => {
    const now = await brands.changeBrand(sql, organization.id, change)
    if (now === null) throw new CommandError(`${organization.name} has no brand yet: --name is required`)
    return describe(organization, now)
  })
}

/** `brand clear`: deletes the brand, so that the pages have the default appearance. */
export async function deleteBrand(args: string[]): Promise<readonly string[]> {
  return withOrganization(args, async (sql, organization) => {
    await brands.deleteBrand(sql, organization.id)
    return describe(organization, null)
  })
}

function withOrganization(
  args: readonly string[],
  work: (sql: Sql, organization: Organization) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const name = requireOne(args, 'brand show, set and clear take one organization; see --help')
  return withOperator(async (sql) => work(sql, await findOrganization(sql, name)))
}

function describe({ name, id }: Organization, brand: brands.Brand | null): readonly string[] {
  if (brand === null) return [`${name} (${id}) has no brand: its pages show neither a name nor a logo.`]
  const { accent, logo } = brand
  const drawn = accent && deriveAccentColors(accent)
  return [
    `The pages of ${name} (${id}) show the name ${JSON.stringify(brand.name)},`,
    drawn === null
      ? 'the default colour,'
      : `the colour ${accent}, drawn as ${drawn.light.accent} and in the dark theme as ${drawn.dark.accent},`,
    logo === null ? 'and no logo.' : `and a logo, ${logo.type} of ${logo.bytes} bytes.`,
    ...(brand.support === null ? [] : [`Its support contact for payers is ${brand.support}.`]),
    ...(brand.frameOrigins === null ? [] : [`The pages may be framed by ${brand.frameOrigins.join(', ')}.`]),
  ]
}
