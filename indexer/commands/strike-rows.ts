import { setTimeout as sleep } from 'node:timers/promises'
import {
  insertStrikes,
  listStrikeResults,
  STRIKE_TABLES,
  type StrikeKind,
  type StrikeResult,
  type StrikeTarget,
} from '../../shared/db/charges/daemon/strikes.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { CommandError, parseOptions } from '../../shared/runtime/command-line.ts'
import { withOperator } from './command.ts'
import { parseReason } from './parse-reason.ts'

/** Maximum rows per command. Each row costs every node of its chain about six requests, and more on TRON. */
const MAX_ROWS = 20
/**
 * Poll interval and timeout of the wait for the daemon. The daemon decides within seconds, but a hanging node adds one
 * request timeout per row.
 */
const ANSWER = { everyMs: 500, withinMs: 30_000 }

/**
 * Orders the daemon to strike rows, and waits up to 30 s for the results.
 *
 * @returns one line per row; the exit code is 1 if any row was not struck
 * @throws {CommandError} if a row does not exist, does not count or is already struck. The other rows are still ordered
 * to be struck.
 */
export async function strikeRows(args: string[]): Promise<readonly string[]> {
  const { values, positionals } = parseOptions(args, { texts: ['reason'], allowPositionals: true })
  const targets = parseRows(positionals)
  const reason = parseReason('strike', values.reason)
  return withOperator(async (sql) => {
    const orders = await insertStrikes(sql, { targets, reason })
    requireAll(targets, orders)
    const orderIds = orders.map(({ orderId }) => orderId)
    return (await waitForResults(sql, orderIds)).map(present)
  })
}

function parseRows(names: readonly string[]): readonly StrikeTarget[] {
  if (names.length === 0)
    throw new CommandError('strike takes rows such as transfer:12; see npm run charges -- show')
  if (names.length > MAX_ROWS)
    throw new CommandError(`${names.length} rows are above the maximum of ${MAX_ROWS}`)
  return [...new Set(names)].map(parseRow)
}

function parseRow(name: string): StrikeTarget {
  const [, kind = '', id] = /^([a-z-]+):(\d{1,15})$/.exec(name) ?? []
  if (isKind(kind)) return { kind, rowId: Number(id) }
  const kinds = Object.keys(STRIKE_TABLES).join(', ')
  throw new CommandError(
    `${JSON.stringify(name)} must be one of ${kinds}, then : and a number, such as transfer:12`,
  )
}

function isKind(kind: string): kind is StrikeKind {
  return Object.hasOwn(STRIKE_TABLES, kind)
}

function requireAll(targets: readonly StrikeTarget[], orders: readonly StrikeTarget[]): void {
  const ordered = new Set(orders.map(nameOf))
  const others = targets.map(nameOf).filter((name) => !ordered.has(name))
  if (others.length === 0) return
  const struck = orders.length > 0 ? ' (the strike of the other rows is ordered)' : ''
  throw new CommandError(
    `${others.join(', ')}: not found, not counted or already struck; see npm run charges -- show${struck}`,
  )
}

async function waitForResults(sql: Sql, orderIds: readonly number[]): Promise<readonly StrikeResult[]> {
  const endMs = Date.now() + ANSWER.withinMs
  for (;;) {
    const answers = await listStrikeResults(sql, orderIds)
    if (answers.every(({ outcome }) => outcome !== null) || Date.now() >= endMs) return answers
    await sleep(ANSWER.everyMs)
  }
}

function present(answer: StrikeResult): string {
  if (answer.outcome === 'struck') return `${nameOf(answer)} is struck.`
  process.exitCode = 1
  if (answer.outcome === 'refused') return `${nameOf(answer)} is not struck: ${answer.answer}.`
  return `The strike of ${nameOf(answer)} is ordered, but no daemon responded within 30 s: see npm run charges -- show.`
}

function nameOf({ kind, rowId }: StrikeTarget): string {
  return `${kind}:${rowId}`
}
