import { parseArgs } from 'node:util'
import type { Sql } from '../../shared/db/connect.ts'
import {
  findOrganizations,
  type Organization,
  setOwnFees,
} from '../../shared/db/organizations/daemon/organizations.ts'
import { readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import { runCommand, withConnection } from './command.ts'
import { parseFee } from './parse-fee.ts'

const USAGE = `Changes what an organization pays.

  npm run organizations -- fee NAME|ID PERCENT|default [--escrow PERCENT|default]
      --escrow    what its escrow charges pay on top; left out, that stays as it is

For charges made from then on: those there are keep the fee they were made with, and so does a replay of their
idempotency key. default is what FEE_PERCENT and ESCROW_FEE_PERCENT say. OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'fee') return await changeFee(args)
  throw new CommandError(`organizations can change a fee, not ${verb ?? 'nothing'}; see --help`)
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

async function findOrganization(sql: Sql, name: string): Promise<Organization> {
  const [found, ...others] = await findOrganizations(sql, name)
  if (found === undefined) throw new CommandError(`there is no organization ${JSON.stringify(name)}`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id }) => id)
  throw new CommandError(
    `several organizations are named ${JSON.stringify(name)}: say which by its id, of ${ids.join(', ')}`,
  )
}

function show(percent: string | null): string {
  return percent === null ? 'the configured fee' : `${Number(percent)} %`
}
