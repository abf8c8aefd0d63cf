import { setOwnFees } from '../../shared/db/organizations/daemon/organizations.ts'
import { CommandError, parseOptions } from '../../shared/runtime/command-line.ts'
import { changeBrand, deleteBrand, showBrand } from './brand.ts'
import { runCommand, selectCommand, withOperator } from './command.ts'
import { findOrganization } from './find-organization.ts'
import { parseFee } from './parse-fee.ts'

const USAGE = `Changes the fees of an organization, and shows, changes or deletes its brand on the hosted checkout.

  npm run organizations -- fee NAME|ID PERCENT|default [--escrow PERCENT|default]
      --escrow    additional fee for escrow charges of the organization; unchanged if omitted

The fee applies to charges that are created afterwards. Existing charges keep their fee, even if their idempotency key is sent
again. default uses FEE_PERCENT and ESCROW_FEE_PERCENT.

  npm run organizations -- brand show NAME|ID
  npm run organizations -- brand set NAME|ID [--name TEXT] [--accent COLOR|default] [--logo FILE|none]
                                           [--support URL|none] [--frames ORIGINS|default]
      --name      name that payers see, 1 to 60 characters; required the first time
      --accent    # and six hex digits, such as #1f7a4d. If the colour is not readable, the page uses the nearest colour with a
                  contrast of 4.5 to 1: darker, or lighter in the dark theme. The command prints both colours
      --logo      a PNG or JPEG file of at most 64 KiB and 1024 pixels per side; no SVG and no animation. The page shows it on
                  white, next to the name
      --support   contact for payers: an https: URL, or mailto: and one address; at most 300 characters
      --frames    at most 10 https origins, separated by commas, that may show the pages in a frame. default uses
                  CHECKOUT_FRAME_ORIGINS
  npm run organizations -- brand clear NAME|ID

The brand appears on all checkout pages of the organization, including those of existing charges. Parts whose option is omitted do
not change.
The command connects to the database in OPERATOR_DATABASE_URL.
`

const brand = selectCommand({ show: showBrand, set: changeBrand, clear: deleteBrand }, 'brand ')

await runCommand({ usage: USAGE, run: selectCommand({ fee: changeFee, brand }) })

async function changeFee(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, { texts: ['escrow'], allowPositionals: true })
  const [name, percent, ...rest] = positionals
  if (name === undefined || percent === undefined || rest.length > 0)
    throw new CommandError('fee takes an organization and a percent; see --help')
  const fees = {
    feePercent: parseOwn('the fee', percent),
    ...(values.escrow !== undefined && { escrowFeePercent: parseOwn('--escrow', values.escrow) }),
  }
  return withOperator(async (sql) => {
    const organization = await findOrganization(sql, name)
    const now = await setOwnFees(sql, organization.id, fees)
    if (now === null) throw new CommandError(`organization ${organization.id} was deleted`)
    return [
      `${organization.name} (${organization.id}) now pays for new charges: ${show(now.feePercent)}. It pays additionally for escrow charges: ${show(now.escrowFeePercent)}.`,
    ]
  })
}

function parseOwn(name: string, text: string): string | null {
  return text === 'default' ? null : parseFee(name, text)
}

function show(percent: string | null): string {
  return percent === null ? 'the configured fee' : `${Number(percent)} %`
}
