import { expect } from 'chai'
import { requireBalancedEntry } from '../../../api/accounting/export-entry.ts'
import { COMMODITIES, getCommodity } from '../../../api/accounting/formats/commodity.ts'
import { FORMATS } from '../../../api/accounting/formats/formats.ts'
import { findTimeZone } from '../../../api/accounting/formats/time-zone.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import { ALL_PAIRS } from '../../../shared/domain/networks.ts'
import { buildExportEntry, buildStyle } from '../../support/export-entries.ts'

describe('the formats of the accounting export', () => {
  it('name a bridged token differently from the issuer’s token, and use only upper-case letters', () => {
    for (const pair of ALL_PAIRS) {
      const isBridged = REGISTRY[pair.network].live.tokens[pair.token]?.bridged === true
      const commodity = getCommodity(pair)
      expect(commodity === pair.token, `${pair.token}/${pair.network}`).to.equal(!isBridged)
      expect(commodity).to.match(/^[A-Z]+$/)
      expect(COMMODITIES).to.have.property(commodity)
    }
  })

  it('reject an entry whose legs sum to 1 or -1 units instead of 0', () => {
    const entry = buildExportEntry()
    requireBalancedEntry(entry)
    const [first, ...others] = entry.legs
    if (first === undefined) throw new Error('no leg')
    for (const unit of [1n, -1n]) {
      const spoilt = { ...entry, legs: [{ ...first, amount: first.amount + unit }, ...others] }
      expect(() => requireBalancedEntry(spoilt)).to.throw(`sum to ${unit} instead of 0`)
    }
  })

  it('write an entry for hledger and ledger', () => {
    expect(FORMATS.hledger.writeEntry(buildExportEntry(), buildStyle())).to.equal(
      `2026-11-02 * (di_1) order 2, see note , x
    ; charge: ch_1
    ; category: payout
    ; network: base
    ; tx: 0x${'ab'.repeat(32)}
    Assets:Clearing           -55.000000 USDC
    Expenses:Fees:Incentive   0.055000 USDC
    Assets:Wallet:USDC        54.450001 USDC
    Expenses:Fees:Service     0.494999 USDC

`,
    )
  })

  it('write an entry for beancount', () => {
    expect(
      FORMATS.beancount.writeEntry(buildExportEntry({ externalRef: 'say "\\"' }), buildStyle()),
    ).to.equal(
      `2026-11-02 * "say \\"\\\\\\""
  entry: "di_1"
  charge: "ch_1"
  category: "payout"
  network: "base"
  tx: "0x${'ab'.repeat(32)}"
    Assets:Clearing           -55.000000 USDC
    Expenses:Fees:Incentive   0.055000 USDC
    Assets:Wallet:USDC        54.450001 USDC
    Expenses:Fees:Service     0.494999 USDC

`,
    )
  })

  for (const reference of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1']) {
    it(`write the reference ${JSON.stringify(reference)} so that a spreadsheet shows it as text`, () => {
      const style = buildStyle({ columns: ['external_ref', 'amount'] })
      const [cell] = FORMATS.csv.writeEntry(buildExportEntry({ externalRef: reference }), style).split(',')
      expect(cell).to.match(/^"?'/)
    })
  }

  it('write a reference so that a spreadsheet executes no part of it, whichever separator the spreadsheet uses', () => {
    const style = buildStyle({ columns: ['external_ref', 'leg'] })
    for (const separator of [';', '|', '\t', '\n', '\r\n', ',']) {
      const hostile = ['=cmd()', ' =cmd()', '"=cmd()', '+1', '-1', '@A1'].map(
        (part) => `a${separator}${part}`,
      )
      for (const externalRef of hostile) {
        const [row = ''] = FORMATS.csv.writeEntry(buildExportEntry({ externalRef }), style).split(',1\r\n')
        const parts = row.split(separator).map((part) => part.replace(/[\s"]/g, ''))
        expect(
          parts.filter((part) => /^[=+\-@]/.test(part)),
          JSON.stringify(row),
        ).to.deep.equal([])
      }
    }
    const harmless = buildExportEntry({ externalRef: 'order-3 = 5 - 2; paid' })
    expect(FORMATS.csv.writeEntry(harmless, style)).to.include('"order-3 = 5 - 2; paid",1')
  })

  describe('the time zones of the export', () => {
    const berlin = findTimeZone('Europe/Berlin')

    it('have the offset that applies at the given time', () => {
      expect(berlin?.formatTime(new Date('2026-10-25T00:59:59Z'))).to.equal('2026-10-25T02:59:59+02:00')
      expect(berlin?.formatTime(new Date('2026-10-25T01:00:00Z'))).to.equal('2026-10-25T02:00:00+01:00')
      expect(berlin?.formatDate(new Date('2026-11-01T23:00:00Z'))).to.equal('2026-11-02')
      expect(findTimeZone('Asia/Kathmandu')?.formatTime(new Date(0))).to.equal('1970-01-01T05:30:00+05:30')
      expect(findTimeZone('America/St_Johns')?.formatTime(new Date('2026-01-01T00:00:00Z'))).to.equal(
        '2025-12-31T20:30:00-03:30',
      )
    })

    it('start a day at its local midnight, even on days when the clocks change', () => {
      expect(berlin?.startOfDay('2026-10-25').toISOString()).to.equal('2026-10-24T22:00:00.000Z')
      expect(berlin?.startOfDay('2026-10-26').toISOString()).to.equal('2026-10-25T23:00:00.000Z')
      expect(berlin?.startOfDay('2026-03-29').toISOString()).to.equal('2026-03-28T23:00:00.000Z')
      expect(berlin?.startOfDay('2026-03-30').toISOString()).to.equal('2026-03-29T22:00:00.000Z')
      const auckland = findTimeZone('Pacific/Auckland')
      expect(auckland?.startOfDay('2026-01-01').toISOString()).to.equal('2025-12-31T11:00:00.000Z')
    })

    it('start a day at its first existing hour if the clocks skip midnight', () => {
      expect(findTimeZone('America/Havana')?.startOfDay('2026-03-08').toISOString()).to.equal(
        '2026-03-08T05:00:00.000Z',
      )
      expect(findTimeZone('Asia/Beirut')?.startOfDay('2026-03-29').toISOString()).to.equal(
        '2026-03-28T22:00:00.000Z',
      )
    })

    it('start a day at its first midnight if the clocks go back at midnight or one hour later', () => {
      expect(findTimeZone('America/Havana')?.startOfDay('2026-11-01').toISOString()).to.equal(
        '2026-11-01T04:00:00.000Z',
      )
      expect(findTimeZone('Asia/Beirut')?.startOfDay('2026-10-25').toISOString()).to.equal(
        '2026-10-24T22:00:00.000Z',
      )
    })

    it('are not found by an offset, an empty name or an unknown name', () => {
      for (const name of ['+01:00', '', 'Mars/Base', 'UTC\n', '../UTC', 'x'.repeat(64)]) {
        expect(findTimeZone(name), name).to.equal(null)
      }
    })
  })
})
