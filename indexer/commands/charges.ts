import { parseArgs } from 'node:util'
import { listParkedCharges, type ParkedCharge, unparkCharge } from '../../shared/db/parked-charges.ts'
import { readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, table } from '../../shared/runtime/command-line.ts'
import { runCommand, withConnection } from './command.ts'

const USAGE = `Shows the charges that are parked and takes one up again.

  npm run charges -- parked
  npm run charges -- unpark CHARGE_ID

The daemon parks a charge whose turn fails for a reason of its own, and logs that reason at level error ("Parked a
charge whose turn fails"). Until it is taken up again nothing happens to it: no credit, no expiry, no news of its
payouts. Nothing is lost meanwhile; if its turn fails once more, it is parked once more. The gauge charges_parked on
the daemon's /metrics counts them. OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'parked') return await listParked()
  if (verb === 'unpark') return await unpark(args)
  throw new CommandError(`charges can list the parked or unpark one, not ${verb ?? 'nothing'}; see --help`)
}

async function listParked(): Promise<readonly string[]> {
  const charges = await withConnection(readOperatorConfig().databaseUrl, listParkedCharges)
  return table([
    ['charge', 'organization', 'env', 'status', 'settlement', 'parked since'],
    ...charges.map(presentParked),
  ])
}

function presentParked(charge: ParkedCharge): readonly string[] {
  const { id, organizationName, environment, status, settlementStatus, parkedAt } = charge
  return [id, organizationName, environment, status, settlementStatus ?? '-', parkedAt.toISOString()]
}

async function unpark(args: string[]): Promise<readonly string[]> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new CommandError('unpark takes one charge id; see charges -- parked')
  const since = await withConnection(readOperatorConfig().databaseUrl, (sql) => unparkCharge(sql, id))
  if (since === undefined) throw new CommandError(`there is no charge ${JSON.stringify(id)}`)
  if (since === null) throw new CommandError(`${id} is not parked: see charges -- parked`)
  return [`${id}, parked since ${since.toISOString()}, is taken up again.`]
}
