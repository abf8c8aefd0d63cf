import {
  type ExpiryBlockedCharge,
  type ExpiryOverride,
  type ExpiryOverrideResult,
  insertExpiryOverride,
  listExpiryBlockedCharges,
} from '../../shared/db/charges/daemon/expiry-overrides.ts'
import {
  listQuarantinedCharges,
  type QuarantinedCharge,
  releaseQuarantinedCharge,
} from '../../shared/db/charges/daemon/quarantined-charges.ts'
import { CommandError, parseOptions, required, requireOne, table } from '../../shared/runtime/command-line.ts'
import { runCommand, selectCommand, withOperator } from './command.ts'
import { importCharge } from './import-charge.ts'
import { parseReason } from './parse-reason.ts'
import { showCharge } from './show-charge.ts'
import { strikeRows } from './strike-rows.ts'

const USAGE = `Lists quarantined charges and charges whose expiry is blocked; releases, expires or imports a charge, shows its rows, and
strikes rows that every node denies.

  npm run charges -- quarantined
  npm run charges -- release CHARGE_ID
  npm run charges -- blocked
  npm run charges -- expire CHARGE_ID --reason TEXT [--ignore-uncorroborated]
  npm run charges -- import FILE --key KEY_ID
  npm run charges -- show CHARGE_ID
  npm run charges -- strike ROW… --reason TEXT

The daemon quarantines a charge whose terms are not valid, or whose turn fails for a reason specific to this charge, and logs
the reason at level error ("Quarantined a charge"). Until an operator or a daemon of another version releases the charge, it is
not processed: its payments are not credited, it does not expire, and its payouts are not updated. No payment is lost. If its
turn fails again after the release, the charge is quarantined again. The gauge charges_quarantined on the daemon's /metrics
counts these charges.

An open charge expires only if no balance, read from the chain after its expiresAt, exceeds its recorded transfers. If a balance
does (excess), the daemon searches every node for the missing transfers. If it finds none, the expiry is blocked, logged at level
error ("Charge expiry is blocked by an unmatched balance") and counted by the gauge charges_expiry_blocked. The expiry is also
blocked while no quorum of nodes returns the balances (unverified). Search for the charge's address in a block explorer. If the
charge was paid, fix the nodes; the payment is then credited automatically. If it was not paid, use expire. The charge becomes
expired or underpaid once its chains have passed its expiresAt and every payment mined before then is processed. Your reason and
your database role are recorded. blocked also lists, as unconfirmed, payments that no quorum of nodes shows. They are not
credited, and the gauge counts their charges, too. If an explorer does not show them either, use expire with
--ignore-uncorroborated. A payment that is recorded after your order blocks the expiry again.

After a database was restored to an older point, charges created after that point are missing, but might be paid. import
restores a charge from its JSON, as returned by the API or sent by the charge.created webhook (- reads standard input). KEY_ID must
be a key of the charge's merchant with the payout address (on TRON, the TRON payout address) that the charge was created with.
Only the terms are trusted: the command recomputes the addresses, and the daemon reads the payments from the chain. No event is
sent. Importing a charge twice has no effect.

A payment or a distribution that was counted still counts even if nodes deny it later. The daemon logs the denial at level
error with the row ("A row that counted is denied by a quorum", "A transfer was orphaned"). show lists the rows of a
charge: transfers (transfer:12), events of its split (split-event:7) and transfers out of its escrow (escrow-transfer:3). strike
removes rows from amountReceived, ledgers, settlement and metrics. It does not revert a status. A struck distribution is paid again.
The daemon strikes a row only if every configured node responds and denies the row at confirmation depth; otherwise the command
names the nodes that did not. Your reason and your database role are recorded. At most 20 rows per call.

OPERATOR_DATABASE_URL names the database.
`

await runCommand({
  usage: USAGE,
  run: selectCommand({
    quarantined: listQuarantined,
    release,
    blocked: listBlocked,
    expire,
    import: importFile,
    show: showCharge,
    strike: strikeRows,
  }),
})

