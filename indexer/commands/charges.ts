import { parseArgs } from 'node:util'
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
import { readOperatorConfig } from '../../shared/runtime/command-config.ts'
import { CommandError, required, table } from '../../shared/runtime/command-line.ts'
import { runCommand, withConnection } from './command.ts'
import { importCharge } from './import-charge.ts'
import { requireReasonLength } from './require-reason-length.ts'
import { showCharge } from './show-charge.ts'
import { strikeRows } from './strike-rows.ts'

const USAGE = `Shows the charges that are parked or held open, takes one up again, lets one end, brings one back, or strikes what
every node denies.

  npm run charges -- parked
  npm run charges -- unpark CHARGE_ID
  npm run charges -- held
  npm run charges -- expire CHARGE_ID --because TEXT [--despite-unconfirmed]
  npm run charges -- import FILE --key KEY_ID
  npm run charges -- show CHARGE_ID
  npm run charges -- strike ROW… --reason TEXT

The daemon parks a charge whose turn fails for a reason of its own, and logs that reason at level error ("Parked a
charge whose turn fails"). Until it is taken up again nothing happens to it: no credit, no expiry, no news of its
payouts. Nothing is lost meanwhile; if its turn fails once more, it is parked once more. The gauge charges_quarantined on
the daemon's /metrics counts them.

A charge ends unpaid only after its balances were read from the chain past its expiresAt and its transfers explain them.
One that they do not explain is searched for on every node, and if that finds nothing it is held open, logged at level
error ("Charge expiry is blocked by an unmatched balance") and counted by the gauge charges_expiry_blocked; so is, unread,
one whose balances no node answers. Look it up in a block explorer. If it was paid, mend the nodes: what they show is
credited by itself. If it was not, expire lets it end, expired or underpaid, once its chains have passed its expiresAt
and nothing mined in time waits; your reason and your role are written down. On TRON held shows besides, as unconfirmed,
what only the feed's API of the nodes tells of: it counts for nothing. If an explorer does not show it, either, expire
with --despite-unconfirmed lets the charge end; what is told of later holds it again.

After a database was restored to an older point, charges made since are unknown though they may be paid. import writes one
down again from its JSON, as the API answered it or the charge.created webhook told it (- reads standard input), under a
key of its merchant: one whose payout address its terms pay, on TRON the one it has there. Only its terms are believed: its addresses are computed again,
and the daemon reads from the chain what was paid. It announces nothing. A second time it does nothing.

A payment or a distribution that counted keeps its status though nodes deny it later, logged at level error with its row ("A
row that counted is denied by a quorum", "A transfer vanished from the chain"). show lists the rows of a charge: transfers
(transfer:12), events of its split (split-event:7) and transfers out of its escrow (escrow-transfer:3). strike takes rows out
of amountReceived, ledgers, settlement and metrics; no status moves back, and a struck distribution is paid again. The daemon
strikes a row only if every configured node responds and denies it at confirmation depth, and otherwise answers which node
does not. Your reason and your role are recorded. At most 20 rows each time.

OPERATOR_DATABASE_URL names the database.
`

await runCommand({ usage: USAGE, run })

async function run([verb, ...args]: string[]): Promise<readonly string[]> {
  if (verb === 'parked') return await listParked()
  if (verb === 'unpark') return await unpark(args)
  if (verb === 'held') return await listHeld()
  if (verb === 'expire') return await expire(args)
  if (verb === 'import') return await bringBack(args)
  if (verb === 'show') return await showCharge(args)
  if (verb === 'strike') return await strikeRows(args)
  throw new CommandError(
    `charges can list the parked or the held, unpark, expire, import or show one, or strike rows, not ${verb ?? 'nothing'}; see --help`,
  )
}

async function listParked(): Promise<readonly string[]> {
  const charges = await withConnection(readOperatorConfig().databaseUrl, listQuarantinedCharges)
  return table([
    ['charge', 'organization', 'env', 'status', 'settlement', 'parked since'],
    ...charges.map(presentParked),
  ])
}

