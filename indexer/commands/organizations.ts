import { parseArgs } from 'node:util'
import { setOwnFees } from '../../shared/db/organizations/daemon/organizations.ts'
import { readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import { changeBrand, deleteBrand, showBrand } from './brand.ts'
import { runCommand, withConnection } from './command.ts'
import { findOrganization } from './find-organization.ts'
import { parseFee } from './parse-fee.ts'

const USAGE = `Changes what an organization pays, and how the hosted checkout shows it to its payers.

  npm run organizations -- fee NAME|ID PERCENT|default [--escrow PERCENT|default]
      --escrow    what its escrow charges pay on top; left out, that stays as it is

For charges made from then on: those there are keep the fee they were made with, and so does a replay of their
idempotency key. default is what FEE_PERCENT and ESCROW_FEE_PERCENT say.

  npm run organizations -- brand show NAME|ID
  npm run organizations -- brand set NAME|ID [--name TEXT] [--accent COLOR|default] [--logo FILE|none]
      --name      what payers know it by, 1 to 60 characters; the first time it must be given
      --accent    # and six hex digits, such as #1f7a4d. Where it could not be read it is drawn darker, or in the dark
                  theme lighter: the nearest with a contrast of 4.5 to 1, as the answer says
      --logo      a PNG or JPEG of 64 KiB and 1024 pixels on each side at most, by its bytes; no SVG, and nothing that
                  moves. It stands on white, beside the name
  npm run organizations -- brand clear NAME|ID

On every page of its charges from then on, old ones too; what is left out stays. OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'fee') return await changeFee(args)
  if (verb === 'brand') return await changeLook(args)
  throw new CommandError(`organizations can change a fee or a brand, not ${verb ?? 'nothing'}; see --help`)
}

async function changeLook([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'show') return await showBrand(args)
  if (verb === 'set') return await changeBrand(args)
  if (verb === 'clear') return await deleteBrand(args)
  throw new CommandError(`a brand can be shown, set or cleared, not ${verb ?? 'nothing'}; see --help`)
}

async function changeFee(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { escrow: { type: 'string' } },
  })
  const [name, percent, ...rest] = positionals
  if (name === undefined || percent === undefined || rest.length > 0)
    throw new CommandError('fee takes an organization and a percent; see --help')
  const fees = {
    feePercent: parseOwn('the fee', percent),
    ...(values.escrow !== undefined && { escrowFeePercent: parseOwn('--escrow', values.escrow) }),
  }
  return withConnection(readOperatorConfig().databaseUrl, async (sql) => {
    const organization = await findOrganization(sql, name)
    const now = await setOwnFees(sql, organization.id, fees)
    if (now === null) throw new CommandError(`organization ${organization.id} is gone`)
    return [
      `${organization.name} (${organization.id}) pays from now on: ${show(now.feePercent)}; on escrow charges besides: ${show(now.escrowFeePercent)}.`,
    ]
  })
}

function parseOwn(name: string, text: string): string | null {
  return text === 'default' ? null : parseFee(name, text)
}

function show(percent: string | null): string {
  return percent === null ? 'the configured fee' : `${Number(percent)} %`
}