async function listQuarantined(): Promise<readonly string[]> {
  const charges = await withOperator(listQuarantinedCharges)
  return table([
    ['charge', 'organization', 'env', 'status', 'settlement', 'quarantined since'],
    ...charges.map(presentQuarantined),
  ])
}

function presentQuarantined(charge: QuarantinedCharge): readonly string[] {
  const { id, organizationName, environment, status, settlementStatus, quarantinedAt } = charge
  return [id, organizationName, environment, status, settlementStatus ?? '-', quarantinedAt.toISOString()]
}

async function release(args: string[]): Promise<readonly string[]> {
  const { positionals } = parseOptions(args, { allowPositionals: true })
  const id = requireOne(positionals, 'release takes one charge id; see npm run charges -- quarantined')
  const since = await withOperator((sql) => releaseQuarantinedCharge(sql, id))
  if (since === undefined) throw new CommandError(`there is no charge ${JSON.stringify(id)}`)
  if (since === null) throw new CommandError(`${id} is not quarantined: see npm run charges -- quarantined`)
  return [`${id}, quarantined since ${since.toISOString()}, is released.`]
}

async function listBlocked(): Promise<readonly string[]> {
  const charges = await withOperator(listExpiryBlockedCharges)
  return table([
    ['charge', 'organization', 'env', 'status', 'network', 'why', 'token', 'expected', 'found', 'read at'],
    ...charges.map(presentBlocked),
  ])
}

function presentBlocked(charge: ExpiryBlockedCharge): readonly string[] {
  const { id, organizationName, environment, status, network, result } = charge
  const amounts = [charge.tokenAddress, charge.expectedAtomic, charge.foundAtomic].map((one) =>
    String(one ?? '-'),
  )
  const place = [id, organizationName, environment, status, network, result]
  return [...place, ...amounts, charge.checkedAt?.toISOString() ?? '-']
}

async function expire(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, {
    ...{ texts: ['reason'], flags: ['ignore-uncorroborated'], allowPositionals: true },
  })
  const chargeId = requireOne(positionals, 'expire takes one charge id; see npm run charges -- blocked')
  const because = parseReason('expire', values.reason)
  const order = { chargeId, because, isDespiteUnconfirmed: values['ignore-uncorroborated'] }
  const charge = await withOperator((sql) => insertExpiryOverride(sql, order))
  if (charge === undefined) throw new CommandError(`there is no charge ${JSON.stringify(chargeId)}`)
  requireOrdered(order, charge)
  const { expiresAt } = charge
  return [
    `${chargeId} expires regardless of its balances, once its chains have passed ${expiresAt.toISOString()}`,
    'and every payment mined before then is processed. Later payments are credited, but do not change the status.',
  ]
}

/** @throws {CommandError} with the reason, if the expiry was not ordered */
function requireOrdered(
  { chargeId, isDespiteUnconfirmed }: ExpiryOverride,
  charge: ExpiryOverrideResult,
): void {
  const { status, expiresAt, isWaiting, unconfirmed } = charge
  if (!isWaiting)
    throw new CommandError(
      `${chargeId} is ${status}, expiresAt ${expiresAt.toISOString()}: its expiry is not blocked`,
    )
  if (unconfirmed.length > 0 && !isDespiteUnconfirmed)
    throw new CommandError(
      `${chargeId} has payments that no quorum of nodes shows: ${unconfirmed.join(', ')}. Search for them in an explorer; if it shows none, add --ignore-uncorroborated`,
    )
}

async function importFile(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, { texts: ['key'], allowPositionals: true })
  const file = requireOne(
    positionals,
    'import takes one file with the JSON of a charge, or - for standard input',
  )
  const keyId = required(values.key, 'key')
  return [await withOperator((sql) => importCharge(sql, { file, keyId }))]
}
