import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import {
  CHARGE_STATUSES,
  FEE_PAYERS,
  PAYOUT_STATUSES,
  SETTLEMENT_STATUSES,
  TRANSACTION_SOURCES,
} from '../../../shared/domain/charge.ts'
import { DELIVERY_STATUSES } from '../../../shared/domain/delivery.ts'
import { ENVIRONMENTS, TOKENS } from '../../../shared/domain/networks.ts'

const folder = new URL('../../../shared/db/migrations/', import.meta.url)
const migrations = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n')

/** Returns the value list of every check constraint on a column with this name. */
function checksOf(column: string): string[] {
  const checks = migrations.matchAll(new RegExp(`check \\(${column} in \\(([^)]*)\\)`, 'g'))
  return Array.from(checks, ([, list = '']) => list.replaceAll(/['\s]/g, ''))
}

describe('the statuses and other closed lists', () => {
  const lists: [column: string, list: readonly string[]][] = [
    ['status', CHARGE_STATUSES],
    ['status', PAYOUT_STATUSES],
    ['status', DELIVERY_STATUSES],
    ['settlement_status', SETTLEMENT_STATUSES],
    ['fee_payer', FEE_PAYERS],
    ['environment', ENVIRONMENTS],
    ['token', TOKENS],
  ]
  for (const [column, list] of lists) {
    it(`${list.join(', ')} are the values that the database allows for ${column}`, () => {
      expect(checksOf(column)).to.include(list.join(','))
    })
  }
})

describe('TRANSACTION_SOURCES', () => {
  it('lists the four sources of the specification', () => {
    expect(TRANSACTION_SOURCES).to.deep.equal([
      'contract_watcher',
      'tron_watcher',
      'reconciliation_job',
      'sandbox',
    ])
  })
})