function presentParked(charge: QuarantinedCharge): readonly string[] {
  const { id, organizationName, environment, status, settlementStatus, parkedAt } = charge
  return [id, organizationName, environment, status, settlementStatus ?? '-', parkedAt.toISOString()]
}

async function unpark(args: string[]): Promise<readonly string[]> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new CommandError('unpark takes one charge id; see charges -- parked')
  const since = await withConnection(readOperatorConfig().databaseUrl, (sql) =>
    releaseQuarantinedCharge(sql, id),
  )
  if (since === undefined) throw new CommandError(`there is no charge ${JSON.stringify(id)}`)
  if (since === null) throw new CommandError(`${id} is not parked: see charges -- parked`)
  return [`${id}, parked since ${since.toISOString()}, is taken up again.`]
}

async function listHeld(): Promise<readonly string[]> {
  const charges = await withConnection(readOperatorConfig().databaseUrl, listExpiryBlockedCharges)
  return table([
    ['charge', 'organization', 'env', 'status', 'network', 'why', 'token', 'expected', 'found', 'read at'],
    ...charges.map(presentHeld),
  ])
}

function presentHeld(charge: ExpiryBlockedCharge): readonly string[] {
  const { id, organizationName, environment, status, network, result } = charge
  const amounts = [charge.tokenAddress, charge.expectedAtomic, charge.foundAtomic].map((one) =>
    String(one ?? '-'),
  )
  const place = [id, organizationName, environment, status, network, result]
  return [...place, ...amounts, charge.checkedAt?.toISOString() ?? '-']
}

async function expire(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { because: { type: 'string' }, 'despite-unconfirmed': { type: 'boolean', default: false } },
  })
  const [chargeId] = positionals
  const because = values.because?.trim() ?? ''
  if (chargeId === undefined || positionals.length > 1)
    throw new CommandError('expire takes one charge id; see charges -- held')
  if (because === '') throw new CommandError('expire needs a reason: --because TEXT')
  requireReasonLength(because)
  const isDespiteUnconfirmed = values['despite-unconfirmed']
  const order = { chargeId, because, isDespiteUnconfirmed }
  const charge = await withConnection(readOperatorConfig().databaseUrl, (sql) =>
    insertExpiryOverride(sql, order),
  )
  if (charge === undefined) throw new CommandError(`there is no charge ${JSON.stringify(chargeId)}`)
  requireOrdered(order, charge)
  const { expiresAt } = charge
  return [
    `${chargeId} may end whatever its balances are, as soon as its chains have passed ${expiresAt.toISOString()}`,
    'and nothing that was mined in time waits. What is found later is credited, and moves no status.',
  ]
}

/** @throws {CommandError} if the expiry was not ordered, with the reason */
function requireOrdered(
  { chargeId, isDespiteUnconfirmed }: ExpiryOverride,
  charge: ExpiryOverrideResult,
): void {
  const { status, expiresAt, isWaiting, unconfirmed } = charge
  if (!isWaiting)
    throw new CommandError(
      `${chargeId} is ${status}, expiresAt ${expiresAt.toISOString()}: nothing holds it open`,
    )
  if (unconfirmed.length > 0 && !isDespiteUnconfirmed)
    throw new CommandError(
      `one API of the nodes shows payments to ${chargeId} that no other shows: ${unconfirmed.join(', ')}. Look them up in an explorer; if it has none of them, say --despite-unconfirmed`,
    )
}

async function bringBack(args: string[]): Promise<readonly string[]> {
  const options = { key: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [file] = positionals
  if (file === undefined || positionals.length > 1)
    throw new CommandError('import takes one file with the JSON of a charge, or - for standard input')
  const keyId = required(values.key, 'key')
  return [await withConnection(readOperatorConfig().databaseUrl, (sql) => importCharge(sql, { file, keyId }))]
}
