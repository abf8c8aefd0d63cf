import { hasCharge, listChargeRows, type ShownRow } from '../../shared/db/charges/daemon/charge-rows.ts'
import { formatAtto } from '../../shared/domain/money.ts'
import { CommandError, parseOptions, requireOne, table } from '../../shared/runtime/command-line.ts'
import { withOperator } from './command.ts'

const HEADINGS = [
  ...['row', 'event', 'network', 'token', 'amount'],
  ...['transaction', 'block', 'counted', 'state', 'order'],
]

/** Returns a table of a charge's rows (transfers and events), with the names that `strike` accepts. */
export async function showCharge(args: string[]): Promise<readonly string[]> {
  const { positionals } = parseOptions(args, { allowPositionals: true })
  const id = requireOne(positionals, 'show takes one charge id')
  return withOperator(async (sql) => {
    if (!(await hasCharge(sql, id))) throw new CommandError(`there is no charge ${JSON.stringify(id)}`)
    return table([HEADINGS, ...(await listChargeRows(sql, id)).map(present)])
  })
}

function present(row: ShownRow): readonly string[] {
  const { name, event, network, token, amountAtto, txHash, blockNumber, countedAt, state, order } = row
  const place = [txHash ?? '-', blockNumber === null ? '-' : String(blockNumber)]
  return [
    ...[name, event, network, token, formatAtto(amountAtto)],
    ...place,
    ...[countedAt?.toISOString() ?? '-', state, order ?? '-'],
  ]
}
