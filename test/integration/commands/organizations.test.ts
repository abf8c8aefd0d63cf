import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

import { findInvalidTerms } from '../../../indexer/relayer/find-invalid-terms.ts'
import { type ChargeRow, chargeColumns } from '../../../shared/db/charges/charge-row.ts'
import type { Sql } from '../../../shared/db/connect.ts'
import { compiled } from '../../devnet/compiled.ts'
import { startTestApi, type TestApi } from '../../support/api.ts'
import { call } from '../../support/call-route.ts'
import { createPng } from '../../support/pictures.ts'
import { connectForTest } from '../../support/postgres.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

describe('npm run organizations', function () {
  this.timeout(240_000)

  let api: TestApi
  let daemon: Sql
  let key: string

  before(async () => {
    // Without testnets, test charges are simulated, and their escrows query no chain.
    api = await startTestApi({ DEPLOYMENTS: 'base:live' })
    daemon = connectForTest(api.database.url.daemon)
    ;({ key } = await api.issueKey({ environment: 'test' }))
  })

  beforeEach(async () => {
    await api.owner`update organizations set fee_percent = null, escrow_fee_percent = null`
  })

  after(async () => {
    await daemon.end()
    await api.stop()
  })

  it('changes the fee of future charges, and keeps the fee of existing charges', async () => {
    const before = await create({ idempotencyKey: 'before' })
    expect(before.feePercent).to.equal(1)
    expect((await fee('0.25')).output).to.equal(
      'org_one (org_one) now pays for new charges: 0.25 %. It pays additionally for escrow charges: the configured fee.\n',
    )
    expect((await create({})).feePercent).to.equal(0.25)
    const replayed = await create({ idempotencyKey: 'before' })
    expect(replayed).to.include({ id: before.id, feePercent: 1 })
    await fee('default')
    expect((await create({})).feePercent).to.equal(1)
  })

  it('changes the surcharge of escrow charges, and keeps it if only the fee is changed', async () => {
    await fee('0.25', '--escrow', '0.1')
    expect((await create({ escrow: {} })).feePercent).to.equal(0.35)
    await fee('0.75')
    expect((await create({ escrow: {} })).feePercent).to.equal(0.85)
    expect((await create({})).feePercent).to.equal(0.75)
    await fee('0.75', '--escrow', 'default')
    expect((await create({ escrow: {} })).feePercent).to.equal(1.25)
  })

  it('lets the daemon accept charges with any past fee of the organization, but no fee that the organization never had', async () => {
    const created = [await create({ escrow: {} })]
    for (const [percent, escrow] of [
      ['0.25', '0.1'],
      ['2', '0'],
    ] as const) {
      await fee(percent, '--escrow', escrow)
      created.push(await create({}), await create({ escrow: {} }))
    }
    await fee('default', '--escrow', 'default')
    const ids = created.map(({ id }) => id)
    const rows = await daemon<
      ChargeRow[]
    >`select ${chargeColumns(daemon)} from charges c where c.id = any (${ids})`
    expect(rows).to.have.length(5)
    expect([...(await findInvalidTerms(daemon, rows))]).to.deep.equal([])
    const stranger = rows.map((row) => ({ ...row, feePercent: '3' }))
    expect((await findInvalidTerms(daemon, stranger)).size).to.equal(5)
    const surcharged = rows.filter((row) => row.escrowFeePercent !== null)
    const forged = surcharged.map((row) => ({ ...row, escrowFeePercent: '0.3' }))
    expect((await findInvalidTerms(daemon, forged)).size).to.equal(3)
  })

  it('creates a brand, changes only the given parts of it, and removes it', async () => {
    const directory = await temporaryDirectory('brand')
    const file = join(directory, 'logo.txt')
    await writeFile(file, createPng())
    const early = await run(['brand', 'set', 'org_one', '--accent', '#FFCC00'])
    expect(early.code).to.equal(1)
    expect(early.output).to.include('org_one has no brand yet: --name is required')
    const made = await run(['brand', 'set', 'org_one', '--name', ' Grünes Café ', '--logo', file])
    expect(made, made.output).to.deep.equal({
      code: 0,
      output: `The pages of org_one (org_one) show the name "Grünes Café",\nthe default colour,\nand a logo, image/png of ${createPng().length} bytes.\n`,
    })
    const { output } = await run(['brand', 'set', 'org_one', '--accent', '#FFCC00'])
    expect(output).to.match(
      /the colour #ffcc00, drawn as #[0-9a-f]{6} and in the dark theme as #ffcc00,\nand a logo/,
    )
    const bare = await run(['brand', 'set', 'org_one', '--accent', 'default', '--logo', 'none'])
    expect(bare.output).to.include('the default colour,\nand no logo.')
    expect((await run(['brand', 'clear', 'org_one'])).output).to.include('has no brand')
    expect((await run(['brand', 'show', 'org_one'])).output).to.include('has no brand')
  })

  for (const [args, message] of [
    [['fee', 'nobody', '1'], 'there is no organization "nobody"'],
    [
      ['fee', 'org_one', '50'],
      'the fee is "50": must be at least 0 and below 50, with at most 4 fractional digits',
    ],
    [
      ['fee', 'org_one', '1', '--escrow', '0.00001'],
      '--escrow is "0.00001": must be at least 0 and below 50',
    ],
    [['fee', 'org_one'], 'fee takes an organization and a percent'],
    [['drop'], 'unknown command drop: must be fee or brand'],
    [['brand'], 'unknown command brand (none): must be show, set or clear'],
  ] as const) {
    it(`rejects ${args.join(' ')}, and exits with 1`, async () => {
      const { code, output } = await run(args)
      expect(code).to.equal(1)
      expect(output).to.include(message)
    })
  }

  async function create(changes: object): Promise<{ id: string; feePercent: number }> {
    const body = {
      amount: 10,
      acceptedPayments: [{ token: 'USDC', network: 'base' }],
      expiresIn: 600,
      ...changes,
    }
    const answer = await call(api, 'POST /v1/charges', { key, body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body
  }

  async function fee(...args: readonly string[]) {
    const done = await run(['fee', 'org_one', ...args])
    expect(done.code, done.output).to.equal(0)
    return done
  }

  async function run(args: readonly string[]): Promise<{ code: number; output: string }> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      OPERATOR_DATABASE_URL: api.database.url.operator,
      TREASURY_ADDRESS: api.config.treasury.evm,
    }
    const command = [await compiled('indexer/commands/organizations.ts'), ...args]
    return new Promise((done) => {
      execFile(process.execPath, command, { cwd: REPOSITORY, env }, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
      )
    })
  }
})
